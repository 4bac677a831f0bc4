/** Processes that share a Redis: the sources of this package, bundled and started as programs. */
import type { Cap, Remaining, Rule, Turn } from "@blockquarry/http/RateLimitStore"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcess, execFile, fork } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Between when a turn was given: the time before it was asked for and the time after it was there. */
export type Grant = readonly [before: number, after: number]

export interface Load {
  readonly budget: string
  readonly rule: Rule
  readonly cost: number
  /** How many wait for turns at the same time, in each process. */
  readonly fibers: number
}

export type Order =
  | { readonly do: "saturate"; readonly loads: ReadonlyArray<Load>; readonly until: number }
  | {
    readonly do: "take"
    readonly budget: string
    readonly rule: Rule
    readonly lease: number
    readonly withFallback?: true
  }
  | { readonly do: "pause"; readonly budget: string; readonly millis: number | null }
  | { readonly do: "settle"; readonly budget: string; readonly passed: boolean }
  | {
    readonly do: "spend"
    readonly account: string
    readonly cap: Cap
    readonly costs: ReadonlyArray<number>
  }
  | { readonly do: "look"; readonly account: string; readonly cap: Cap }
  | { readonly do: "close" }

interface Answers {
  readonly saturate: ReadonlyArray<ReadonlyArray<Grant>>
  readonly take: Turn
  readonly pause: void
  readonly settle: void
  /** How many units were spent. */
  readonly spend: number
  readonly look: Remaining
  readonly close: void
}

export interface Member {
  readonly ask: <O extends Order>(order: O) => Effect.Effect<Answers[O["do"]]>
  /** Done when the process has ended by itself, with its code and all that it wrote. */
  readonly ended: Effect.Effect<readonly [code: number | null, written: string]>
}

/** Builds the program; done once for all members. */
export const build: Effect.Effect<string, Error, Scope.Scope> = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "quarry-fleet-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const program = join(folder, "member.js")
  const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
  yield* Effect.async<void, Error>((resume) => {
    execFile(
      process.execPath,
      [here("../../../../scripts/bundle.mjs"), here("member.ts"), program],
      (error) => resume(error === null ? Effect.void : Effect.fail(error))
    )
  })
  return program
})

const launch = (program: string, url: string) => {
  const child: ChildProcess = fork(program, {
    env: { PATH: process.env["PATH"] ?? "", QUARRY_REDIS_URL: url },
    stdio: ["ignore", "pipe", "pipe", "ipc"]
  })
  const kill = () => child.kill("SIGKILL")
  process.once("exit", kill)
  const waiting = new Map<number, (answer: unknown) => void>()
  const early = new Map<number, unknown>()
  child.on("message", ({ answer, number }: { readonly number: number; readonly answer: unknown }) => {
    const resume = waiting.get(number)
    if (resume === undefined) early.set(number, answer)
    else resume(answer)
  })
  let written = ""
  child.stdout?.on("data", (text: Buffer) => written += String(text))
  child.stderr?.on("data", (text: Buffer) => written += String(text))
  const ended = new Promise<readonly [number | null, string]>((resolve) =>
    child.once("close", (code) => resolve([code, written]))
  )
  return { child, kill, waiting, early, ended }
}

/** Starts a member, and waits until it has its store. */
export const member = (program: string, url: string): Effect.Effect<Member, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { child, early, ended, waiting } = yield* Effect.acquireRelease(
      Effect.sync(() => launch(program, url)),
      ({ kill }) => Effect.sync(() => (process.off("exit", kill), kill()))
    )
    const answer = (number: number) =>
      Effect.async<unknown>((resume) => {
        if (early.has(number)) resume(Effect.succeed(early.get(number)))
        else waiting.set(number, (answer) => resume(Effect.succeed(answer)))
      })
    let last = 0
    yield* Effect.raceFirst(answer(0), Effect.flatMap(Effect.promise(() => ended), Effect.die))
    return {
      ask: <O extends Order>(order: O) =>
        Effect.suspend(() => {
          const number = ++last
          child.send({ number, order })
          // The process on the other side is this repository's own, and answers each order with its answer.
          return Effect.map(answer(number), (answer) => answer as Answers[O["do"]])
        }),
      ended: Effect.promise(() => ended)
    }
  })
