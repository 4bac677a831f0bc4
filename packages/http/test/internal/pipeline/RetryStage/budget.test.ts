/** The budget of retries: a service that fails is not hit harder than one that works. */
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as RateLimit from "@blockquarry/http/RateLimit"
import type * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as Telemetry from "@blockquarry/http/Telemetry"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Redacted from "effect/Redacted"
import { immediateFailureOf } from "../../../support/Failures.ts"
import { increaseOf } from "../../../support/MetricReader.ts"
import { fetchPrice, minimalOptions, priceReply } from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { whileTimePasses } from "../../../support/TestTime.ts"

const bad = ScriptedClient.respond(500)

const policy = (
  attempts: number,
  budget: RetryPolicy.RetryPolicy["budget"],
  longest = 0
): RetryPolicy.RetryPolicy => ({
  attempts,
  baseDelay: { transient: longest, throttled: longest },
  maxDelay: longest,
  budget
})

/** Asks for that many prices, at once or in turn, whatever comes of it. */
const ask = (clients: TestClients.Clients, calls: number, together: boolean) =>
  whileTimePasses(
    Effect.forEach(
      Array.from({ length: calls }, (_, number) => number),
      (number) => Effect.ignore(fetchPrice(clients, number)),
      { concurrency: together ? "unbounded" : 1, discard: true }
    )
  )

const budgets = FastCheck.record({
  capacity: FastCheck.nat(12),
  refill: FastCheck.constantFrom(0, 0.1, 0.5, 1, 3)
})

describe("a service that always fails", () => {
  it.effect.prop(
    "sees the capacity more requests than there are calls, and no more",
    {
      calls: FastCheck.integer({ min: 1, max: 10 }),
      attempts: FastCheck.integer({ min: 1, max: 6 }),
      budget: budgets,
      together: FastCheck.boolean(),
      reply: FastCheck.constantFrom(
        bad,
        ScriptedClient.respond(503),
        ScriptedClient.Disconnect({ code: "ECONNRESET" }),
        ScriptedClient.respond(200, "{")
      ),
      longest: FastCheck.constantFrom(0, 3)
    },
    ({ attempts, budget, calls, longest, reply, together }) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness(() => reply, {
          ...minimalOptions,
          retry: policy(attempts, budget, longest)
        })
        yield* ask(harness, calls, together)
        expect(harness.requests).toHaveLength(calls + Math.min(budget.capacity, calls * (attempts - 1)))
      }),
    { fastCheck: { numRuns: 25 } }
  )
})

describe("a service that fails now and then", () => {
  it.effect.prop(
    "sees the capacity and a refill for each success more, and no more",
    {
      outcomes: FastCheck.array(FastCheck.boolean(), { minLength: 1, maxLength: 80 }),
      attempts: FastCheck.integer({ min: 1, max: 6 }),
      budget: budgets,
      together: FastCheck.boolean()
    },
    ({ attempts, budget, outcomes, together }) =>
      Effect.gen(function*() {
        const works = (number: number) => outcomes[number % outcomes.length] === true
        const calls = Math.min(20, outcomes.length)
        const harness = yield* TestClients.harness(
          (_, number) => works(number) ? priceReply : bad,
          { ...minimalOptions, retry: policy(attempts, budget) }
        )
        yield* ask(harness, calls, together)
        const successes = harness.requests.filter((_, index) => works(index + 1)).length
        expect(harness.requests.length - calls).toBeLessThanOrEqual(
          budget.capacity + budget.refill * successes + 1e-6
        )
      }),
    { fastCheck: { numRuns: 25 } }
  )

  it.effect("has a retry back after as many successes as make one, and never more than the capacity", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        ({ url }) => url.pathname.endsWith("1/price") ? priceReply : bad,
        { ...minimalOptions, retry: policy(2, { capacity: 2, refill: 0.1 }) }
      )
      /** How many retries there are after so many successes. */
      const left = (successes: number) =>
        Effect.gen(function*() {
          for (let time = 0; time < successes; time += 1) yield* fetchPrice(harness, 1)
          harness.requests.length = 0
          for (let time = 0; time < 5; time += 1) {
            yield* whileTimePasses(Effect.ignore(fetchPrice(harness, 2)))
          }
          return harness.requests.length - 5
        })
      expect(yield* left(0)).toBe(2)
      expect(yield* left(9)).toBe(0)
      expect(yield* left(1)).toBe(1)
      expect(yield* left(10)).toBe(1)
      expect(yield* left(100)).toBe(2)
    }))

  it.effect("gets nothing for an answer that is itself to be repeated, and something for a refusal", () =>
    Effect.gen(function*() {
      const budget = { capacity: 1, refill: 1 }
      const script = [bad, bad, bad, ScriptedClient.respond(404), bad, priceReply]
      const harness = yield* TestClients.harness(script, { ...minimalOptions, retry: policy(2, budget) })
      // One retry; none; a 404 brings it back; one more.
      for (let time = 0; time < 4; time += 1) yield* whileTimePasses(Effect.ignore(fetchPrice(harness, time)))
      expect(harness.requests).toHaveLength(6)
    }))
})

