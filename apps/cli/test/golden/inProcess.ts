/** Runs `quarry` in this process with a sandbox or scripted responses, and captures the streams. */
import * as Ledger from "@blockquarry/sandbox/Ledger"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Clock from "effect/Clock"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import { run as quarry } from "../../src/Cli.ts"
import { commandLine } from "../../src/commands/Descriptions.build.ts"
import { HttpTransport } from "../../src/connection/HttpTransport.ts"
import { OutputClosedError, OutputError } from "../../src/errors/CommandError.ts"
import { systemFailure } from "../../src/errors/SystemError.ts"
import { arrange } from "../../src/invocation/Arrange.ts"
import { CommandTerminal, type TerminalService } from "../../src/terminal/Terminal.ts"
import type { ProcessResult } from "../support/process.ts"
import { type Case, connection, type Scripted, words } from "./cases.ts"

/** Shared by all cases. */
const ledger = Ledger.make({ seed: 1, scale: 60 })

/** Returns the responses in order, and repeats the last one. */
const scriptedClient = (script: ReadonlyArray<Scripted>): HttpClient.HttpClient => {
  let sent = 0
  return HttpClient.make((request) =>
    Effect.suspend(() => {
      const response = script[Math.min(sent++, script.length - 1)]
      if (response === undefined) return Effect.dieMessage("the script is empty")
      const { body, headers = {}, status } = response
      return Effect.succeed(
        HttpClientResponse.fromWeb(request, new Response(body, { status, headers }))
      )
    })
  )
}

/** A client that fails with a defect that contains the request. */
const defective = HttpClient.make((request) =>
  Effect.die(new Error(`broken by ${request.method} ${request.url}`))
)

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
        return Effect.zipRight(real.sleep(duration), Effect.sync(() => void (now = Math.max(now, end))))
      })
  })
}

/** Exit code of an interrupted process. */
const interruptedExitCode = 130

export const run = (input: Case): Promise<ProcessResult> =>
  Effect.gen(function*() {
    const output = { out: "", err: "" }
    let writes = 0
    const reached = yield* Deferred.make<void>()
    const stream = {
      isTerminal: input.terminal !== undefined,
      hasColors: input.isColored ?? false,
      columns: input.terminal ?? null
    }
    const terminal: TerminalService = {
      out: stream,
      err: stream,
      print: (texts) =>
        Effect.suspend((): Effect.Effect<void, OutputClosedError | OutputError> => {
          const text = [texts].flat().join("")
          if (writes >= (input.closedAfter ?? Infinity)) return new OutputClosedError()
          if (text === "") return Effect.void
          if (input.full === true) {
            return new OutputError(systemFailure("cannot write output", { code: "ENOSPC" }))
          }
          writes += 1
          output.out += text
          return writes === input.interruptedAfter
            ? Deferred.succeed(reached, undefined)
            : Effect.void
        }),
      note: (text) => Effect.sync(() => void (output.err += `${text}\n`)),
      progress: (text) =>
        Effect.sync(() => {
          if (stream.isTerminal && text !== null) output.err += `(progress) ${text}\n`
        })
    }
    const client = input.broken === true
      ? Layer.succeed(HttpClient.HttpClient, defective)
      : input.script === undefined
      ? Sandbox.layer({ ledger, ...input.sandbox })
      : Layer.succeed(HttpClient.HttpClient, scriptedClient(input.script))
    const env = { ...(input.connected === true ? connection : {}), ...input.env }
    const fiber = yield* Effect.fork(
      quarry(arrange(commandLine, words(input.line)), "1.2.3").pipe(
        Effect.provideService(CommandTerminal, terminal),
        Effect.provideService(HttpTransport, {
          network: () => Effect.succeed(client),
          sandbox: Effect.succeed({ client, config: new Map(Object.entries(connection)) })
        }),
        Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(env)))),
        Effect.withRandom(Random.fixed([0.01])),
        Effect.withClock(makeClock())
      )
    )
    yield* Effect.raceFirst(Deferred.await(reached), Fiber.await(fiber))
    const isInterrupted = yield* Deferred.isDone(reached)
    const exit = isInterrupted ? yield* Fiber.interrupt(fiber) : yield* Fiber.await(fiber)
    return { code: Exit.isSuccess(exit) ? exit.value : interruptedExitCode, ...output }
  }).pipe(Effect.runPromise)
