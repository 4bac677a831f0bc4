/** Calls of several clients of a gateway through one engine. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { type CallClient, CurrentClient } from "../../src/CallClient.ts"
import type * as Engine from "../../src/Engine.ts"
import { indices } from "./PriceCalls.ts"
import type { EngineHarness } from "./TestEngine.ts"
import { runPendingWork } from "./TestTime.ts"

export const client = (name: string, weight = 1, share = 1): CallClient => ({ name, weight, share })

/** How a call ended. */
export interface Ended {
  readonly client: string
  readonly startedAt: number
  readonly endedAt: number
  readonly error: Engine.RawError | null
  /** The status of the response, if any. */
  readonly status: number | null
}

/** Starts a call for a client, and records how it ended. */
export const startCall = ({ send }: EngineHarness, caller: CallClient, number: number, ended: Array<Ended>) =>
  Effect.gen(function*() {
    const startedAt = yield* Clock.currentTimeMillis
    const result = yield* Effect.either(Effect.provideService(send(number), CurrentClient, caller))
    ended.push({
      client: caller.name,
      startedAt,
      endedAt: yield* Clock.currentTimeMillis,
      error: Either.isLeft(result) ? result.left : null,
      status: Either.isRight(result) ? result.right.response.status : null
    })
  }).pipe(Effect.fork, Effect.tap(() => runPendingWork))

export interface Demand {
  readonly client: CallClient
  /** Number of calls every `interval`. */
  readonly calls: number
}

const interval = 500

/** Runs the demand of several clients for some time, and then until all calls have ended. */
export const runLoad = (harness: EngineHarness, demands: ReadonlyArray<Demand>, seconds: number) =>
  Effect.gen(function*() {
    const ended: Array<Ended> = []
    const fibers: Array<Fiber.RuntimeFiber<void>> = []
    for (let step = 0; step < seconds * 1000 / interval; step += 1) {
      const most = Math.max(...demands.map(({ calls }) => calls))
      for (const round of indices(most)) {
        for (const { client: caller, calls } of demands) {
          if (round < calls) fibers.push(yield* startCall(harness, caller, fibers.length, ended))
        }
      }
      yield* TestClock.adjust(interval)
    }
    yield* TestClock.adjust("1 minute")
    yield* Fiber.joinAll(fibers)
    return ended
  })

export const waitOf = ({ endedAt, startedAt }: Ended): number => endedAt - startedAt

export const succeeded = (ended: ReadonlyArray<Ended>, { name }: CallClient): number =>
  ended.filter((call) => call.client === name && call.status === 200).length

export const retryAfterOf = ({ error }: Ended): number | null =>
  error !== null && "retryAfter" in error && error.retryAfter !== null
    ? Duration.toMillis(error.retryAfter)
    : null
