/** Tests that identical concurrent calls are coalesced into one request. */
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { describe, expect, it } from "@effect/vitest"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { CurrentClient } from "../../../src/CallClient.ts"
import * as SingleFlight from "../../../src/internal/cache/SingleFlight.ts"
import { cachingOptions, numberedPrice } from "../../support/CacheFixtures.ts"
import { failureOf } from "../../support/Failures.ts"
import { fetchPrice } from "../../support/PriceCalls.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"
import { runPendingWork } from "../../support/TestTime.ts"

/** Each response takes a second. */
const delayedPrice: ScriptedClient.Script = (requests, number) =>
  ScriptedClient.delayed("1 second", numberedPrice(requests, number))

/** With a deadline, a request continues even if no caller waits for it. */
const limitedTimeouts = { ...cachingOptions, timeouts: { attempt: "10 seconds", call: "1 minute" } } as const

const fork = (clients: TestClients.Clients, times: number) =>
  Effect.zipLeft(
    Effect.forEach(Arr.range(1, times), () => Effect.fork(Effect.exit(fetchPrice(clients, 1)))),
    runPendingWork
  )

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

  it.effect("does not share a request between callers with different attempt timeouts", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(delayedPrice, limitedTimeouts)
      const shorter = yield* Effect.fork(
        fetchPrice(harness, 1).pipe(
          CallOptions.withCallOptions({ timeouts: { attempt: "400 millis", call: "1 minute" } })
        )
      )
      yield* runPendingWork
      const longer = yield* Effect.fork(fetchPrice(harness, 1))
      yield* TestClock.adjust(1000)
      expect(yield* failureOf(Fiber.join(shorter))).toMatchObject({ _tag: "TimeoutError", scope: "attempt" })
      expect(yield* Fiber.join(longer)).toMatchObject({ usdPrice: 2 })
    }))

  it.effect("retries for callers with a later deadline if the retry comes after an earlier deadline", () =>
    Effect.gen(function*() {
      const baseUrl = "https://here.test"
      const script: ScriptedClient.Script = (request, number) =>
        number === 1
          ? ScriptedClient.delayed("1 second", ScriptedClient.respond(503, "", { "retry-after": "30" }))
          : numberedPrice(request, number)
      const retry = TestClients.immediateRetries(2)
      const { requests, clients } = yield* TestClients.sharedEngine(script, {
        patient: { ...limitedTimeouts, retry, baseUrl },
        hasty: {
          ...limitedTimeouts,
          retry,
          baseUrl,
          timeouts: { attempt: "10 seconds", call: "20 seconds" }
        }
      })
      const [shorter, equal, longer] = yield* Effect.forEach(
        [clients.hasty, clients.hasty, clients.patient],
        (caller) => Effect.zipLeft(Effect.fork(fetchPrice(caller, 1)), runPendingWork)
      )
      yield* TestClock.adjust(1000)
      const failed = { _tag: "ServerError", status: 503 }
      if (shorter !== undefined) expect(yield* failureOf(Fiber.join(shorter))).toMatchObject(failed)
      if (equal !== undefined) expect(yield* failureOf(Fiber.join(equal))).toMatchObject(failed)
      if (longer !== undefined) expect(yield* Fiber.join(longer)).toMatchObject({ usdPrice: 2 })
      expect(requests).toHaveLength(2)
    }))

  it.scoped("retries for callers with a later deadline even while the result is being cached", () =>
    Effect.gen(function*() {
      const singleFlight = yield* Effect.flatMap(Effect.scope, SingleFlight.make<number, string>)
      let requests = 0
      const join = (deadline: number) =>
        Effect.fork(singleFlight.join({
          subject: "price",
          variant: "",
          client: "",
          execute: () => Effect.delay(Effect.sync(() => ++requests), 1),
          onSent: null,
          deadline,
          continuesAt: Either.match({ onLeft: () => null, onRight: (value) => value === 1 ? 100 : null }),
          isClientLimit: () => false,
          onTimeout: () => "timeout",
          onSuccess: () => Effect.sleep(1000),
          onJoin: () => {}
        }))
      const first = yield* join(100)
      const second = yield* join(200)
      yield* TestClock.adjust(1)
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(first)).toEqual({ value: 1, joined: false })
      expect(yield* Fiber.join(second)).toEqual({ value: 2, joined: false })
    }))

  it.effect("continues with one request for all callers that have more time than the first", () =>
    Effect.gen(function*() {
      const timeouts = { attempt: "1 minute", call: "10 seconds" } as const
      const harness = yield* TestClients.harness(() => ScriptedClient.Hang(), { ...cachingOptions, timeouts })
      const fibers = yield* Effect.forEach(
        Arr.range(1, 20),
        () => Effect.zipLeft(Effect.fork(failureOf(fetchPrice(harness, 1))), TestClock.adjust(100))
      )
      yield* TestClock.adjust("10 seconds")
      for (const error of yield* Fiber.join(Fiber.all(fibers))) {
        expect(error).toMatchObject({ _tag: "TimeoutError", scope: "call" })
      }
      expect(harness.requests).toHaveLength(2)
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

  it.effect("does not join a request in flight with cacheMode reload", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(delayedPrice, limitedTimeouts)
      const before = yield* Effect.fork(fetchPrice(harness, 1))
      yield* runPendingWork
      const now = yield* Effect.fork(
        CallOptions.withCallOptions({ cacheMode: "reload" })(fetchPrice(harness, 1))
      )
      yield* runPendingWork
      const after = yield* Effect.fork(fetchPrice(harness, 1))
      yield* TestClock.adjust(1000)
      expect(yield* Fiber.join(before)).toMatchObject({ usdPrice: 1 })
      expect(yield* Fiber.join(now)).toMatchObject({ usdPrice: 2 })
      expect(yield* Fiber.join(after)).toMatchObject({ usdPrice: 2 })
      expect(harness.requests).toHaveLength(2)
    }))

  const failures: ReadonlyArray<readonly [string, ScriptedClient.ScriptedReply]> = [
    ["ServerError", ScriptedClient.respond(500)],
    ["NetworkError", ScriptedClient.Disconnect({ code: "ECONNRESET" })],
    ["AuthenticationError", ScriptedClient.respond(401)],
    ["InvalidResponseError", ScriptedClient.json({ usdPrice: "free" })]
  ]

  it.effect.each(failures)(
    "fails all callers with the same error, and sends a new request for the next call: %s",
    ([tag, reply]) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness(
          (requests, number) =>
            number === 1 ? ScriptedClient.delayed("1 second", reply) : numberedPrice(requests, number),
          cachingOptions
        )
        const fibers = yield* fork(harness, 20)
        yield* TestClock.adjust("1 second")
        for (const fiber of fibers) {
          expect(yield* Effect.flip(Effect.flatten(Fiber.join(fiber)))).toMatchObject({ _tag: tag })
        }
        expect(harness.requests).toHaveLength(1)
        expect(yield* fetchPrice(harness, 1)).toMatchObject({ usdPrice: 2 })
      })
  )

  it.effect("fails all callers after a defect, and sends a new request for the next call", () =>
    Effect.gen(function*() {
      let requests = 0
      const client = HttpClient.make((request) =>
        Effect.suspend(() => {
          requests += 1
          return requests === 1
            ? Effect.zipRight(Effect.sleep("1 second"), Effect.die(new Error("a defect")))
            : Effect.succeed(HttpClientResponse.fromWeb(request, Response.json({ usdPrice: requests })))
        })
      )
      const clients = yield* TestClients.clientsOver(client, cachingOptions)
      const fibers = yield* fork(clients, 20)
      yield* TestClock.adjust("1 second")
      for (const fiber of fibers) {
        const exit = yield* Fiber.join(fiber)
        expect(Exit.isFailure(exit) && Cause.isDie(exit.cause)).toBe(true)
      }
      expect(requests).toBe(1)
      expect(yield* fetchPrice(clients, 1)).toMatchObject({ usdPrice: 2 })
    }))

  it.effect("starts the TTL when the response arrives", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(delayedPrice, cachingOptions)
      yield* fork(harness, 2)
      yield* TestClock.adjust("1 second")
      yield* TestClock.adjust(4999)
      expect(yield* fetchPrice(harness, 1)).toMatchObject({ usdPrice: 1 })
      expect(harness.requests).toHaveLength(1)
    }))
})

