/** The program as operating system processes, started with its command line. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { type ConditionTimeout, eventuallySync } from "./Eventually.ts"

/** The process did not start. */
export class StartupError extends Data.TaggedError("NotUp")<{
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}> {
  override get message(): string {
    return `it ended with ${this.code}: ${this.stdout}${this.stderr}`
  }
}

interface ExitStatus {
  readonly code: number | null
  /** The signal that ended the process, if any. */
  readonly signal: NodeJS.Signals | null
}

/** A line of the log. */
type LogLine = Readonly<Record<string, unknown>>

export interface ProxyProcess {
  readonly port: number
  readonly origin: string
  /** The URL of the admin listener; empty if disabled. */
  readonly adminOrigin: string
  readonly signal: (name: NodeJS.Signals) => Effect.Effect<void>
  readonly hasExited: () => boolean
  readonly exit: Effect.Effect<ExitStatus>
  /** The lines written so far. */
  readonly log: () => ReadonlyArray<LogLine>
  /** Waits for the first line with this text after `since` lines. */
  readonly waitForLog: (words: string, since?: number) => Effect.Effect<string, ConditionTimeout>
  readonly stderr: () => string
}

const parse = (line: string): LogLine => {
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
  // No process may outlive the tests, even if they are aborted
  const kill = () => void child.kill("SIGKILL")
  process.once("exit", kill)
  const end: { of?: ExitStatus } = {}
  child.once("close", (code, signal) => {
    process.off("exit", kill)
    end.of = { code, signal }
  })
  return { child, written, kill, end }
}

/** Starts the program, and waits for its startup message. */
export const start = (
  program: string,
  args: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {}
): Effect.Effect<ProxyProcess, StartupError | ConditionTimeout, Scope.Scope> =>
  Effect.gen(function*() {
    const { child, end, written } = yield* Effect.acquireRelease(
      Effect.sync(() => launch(program, args, env)),
      ({ end, kill }) =>
        Effect.suspend(() => {
          if (end.of === undefined) kill()
          return Effect.orDie(eventuallySync("it has ended", () => end.of !== undefined))
        })
    )
    yield* eventuallySync("the proxy is listening", () =>
      end.of !== undefined || written.stdout.includes("Press Ctrl-C to stop"))
    if (end.of !== undefined) {
      return yield* new StartupError({ ...end.of, ...written })
    }
    const origin = /is listening at (http:\/\/\S+)/.exec(written.stdout)?.[1] ?? ""
    const lines = () =>
      written.stderr.split("\n").slice(0, -1)
    const find = (words: string, since: number) =>
      lines().slice(since).map(parse).find(({ message }) => String(message).includes(words))
    return {
      origin,
      port: Number(new URL(origin).port),
      adminOrigin: /status page: +(http:\/\/\S+)/.exec(written.stdout)?.[1] ?? "",
      signal: (name) => Effect.sync(() => void child.kill(name)),
      hasExited: () => end.of !== undefined,
      exit: Effect.map(
        eventuallySync("it has ended", () => end.of !== undefined),
        () => end.of ?? { code: null, signal: null }
      )
        .pipe(Effect.orDie),
      log: () => lines().map(parse),
      waitForLog: (words, since = 0) =>
        Effect.map(
          eventuallySync(`log line: ${words}`, () => find(words, since) !== undefined),
          () => String(find(words, since)?.["message"])
        ),
      stderr: () => written.stderr
    }
  })
