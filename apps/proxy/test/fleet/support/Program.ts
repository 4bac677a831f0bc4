/** The program as processes of the operating system: bundled once, started as people start it. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import { execFile, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Folder from "./Folder.ts"
import { type Never, untilSync } from "./Until.ts"

/** The process did not come up. */
export class NotUp extends Data.TaggedError("NotUp")<{
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}> {
  override get message(): string {
    return `it ended with ${this.code}: ${this.stdout}${this.stderr}`
  }
}

interface Ended {
  readonly code: number | null
  /** What ended it, where it did not end by itself. */
  readonly signal: NodeJS.Signals | null
}

/** A line of the log. */
type Line = Readonly<Record<string, unknown>>

export interface Process {
  readonly port: number
  readonly origin: string
  /** Where operations are; empty where they are off. */
  readonly operations: string
  readonly signal: (name: NodeJS.Signals) => Effect.Effect<void>
  readonly hasEnded: () => boolean
  readonly ended: Effect.Effect<Ended>
  /** The lines that were written so far. */
  readonly log: () => ReadonlyArray<Line>
  /** Waits for a line that says so, the first of those that come after `since` lines. */
  readonly says: (words: string, since?: number) => Effect.Effect<string, Never>
  readonly stderr: () => string
}

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Builds the program; done once for all processes of a file of tests. */
export const build: Effect.Effect<string, Error, Scope.Scope> = Effect.flatMap(Folder.make, (folder) => {
  const program = folder.path("quarry-proxy.js")
  const args = [file("../../../../../scripts/bundle.mjs"), file("../../../src/main.ts"), program]
  return Effect.async<string, Error>((resume) => {
    execFile(
      process.execPath,
      args,
      { cwd: file("../../../") },
      (error) => resume(error === null ? Effect.succeed(program) : Effect.fail(error))
    )
  })
})

const parse = (line: string): Line => {
  try {
    const parsed: unknown = JSON.parse(line)
    return Predicate.isRecord(parsed) ? parsed : { message: line }
  } catch {
    return { message: line }
  }
}

const launch = (
  program: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
) => {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const written = { stdout: "", stderr: "" }
  child.stdout.on("data", (text: Buffer) => written.stdout += text.toString())
  child.stderr.on("data", (text: Buffer) => written.stderr += text.toString())
  // Nothing may outlive the tests, not even when they are cut off
  const kill = () => void child.kill("SIGKILL")
  process.once("exit", kill)
  const end: { of?: Ended } = {}
  child.once("close", (code, signal) => {
    process.off("exit", kill)
    end.of = { code, signal }
  })
  return { child, written, kill, end }
}

/** Starts the program, and waits for what it says when it is up. */
export const start = (
  program: string,
  args: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {}
): Effect.Effect<Process, NotUp | Never, Scope.Scope> =>
  Effect.gen(function*() {
    const { child, end, written } = yield* Effect.acquireRelease(
      Effect.sync(() => launch(program, args, env)),
      ({ end, kill }) =>
        Effect.suspend(() => {
          if (end.of === undefined) kill()
          return Effect.orDie(untilSync("it has ended", () => end.of !== undefined))
        })
    )
    yield* untilSync("it is up", () => end.of !== undefined || written.stdout.includes("Ctrl-C stops"))
    if (end.of !== undefined) return yield* new NotUp({ ...end.of, ...written })
    const origin = /listens at (http:\/\/\S+)/.exec(written.stdout)?.[1] ?? ""
    const lines = () => written.stderr.split("\n").slice(0, -1)
    const find = (words: string, since: number) =>
      lines().slice(since).map(parse).find(({ message }) => String(message).includes(words))
    return {
      origin,
      port: Number(new URL(origin).port),
      operations: /status page: +(http:\/\/\S+)/.exec(written.stdout)?.[1] ?? "",
      signal: (name) => Effect.sync(() => void child.kill(name)),
      hasEnded: () => end.of !== undefined,
      ended: Effect.map(untilSync("it has ended", () => end.of !== undefined), () =>
        end.of ?? { code: null, signal: null })
        .pipe(Effect.orDie),
      log: () =>
        lines().map(parse),
      says: (words, since = 0) =>
        Effect.map(
          untilSync(`it says: ${words}`, () => find(words, since) !== undefined),
          () => String(find(words, since)?.["message"])
        ),
      stderr: () => written.stderr
    }
  })
