/** Processes that share a Redis: the sources of this package, bundled and started as programs. */
import type { Permit, Quota, RateLimitRule, RemainingQuota } from "@blockquarry/http/RateLimitStore"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcess, execFile, fork } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Between when a turn was given: the time before it was asked for and the time after it was there. */
export type PermitInterval = readonly [before: number, after: number]

export interface Load {
  readonly budget: string
  readonly rule: RateLimitRule
  readonly cost: number
  /** How many wait for turns at the same time, in each process. */
  readonly fibers: number
}

export type Command =
  | { readonly do: "saturate"; readonly loads: ReadonlyArray<Load>; readonly until: number }
  | {
    readonly do: "acquire"
    readonly budget: string
    readonly rule: RateLimitRule
    readonly lease: number
    readonly withFallback?: true
  }
  | { readonly do: "cooldown"; readonly budget: string; readonly millis: number | null }
  | { readonly do: "settle"; readonly budget: string; readonly passed: boolean }
  | {
    readonly do: "consume"
    readonly account: string
    readonly quota: Quota
    readonly costs: ReadonlyArray<number>
  }
  | { readonly do: "peek"; readonly account: string; readonly quota: Quota }
  | { readonly do: "close" }

interface Replies {
  readonly saturate: ReadonlyArray<ReadonlyArray<PermitInterval>>
  readonly acquire: Permit
  readonly cooldown: void
  readonly settle: void
  /** How many units were spent. */
  readonly consume: number
  readonly peek: RemainingQuota
  readonly close: void
}

export interface ProcessMember {
  readonly send: <O extends Command>(command: O) => Effect.Effect<Replies[O["do"]]>
  /** Done when the process has ended by itself, with its code and all that it wrote. */
  readonly exited: Effect.Effect<readonly [code: number | null, written: string]>
}

/** Builds the program; done once for all members. */
export const build: Effect.Effect<string, Error, Scope.Scope> = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "quarry-fleet-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const program = join(folder, "member.js")
  const resolvePath = (path: string) => fileURLToPath(new URL(path, import.meta.url))
  yield* Effect.async<void, Error>((resume) => {
    execFile(
      process.execPath,
      [resolvePath("../../../../scripts/bundle.mjs"), resolvePath("member.ts"), program],
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
  const pendingReplies = new Map<number, (reply: unknown) => void>()
  const earlyReplies = new Map<number, unknown>()
  child.on("message", ({ reply, number }: { readonly number: number; readonly reply: unknown }) => {
    const resume = pendingReplies.get(number)
    if (resume === undefined) earlyReplies.set(number, reply)
    else resume(reply)
  })
  let output = ""
  child.stdout?.on("data", (text: Buffer) => output += String(text))
  child.stderr?.on("data", (text: Buffer) => output += String(text))
  const exited = new Promise<readonly [number | null, string]>((resolve) =>
    child.once("close", (code) => resolve([code, output]))
  )
  return { child, kill, pendingReplies, earlyReplies, exited }
}

/** Starts a member, and waits until it has its store. */
export const member = (program: string, url: string): Effect.Effect<ProcessMember, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { child, earlyReplies, exited, pendingReplies } = yield* Effect.acquireRelease(
      Effect.sync(() => launch(program, url)),
      ({ kill }) => Effect.sync(() => (process.off("exit", kill), kill()))
    )
    const reply = (number: number) =>
      Effect.async<unknown>((resume) => {
        if (earlyReplies.has(number)) resume(Effect.succeed(earlyReplies.get(number)))
        else pendingReplies.set(number, (reply) => resume(Effect.succeed(reply)))
      })
    let last = 0
    yield* Effect.raceFirst(reply(0), Effect.flatMap(Effect.promise(() => exited), Effect.die))
    return {
      send: <O extends Command>(command: O) =>
        Effect.suspend(() => {
          const number = ++last
          child.send({ number, command })
          // The process on the other side is this repository's own, and answers each order with its answer.
          return Effect.map(reply(number), (reply) => reply as Replies[O["do"]])
        }),
      exited: Effect.promise(() => exited)
    }
  })