describe("identical calls of different clients", () => {
  const forClient = (name: string) => Effect.provideService(CurrentClient, { name, weight: 1, share: 1 })

  it.effect("share a request that was sent", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(delayedPrice, cachingOptions)
      const first = yield* Effect.fork(fetchPrice(harness, 1).pipe(forClient("a")))
      yield* runPendingWork
      const second = yield* Effect.fork(fetchPrice(harness, 1).pipe(forClient("b")))
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(first)).toMatchObject({ usdPrice: 1 })
      expect(yield* Fiber.join(second)).toMatchObject({ usdPrice: 1 })
      expect(harness.requests).toHaveLength(1)
    }))

  it.effect("do not wait for a request in the queue of another client", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(delayedPrice, {
        ...cachingOptions,
        concurrency: { limit: 1, maxQueue: 100 }
      })
      // One request is in flight, and nine others of the client wait, the one for price 10 at the end.
      const busy = yield* Effect.forEach(Arr.range(1, 10), (token) =>
        Effect.fork(fetchPrice(harness, token).pipe(forClient("busy"))))
      yield* runPendingWork
      const other = yield* Effect.fork(fetchPrice(harness, 10).pipe(forClient("other")))
      yield* runPendingWork
      // The clients take turns: the second or third response is the one of the other client.
      yield* TestClock.adjust("3 seconds")
      expect(Option.map(yield* Fiber.poll(other), Exit.isSuccess)).toEqual(Option.some(true))
      yield* TestClock.adjust("10 seconds")
      expect((yield* Effect.forEach(busy, Fiber.await)).every(Exit.isSuccess)).toBe(true)
    }))
})
