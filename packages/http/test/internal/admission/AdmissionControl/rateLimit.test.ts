/** Tests rate limits: units per window, the order and costs of calls, and those that are rejected immediately. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import { describe, expect, it } from "@effect/vitest"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { makeClock } from "../../../faults/support/CustomClock.ts"
import { failureOfFinished } from "../../../support/Failures.ts"
import {
  addressOf,
  callNumberOf,
  fetchPrice,
  forkPrices,
  minimalOptions,
  priceReply,
  sentAtSeconds
} from "../../../support/PriceCalls.ts"
import { maxInWindow } from "../../../support/RateWindow.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { runPendingWork } from "../../../support/TestTime.ts"

const longWaitLimit = { maxWait: "1000 days", maxQueue: 10_000, dailyQuota: null } as const

type Step =
  | { readonly _tag: "call"; readonly expensive: boolean }
  | { readonly _tag: "interrupt"; readonly index: number }
  | { readonly _tag: "time"; readonly millis: number }

const tag = <T extends string>(tag: T) => FastCheck.constant(tag)

const steps: FastCheck.Arbitrary<ReadonlyArray<Step>> = FastCheck.array(
  FastCheck.oneof(
    { weight: 6, arbitrary: FastCheck.record({ _tag: tag("call"), expensive: FastCheck.boolean() }) },
    { weight: 1, arbitrary: FastCheck.record({ _tag: tag("interrupt"), index: FastCheck.nat() }) },
    {
      weight: 3,
      arbitrary: FastCheck.record({
        _tag: tag("time"),
        millis: FastCheck.oneof(FastCheck.nat(30), FastCheck.nat(2000))
      })
    }
  ),
  { minLength: 1, maxLength: 30 }
)

const rules = FastCheck.record({
  limit: FastCheck.integer({ min: 1, max: 40 }),
  window: FastCheck.constantFrom(20, 1000, 3000),
  burst: FastCheck.integer({ min: 1, max: 40 })
})

/** Runs the steps, then waits until all calls have ended. */
const run = (clients: TestClients.Clients, steps: ReadonlyArray<Step>) =>
  Effect.gen(function*() {
    const fibers: Array<Fiber.RuntimeFiber<unknown, unknown>> = []
    const requestedAt: Array<number> = []
    let now = 0
    for (const step of steps) {
      switch (step._tag) {
        case "call": {
          const address = addressOf(fibers.length)
          requestedAt.push(now)
          const call: Effect.Effect<unknown, unknown> = step.expensive
            ? clients.data.walletChains({ address })
            : clients.data.tokenPrice({ address })
          fibers.push(yield* Effect.fork(call))
          yield* runPendingWork
          break
        }
        case "interrupt": {
          const fiber = fibers[step.index % Math.max(1, fibers.length)]
          if (fiber !== undefined) yield* Fiber.interrupt(fiber)
          break
        }
        case "time":
          now += step.millis
          yield* TestClock.adjust(step.millis)
      }
    }
    yield* TestClock.adjust("10 days")
    const exits = yield* Effect.forEach(fibers, (fiber) => Fiber.await(fiber))
    return {
      requestedAt,
      interrupted: exits.map((exit) => Exit.isInterrupted(exit))
    }
  })

/** A response that needs no decoding. */
const notFound = () => ScriptedClient.respond(404)

const ascending = (numbers: ReadonlyArray<number>) => numbers.toSorted((a, b) => a - b)

