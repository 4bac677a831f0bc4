/** Processes that share a Redis server: the sources of this package, bundled and started as programs. */
import type { Permit, Quota, RateLimitRule, RemainingQuota } from "@blockquarry/http/RateLimitStore"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcess, execFile, fork } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The times before a permit is requested and after it is granted. */
export type PermitInterval = readonly [before: number, after: number]

export interface Load {
  readonly id: string
  readonly rule: RateLimitRule
  readonly cost: number
  /** Number of concurrent fibers in each process. */
  readonly fibers: number
}

export type Command =
  | { readonly do: "saturate"; readonly loads: ReadonlyArray<Load>; readonly until: number }
  | {
    readonly do: "acquire"
    readonly id: string
    readonly rule: RateLimitRule
    readonly lease: number
    readonly withFallback?: true
  }
  | { readonly do: "cooldown"; readonly id: string; readonly millis: number | null }
  | { readonly do: "settle"; readonly id: string; readonly succeeded: boolean }
  | {
    readonly do: "consume"
    readonly id: string
    readonly quota: Quota
    readonly costs: ReadonlyArray<number>
  }
  | { readonly do: "peek"; readonly id: string; readonly quota: Quota }
  | { readonly do: "close" }

interface Replies {
  readonly saturate: ReadonlyArray<ReadonlyArray<PermitInterval>>
  readonly acquire: Permit
  readonly cooldown: void
  readonly settle: void
  /** Number of consumed units. */
  readonly consume: number
  readonly peek: RemainingQuota
  readonly close: void
}

export interface ProcessMember {
  readonly send: <O extends Command>(command: O) => Effect.Effect<Replies[O["do"]]>
  /** Completes when the process exits, with its exit code and output. */
  readonly exited: Effect.Effect<readonly [code: number | null, output: string]>
}

/** Builds the program of all members. */
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
      [resolvePath("../../../../scripts/bundle.mjs"), resolvePath("ProcessGroupMember.ts"), program],
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

/** Starts a member and waits until its store is ready. */
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
          // The member is part of this package and sends the reply that belongs to the command.
          return Effect.map(reply(number), (reply) => reply as Replies[O["do"]])
        }),
      exited: Effect.promise(() => exited)
    }
  })
