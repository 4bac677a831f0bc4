/** Tests that identical concurrent calls are coalesced into one request. */
import * as CallContext from "@blockquarry/http/CallContext"
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { cachingOptions, numberedPrice } from "../../support/CacheFixtures.ts"
import { fetchPrice } from "../../support/PriceCalls.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"
import { engineHarness } from "../../support/TestEngine.ts"
import { runPendingWork } from "../../support/TestTime.ts"

/** Each response takes a second. */
const delayedPrice: ScriptedClient.Script = (requests, number) =>
  ScriptedClient.delayed("1 second", numberedPrice(requests, number))

/** With a deadline, a request continues even if no caller waits for it. */
const limitedTimeouts = { ...cachingOptions, timeouts: { attempt: "10 seconds", call: "1 minute" } } as const

const priceOf = Exit.match({
  onFailure: () => null,
  onSuccess: ({ usdPrice }: { usdPrice: unknown }) => usdPrice
})

describe("coalescing", () => {
  it.effect.prop(
    "completes the request for the remaining callers, whichever are interrupted, and caches the response",
    {
      stays: FastCheck.array(FastCheck.boolean(), { minLength: 1, maxLength: 30 }),
      after: FastCheck.constantFrom(0, 500, 999)
    },
    ({ after, stays: waiting }) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness(delayedPrice, limitedTimeouts)
        const fibers = yield* Effect.forEach([false, ...waiting], () => Effect.fork(fetchPrice(harness, 1)))
        yield* runPendingWork
        yield* TestClock.adjust(after)
        const remaining = [false, ...waiting]
        yield* Effect.forEach(fibers, (fiber, index) =>
          remaining[index] === true ? Effect.void : Fiber.interrupt(fiber))
        yield* TestClock.adjust(1000)
        for (const [index, fiber] of fibers.entries()) {
          const exit = yield* Fiber.await(fiber)
          if (remaining[index] === true) {
            expect(priceOf(exit)).toBe(1)
          } else expect(Exit.isInterrupted(exit)).toBe(true)
        }
        expect(yield* fetchPrice(harness, 1)).toMatchObject({ usdPrice: 1 })
        expect(harness.requests).toHaveLength(1)
      })
  )

  it.effect("retries for the callers of other clients if a limit of the first client caused the result", () =>
    Effect.gen(function*() {
      const harness = yield* engineHarness(delayedPrice, cachingOptions)
      const noMemory = { tryAcquire: () => false, release: () => {} }
      const client = { name: "a", weight: 1, share: 1 }
      const first = yield* harness.send(1, CallContext.make({ client, memory: noMemory })).pipe(
        Effect.either,
        Effect.fork
      )
      yield* runPendingWork
      const second = yield* Effect.fork(harness.send(1))
      yield* runPendingWork
      expect(harness.requests).toHaveLength(1)
      yield* TestClock.adjust("1 second")
      yield* runPendingWork
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(first)).toMatchObject({ left: { limit: "memory" } })
      expect(yield* Fiber.join(second)).toMatchObject({ source: "upstream", coalesced: false })
    }))

  const callers = FastCheck.array(
    FastCheck.record({
      startsAt: FastCheck.nat(1000),
      call: FastCheck.integer({ min: 1, max: 3000 }),
      attempt: FastCheck.constantFrom(300, 700),
      cacheMode: FastCheck.constantFrom(...["default", "default", "reload"] as const)
    }),
    { minLength: 2, maxLength: 5 }
  )

  it.effect.prop(
    "succeeds for each caller with enough time, regardless of the deadlines of others, also with reloads",
    { callers, recoversAt: FastCheck.nat(1500), hangs: FastCheck.boolean() },
    ({ callers, hangs, recoversAt }) =>
      Effect.gen(function*() {
        const responseMillis = 100
        const maxBackoff = 400
        const script: ScriptedClient.Script = (request, number) => {
          if (request.at >= recoversAt) {
            return ScriptedClient.delayed(responseMillis, numberedPrice(request, number))
          }
          return hangs
            ? ScriptedClient.Hang()
            : ScriptedClient.delayed(responseMillis, ScriptedClient.respond(500))
        }
        const harness = yield* TestClients.harness(script, {
          ...cachingOptions,
          retry: {
            attempts: 1000,
            baseDelay: { transient: maxBackoff, throttled: maxBackoff },
            maxDelay: maxBackoff,
            budget: { capacity: 1000, refill: 1 }
          }
        })
        const fibers = yield* Effect.forEach(callers, ({ attempt, cacheMode, call, startsAt }) =>
          fetchPrice(harness, 1).pipe(
            CallOptions.withCallOptions({ cacheMode, timeouts: { attempt, call } }),
            Effect.exit,
            Effect.zip(Clock.currentTimeMillis),
            Effect.delay(startsAt),
            Effect.fork
          ))
        yield* TestClock.adjust("4 seconds")
        for (const [index, fiber] of fibers.entries()) {
          const { attempt, call, startsAt } = callers[index] ?? { attempt: 0, call: 0, startsAt: 0 }
          const [exit, endedAt] = yield* Fiber.join(fiber)
          const deadline = startsAt + call
          expect(endedAt).toBeLessThanOrEqual(deadline)
          // An attempt that began before the recovery, the backoff, and one more attempt
          const enough = Math.max(startsAt, recoversAt) + attempt + maxBackoff + responseMillis
          if (deadline > enough) {
            expect(Exit.isSuccess(exit)).toBe(true)
          }
        }
      })
  )

  it.effect("starts a new request while one is being cancelled", () =>
    Effect.gen(function*() {
      let requests = 0
      const client = HttpClient.make((request) =>
        Effect.suspend(() => {
          requests += 1
          return requests === 1
            // Takes a second to cancel
            ? Effect.onInterrupt(Effect.never, () => Effect.sleep("1 second"))
            : Effect.succeed(HttpClientResponse.fromWeb(request, Response.json({ usdPrice: requests })))
        })
      )
      const clients = yield* TestClients.clientsOver(client, cachingOptions)
      const first = yield* Effect.fork(fetchPrice(clients, 1))
      yield* runPendingWork
      yield* Fiber.interrupt(first)
      const second = yield* Effect.fork(fetchPrice(clients, 1))
      yield* TestClock.adjust("2 seconds")
      expect(yield* Fiber.join(second)).toMatchObject({ usdPrice: 2 })
    }))
})