describe("the rate limit", () => {
  it.effect("applies by a clock that sleeps synchronously", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(notFound, {
        ...minimalOptions,
        rateLimit: { limit: 1, window: "10 seconds", burst: 1, cost: 1, ...longWaitLimit }
      })
      let now = 0
      const clock: Clock.Clock = {
        ...makeClock(() => now, () => () => {}),
        sleep: (duration) =>
          Effect.sync(() => {
            now += Duration.toMillis(duration)
          })
      }
      const calls = Effect.forEach([0, 1, 2], (number) => Effect.exit(fetchPrice(harness, number)))
      yield* Effect.withClock(calls, clock)
      expect(sentAtSeconds(harness.requests)).toEqual([0, 10, 20])
    }))

  it.effect.prop(
    "sends at most limit + burst units in any window, in arrival order, with interruptions",
    {
      rule: rules,
      steps,
      cost: FastCheck.record({
        tokenPrice: FastCheck.integer({ min: 1, max: 5 }),
        walletChains: FastCheck.integer({ min: 1, max: 50 })
      })
    },
    ({ cost, rule, steps }) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness(notFound, {
          ...minimalOptions,
          rateLimit: { ...rule, cost, ...longWaitLimit }
        })
        const { interrupted } = yield* run(harness, steps)
        const sent = harness.requests.map(({ at, url }) => ({
          at,
          cost: url.pathname.endsWith("/price") ? cost.tokenPrice : cost.walletChains
        }))
        const maxUnits = rule.limit + Math.max(rule.burst, cost.tokenPrice, cost.walletChains)
        expect(maxInWindow(sent, rule.window)).toBeLessThanOrEqual(maxUnits + 1e-6)
        const order = harness.requests.map(callNumberOf)
        expect(order).toEqual(ascending(order))
        // All calls are sent except those that were interrupted in the queue.
        expect(interrupted.flatMap((wasInterrupted, number) =>
          wasInterrupted || order.includes(number) ? [] : [number]
        )).toEqual(
          []
        )
      })
  )

  it.effect.prop(
    "sends each call as soon as possible after the remaining earlier ones: interrupted calls delay no other",
    { rule: rules, steps },
    ({ rule, steps }) =>
      Effect.gen(function*() {
        const rateLimit = { ...rule, cost: 1, ...longWaitLimit }
        const harness = yield* TestClients.harness(notFound, { ...minimalOptions, rateLimit })
        const { requestedAt } = yield* run(harness, steps)
        for (const [index, request] of harness.requests.entries()) {
          const free = (harness.requests[index - 1]?.at ?? 0) + rule.window / rule.limit
          const arrived = requestedAt[callNumberOf(request)] ?? Number.NaN
          expect(request.at).toBeLessThanOrEqual(Math.max(arrived, free + 1))
        }
      })
  )

  it.effect("is not charged for an interrupted call, and the next one does not wait for it", () =>
    Effect.gen(function*() {
      const cost = { tokenPrice: 1, walletChains: 100 }
      const rateLimit = { limit: 1, window: "1 second", burst: 100, cost, ...longWaitLimit } as const
      const harness = yield* TestClients.harness(() => priceReply, { ...minimalOptions, rateLimit })
      yield* Effect.ignore(harness.data.walletChains({ address: addressOf(0) }))
      const expensive = yield* Effect.fork(harness.data.walletChains({ address: addressOf(1) }))
      yield* runPendingWork
      const next = yield* Effect.fork(fetchPrice(harness, 2))
      yield* TestClock.adjust(500)
      yield* Fiber.interrupt(expensive)
      yield* TestClock.adjust(500)
      yield* Fiber.join(next)
      expect(sentAtSeconds(harness.requests)).toEqual([0, 1])
    }))

  it.effect("applies per API key and base URL, for all clients", () =>
    Effect.gen(function*() {
      const options = {
        ...minimalOptions,
        rateLimit: RateLimit.make({ limit: 1, window: "1 second", cost: 1, ...longWaitLimit })
      }
      const here = { ...options, baseUrl: "https://here.test" }
      const { requests, clients } = yield* TestClients.sharedEngine(() => priceReply, {
        one: here,
        same: here,
        otherKey: { ...here, apiKey: Redacted.make("other") },
        there: { ...options, baseUrl: "https://there.test" }
      })
      const all = [clients.one, clients.same, clients.otherKey, clients.there]
      const fibers = yield* Effect.forEach(all, (client, number) => Effect.fork(fetchPrice(client, number)))
      yield* runPendingWork
      expect(requests.map(callNumberOf)).toEqual([0, 2, 3])
      yield* TestClock.adjust(1000)
      expect(requests.map(callNumberOf)).toEqual([0, 2, 3, 1])
      yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
    }))
})