describe("a service that fails for good", () => {
  it.effect("brings nothing back either: a 501 is no success", () =>
    Effect.gen(function*() {
      const script = [bad, bad, ScriptedClient.respond(501), bad]
      const harness = yield* TestClients.harness(script, {
        ...minimalOptions,
        retry: policy(2, { capacity: 1, refill: 1 })
      })
      for (let time = 0; time < 3; time += 1) yield* whileTimePasses(Effect.ignore(fetchPrice(harness, time)))
      expect(harness.requests).toHaveLength(4)
    }))
})

describe("a region with a budget of its own", () => {
  it.effect("takes nothing from the others, and gives them nothing", () =>
    Effect.gen(function*() {
      const script = ({ url }: ScriptedClient.RecordedRequest) =>
        url.pathname.endsWith("1/price") ? priceReply : bad
      const harness = yield* TestClients.harness(script, {
        ...minimalOptions,
        retry: policy(4, { capacity: 3, refill: 1 })
      })
      const region = CallOptions.withCallOptions({ retry: policy(4, { capacity: 0, refill: 0 }) })
      yield* fetchPrice(harness, 1)
      yield* region(fetchPrice(harness, 1))
      yield* region(whileTimePasses(Effect.ignore(fetchPrice(harness, 2))))
      expect(harness.requests).toHaveLength(3)
      yield* whileTimePasses(Effect.ignore(fetchPrice(harness, 2)))
      expect(harness.requests).toHaveLength(7)
    }))
})

describe("a repetition that our own limits refuse", () => {
  it.effect("leaves the service's own words", () =>
    Effect.gen(function*() {
      const rateLimit = RateLimit.make({ limit: 1, window: "1 hour", cost: 1 })
      const retry = policy(4, { capacity: 9, refill: 0 })
      const harness = yield* TestClients.harness(() => bad, { ...minimalOptions, rateLimit, retry })
      expect(yield* immediateFailureOf(fetchPrice(harness, 1))).toMatchObject({
        _tag: "ServerError",
        status: 500
      })
      expect(yield* immediateFailureOf(fetchPrice(harness, 1))).toMatchObject({
        _tag: "LocalLimitError",
        limit: "rate"
      })
      expect(harness.requests).toHaveLength(1)
    }))
})

describe("a call without an answer", () => {
  it.effect("brings nothing back", () =>
    Effect.gen(function*() {
      const budget = { capacity: 1, refill: 1 }
      const script = [bad, bad, ScriptedClient.respond(200, "7".repeat(2000)), bad]
      const harness = yield* TestClients.harness(script, {
        ...minimalOptions,
        maxBodySize: 1000,
        retry: policy(2, budget)
      })
      for (let time = 0; time < 3; time += 1) yield* whileTimePasses(Effect.ignore(fetchPrice(harness, time)))
      expect(harness.requests).toHaveLength(4)
    }))
})

describe("a budget of retries", () => {
  it.effect("belongs to a base address, whatever the key", () =>
    Effect.gen(function*() {
      const options = { ...minimalOptions, retry: policy(9, { capacity: 3, refill: 0 }) }
      const { requests, clients } = yield* TestClients.sharedEngine(() => bad, {
        here: { ...options, baseUrl: "https://here.test" },
        otherKey: { ...options, baseUrl: "https://here.test", apiKey: Redacted.make("other") },
        there: { ...options, baseUrl: "https://there.test" }
      })
      yield* ask(clients.here, 1, false)
      expect(requests).toHaveLength(4)
      yield* ask(clients.otherKey, 1, false)
      expect(requests).toHaveLength(5)
      yield* ask(clients.there, 1, false)
      expect(requests).toHaveLength(9)
    }))

  it.effect("that is used up leaves the service's own words", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        [ScriptedClient.json({ message: "out of order" }, 500)],
        { ...minimalOptions, retry: policy(3, { capacity: 0, refill: 1 }) }
      )
      expect(yield* Effect.flip(fetchPrice(harness, 1))).toMatchObject({
        _tag: "ServerError",
        status: 500,
        serverMessage: "out of order"
      })
    }))

  const denials = [
    ["attempts", policy(2, { capacity: 9, refill: 0 }), "1 hour"],
    ["deadline", policy(9, { capacity: 9, refill: 0 }), "5 seconds"],
    ["budget", policy(9, { capacity: 1, refill: 0 }), "1 hour"]
  ] as const

  it.effect.each(denials)(
    "denials are counted by their reason: %s",
    ([reason, retry, total]) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness(
          () => ScriptedClient.respond(503, "", { "retry-after": "3" }),
          { ...minimalOptions, retry, timeouts: { attempt: "1 second", call: total } }
        )
        const call = whileTimePasses(Effect.ignore(fetchPrice(harness, 1)))
        const labels = { operation: "tokenPrice", reason }
        expect(yield* increaseOf(Telemetry.retriesSuppressed, labels, call)).toBe(1)
        expect(harness.requests).toHaveLength(2)
      })
  )

  it.effect("is not asked by what is not repeated anyhow: nothing is denied", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => ScriptedClient.respond(404), minimalOptions)
      for (const reason of ["attempts", "deadline", "budget"]) {
        const labels = { operation: "tokenPrice", reason }
        expect(yield* increaseOf(Telemetry.retriesSuppressed, labels, Effect.ignore(fetchPrice(harness, 1))))
          .toBe(0)
      }
    }))
})
