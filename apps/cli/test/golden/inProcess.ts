/** Runs the cases in this process, with a sandbox or scripted responses. */
import * as Ledger from "@blockquarry/sandbox/Ledger"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import { spawnSync } from "node:child_process"
import { OutputError } from "../../src/errors/CommandError.ts"
import { systemFailure } from "../../src/errors/SystemError.ts"
import { directories, piped, typed } from "../support/directories.ts"
import type { ProcessResult } from "../support/process.ts"
import { quarry, type RunOptions, sandboxEnvironment } from "../support/quarry.ts"
import { serveSandbox } from "../support/server.ts"
import { bodyOf, respondingWith } from "../support/stubClient.ts"
import { type Case, parse, type Result, type Session } from "./cases.ts"
import { withoutPorts } from "./records.ts"

/** Shared by all cases. */
const ledger = Ledger.make({ seed: 1, scale: 60 })

/** Without a response, it fails with a defect that contains the request. */
const scriptedClient = (script: Case["script"]): HttpClient.HttpClient =>
  script === undefined
    ? HttpClient.make((request) => Effect.die(new Error(`broken by ${request.method} ${request.url}`)))
    : respondingWith(script.body, script.status, script.headers ?? {}).client

const started = Date.UTC(2025, 5, 1)

/** Creates a clock that advances only with sleeps, independent of the load of the machine. */
const makeClock = (): Clock.Clock => {
  const real = Clock.make()
  let now = started
  return Object.assign(Clock.make(), {
    unsafeCurrentTimeMillis: () => now,
    unsafeCurrentTimeNanos: () => BigInt(now) * 1_000_000n,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
    sleep: (duration: Duration.Duration) =>
      Effect.suspend(() => {
        const end = now + Duration.toMillis(duration)
        return Effect.zipRight(
          real.sleep(duration),
          Effect.sync(() => void (now = Math.max(now, end)))
        )
      })
  })
}

/** Exit code of an interrupted process. */
const interruptedExitCode = 130

type Run = (argv: ReadonlyArray<string>, options: RunOptions) => Effect.Effect<ProcessResult>

const runWith = (input: Case, run: Run): Effect.Effect<Result> =>
  Effect.gen(function*() {
    const captured = { out: "", err: "", progressCount: 0 }
    const reached = yield* Deferred.make<void>()
    const requests: Array<string> = []
    const client = input.broken === true || input.script !== undefined
      ? scriptedClient(input.script)
      : Sandbox.httpClient(yield* Sandbox.make({ ledger, ...input.sandbox }))
    const { argv, env, stdin = "" } = parse(input.line)
    const fiber = yield* Effect.fork(
      run(argv, {
        ...input,
        env: { ...(input.connected === true ? sandboxEnvironment : {}), ...input.env, ...env },
        stdin,
        captured,
        isProgressNoted: true,
        client: HttpClient.make((request, url) => {
          const headers = Object.entries(request.headers).map(([name, value]) => `; ${name}: ${value}`)
          requests.push([request.method, " ", url.href, ...headers.sort(), bodyOf(request) ?? ""].join(""))
          return client.execute(request)
        }),
        onWrite: (count) =>
          input.full === true
            ? new OutputError(systemFailure("cannot write output", { code: "ENOSPC" }))
            : count === input.interruptedAfter
            ? Deferred.succeed(reached, undefined)
            : Effect.void
      }).pipe(Effect.withRandom(Random.fixed([0.01])), Effect.withClock(makeClock()))
    )
    yield* Effect.raceFirst(Deferred.await(reached), Fiber.await(fiber))
    const isInterrupted = yield* Deferred.isDone(reached)
    const exit = isInterrupted ? yield* Fiber.interrupt(fiber) : yield* Fiber.await(fiber)
    const { err, out } = captured
    return { code: Exit.isSuccess(exit) ? exit.value.code : interruptedExitCode, out, err, requests }
  })

export const run = (input: Case): Promise<Result> => Effect.runPromise(runWith(input, quarry))

/** Runs the lines of a session one after another, those of the shell in the project. */
export const runSession = (session: Session): Promise<ReadonlyArray<readonly [Case, Result]>> =>
  Effect.gen(function*() {
    const { home, project, run, writeUser } = yield* directories
    if (session.user !== undefined) writeUser(session.user)
    const served = session.isServed === true
      ? { client: yield* HttpClient.HttpClient, env: yield* serveSandbox }
      : null
    const { port } = new URL(served?.env["QUARRY_BASE_URL"] ?? "http://a.test")
    const mask = (text: string) =>
      withoutPorts(text).replaceAll(home, "{home}").replaceAll(project, "{project}")
        .replace(/(TLS fails: |cannot be resolved: ).*/, "$1{reason}")
    const runLine = (argv: ReadonlyArray<string>, options: RunOptions) => {
      const input = (session.isTyped === true ? typed : piped)(options.stdin ?? "")
      return served === null
        ? run(argv, { ...options, input })
        // The server has the time of day
        : Effect.withClock(run(argv, { ...options, input, client: served.client }), Clock.make())
    }
    return yield* Effect.forEach(session.lines, (line) =>
      Effect.gen(function*() {
        const text = line.replaceAll("{port}", port).replaceAll("{project}", project)
        const result = line.startsWith("!")
          ? shell(text.slice(1), home, project)
          : yield* runWith({ ...session, line: text, env: { ...served?.env, ...session.env } }, runLine)
        return [{ ...session, line }, { ...result, out: mask(result.out), err: mask(result.err) }] as const
      }))
  }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer), Effect.runPromise)

const shell = (line: string, home: string, cwd: string): Result => {
  const env = { PATH: process.env["PATH"], HOME: home }
  const { status, stderr, stdout } = spawnSync("sh", ["-c", line], { cwd, env, encoding: "utf8" })
  return { code: status, out: stdout, err: stderr, requests: [] }
}