describe("the cost", () => {
  const sentAt = (rateLimit: Partial<RateLimit.RateLimit>, calls: number) =>
    Effect.gen(function*() {
      const limit = { ...RateLimit.make({ limit: 10, window: "10 seconds" }), ...longWaitLimit, ...rateLimit }
      const harness = yield* TestClients.harness(() => priceReply, { ...minimalOptions, rateLimit: limit })
      const fibers = yield* Effect.forEach(
        Array.from({ length: calls }, (_, number) => number),
        (number) => Effect.fork(fetchPrice(harness, number))
      )
      yield* TestClock.adjust("10 minutes")
      yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
      const [first] = sentAtSeconds(harness.requests)
      return sentAtSeconds(harness.requests).map((at) => at - (first ?? 0))
    })

  it.effect("can be set for an operation or for all", () =>
    Effect.gen(function*() {
      expect(yield* sentAt({ cost: { tokenPrice: 5 } }, 4)).toEqual([0, 0, 5, 10])
      expect(yield* sentAt({ cost: 10 }, 3)).toEqual([0, 10, 20])
      expect(yield* sentAt({ cost: 0 }, 30)).toEqual(Array.from({ length: 30 }, () => 0))
    }))

  it.effect("may exceed the burst", () =>
    Effect.gen(function*() {
      expect(yield* sentAt({ cost: 7, burst: 2 }, 3)).toEqual([0, 7, 14])
    }))
})

/** One request per ten seconds. */
const slowReply = RateLimit.make({ limit: 1, window: "10 seconds", cost: 1, maxWait: "1 day" })

const localLimitError = (
  limit: "rate" | "concurrency",
  retryAfter: Duration.DurationInput | null
) => ({
  _tag: "LocalLimitError",
  limit,
  retryAfter: retryAfter === null ? null : Duration.decode(retryAfter)
})

describe("maxQueue", () => {
  it.effect("has room again after a call was sent or interrupted", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => priceReply, {
        ...minimalOptions,
        rateLimit: { ...slowReply, maxQueue: 2 }
      })
      const [, first] = yield* forkPrices(harness, [0, 1, 2])
      if (first !== undefined) yield* Fiber.interrupt(first)
      yield* forkPrices(harness, [3])
      expect(yield* failureOfFinished((yield* forkPrices(harness, [4])).at(0))).toMatchObject({
        limit: "rate"
      })
      yield* TestClock.adjust("10 seconds")
      yield* forkPrices(harness, [5])
      yield* TestClock.adjust("1 hour")
      expect(harness.requests.map(callNumberOf)).toEqual([0, 2, 3, 5])
      expect(sentAtSeconds(harness.requests)).toEqual([0, 10, 20, 30])
    }))
})

describe("maxWait", () => {
  it.effect("depends on the cost of the queued calls, not on their number", () =>
    Effect.gen(function*() {
      const cost = { tokenPrice: 1, walletChains: 6 }
      const rateLimit = { ...slowReply, burst: 6, cost, maxWait: "75 seconds" } as const
      const harness = yield* TestClients.harness(() => priceReply, { ...minimalOptions, rateLimit })
      const expensive = (number: number) => harness.data.walletChains({ address: addressOf(number) })
      yield* Effect.ignore(expensive(0))
      yield* Effect.fork(expensive(1))
      yield* runPendingWork
      const fibers = yield* forkPrices(harness, [2, 3])
      expect(yield* failureOfFinished(fibers[1])).toMatchObject(localLimitError("rate", "80 seconds"))
      yield* TestClock.adjust("1 hour")
      expect(harness.requests.map(callNumberOf)).toEqual([0, 1, 2])
      expect(sentAtSeconds(harness.requests)).toEqual([0, 60, 70])
    }))
})

describe("the deadline of a call", () => {
  it.effect("does not affect the wait of other calls", () =>
    Effect.gen(function*() {
      const { requests, clients } = yield* TestClients.sharedEngine(() => priceReply, {
        long: { ...minimalOptions, baseUrl: "https://here.test", rateLimit: slowReply },
        short: {
          ...minimalOptions,
          baseUrl: "https://here.test",
          rateLimit: slowReply,
          timeouts: { attempt: "5 seconds", call: "15 seconds" }
        }
      })
      yield* forkPrices(clients.long, [0, 1])
      const [rejectedFiber] = yield* forkPrices(clients.short, [2])
      expect(yield* failureOfFinished(rejectedFiber)).toMatchObject(localLimitError("rate", "20 seconds"))
      yield* forkPrices(clients.long, [3])
      yield* TestClock.adjust("1 hour")
      expect(requests.map(callNumberOf)).toEqual([0, 1, 3])
      expect(sentAtSeconds(requests)).toEqual([0, 10, 20])
    }))
})
