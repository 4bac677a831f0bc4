/** Tests which responses are retried, the backoff between attempts, and the retry budget. */
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as Telemetry from "@blockquarry/http/Telemetry"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { tokenPrice } from "../../support/Examples.ts"
import { immediateFailureOf } from "../../support/Failures.ts"
import { increaseOf } from "../../support/MetricReader.ts"
import { fetchPrice, minimalOptions, priceReply } from "../../support/PriceCalls.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"
import { waitsBetween, whileTimePasses } from "../../support/TestTime.ts"

const fine = ScriptedClient.json(tokenPrice.document)

/** Returns the waits between attempts if every attempt gets the same reply. */
const waitsAfter = (reply: ScriptedClient.ScriptedReply, options: TestClients.HarnessOptions, seed: number) =>
  Effect.gen(function*() {
    const harness = yield* TestClients.harness(() => reply, options)
    yield* whileTimePasses(Effect.ignore(tokenPrice.call(harness)))
    return waitsBetween(harness.requests)
  }).pipe(Effect.withRandom(Random.make(seed)))

const { budget } = RetryPolicy.standard

const steadyService = { attempt: "1 minute", call: "50 minutes" } as const

describe("the standard policy", () => {
  const retried: ReadonlyArray<readonly [string, ScriptedClient.ScriptedReply]> = [
    ...[408, 429, 500, 502, 503, 504].map((status) =>
      [`a ${status}`, ScriptedClient.respond(status, "{}")] as const
    ),
    ["a reset", ScriptedClient.Disconnect({ code: "ECONNRESET" })],
    ["a refused connection", ScriptedClient.Disconnect({ code: "ECONNREFUSED" })],
    ["an unknown host", ScriptedClient.Disconnect({ code: "ENOTFOUND" })],
    ["a fault without a name", ScriptedClient.Disconnect({ code: "" })],
    ["no response", ScriptedClient.Hang()],
    ["half a document", ScriptedClient.respond(200, "{\"usdPrice\":")],
    ["a page of HTML", ScriptedClient.respond(200, "<html></html>")]
  ]

  it.effect.each(retried)(
    "retries after %s, and returns the next response",
    ([, reply]) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness([reply, reply, reply, fine])
        expect(yield* whileTimePasses(tokenPrice.call(harness))).toMatchObject({ usdPrice: 1.5 })
        expect(harness.requests).toHaveLength(4)
        expect(new Set(harness.requests.map(({ url }) => url.href)).size).toBe(1)
      })
  )
})

describe("backoff", () => {
  const policies = FastCheck.record({
    attempts: FastCheck.integer({ min: 1, max: 7 }),
    transient: FastCheck.integer({ min: 0, max: 2000 }),
    throttled: FastCheck.integer({ min: 0, max: 5000 }),
    maxDelay: FastCheck.integer({ min: 0, max: 20_000 }),
    status: FastCheck.constantFrom(408, 500, 502, 503, 504),
    seed: FastCheck.integer()
  })

  it.effect.prop(
    "is a random part of baseDelay, doubled by each retry, up to maxDelay",
    { policy: policies },
    ({ policy: { attempts, maxDelay, seed, status, throttled, transient } }) =>
      Effect.gen(function*() {
        const retry = { attempts, baseDelay: { transient, throttled }, maxDelay, budget }
        const waits = yield* waitsAfter(ScriptedClient.respond(status, "{}"), {
          retry,
          timeouts: steadyService
        }, seed)
        expect(waits).toHaveLength(attempts - 1)
        const base = status === 503 ? throttled : transient
        for (const [index, wait] of waits.entries()) {
          expect(wait).toBeGreaterThanOrEqual(0)
          // The test clock has a resolution of milliseconds.
          expect(wait).toBeLessThanOrEqual(Math.ceil(Math.min(base * 2 ** index, maxDelay)))
        }
      })
  )

  it.effect("covers the whole range", () =>
    Effect.gen(function*() {
      const retry = { attempts: 2, baseDelay: { transient: 1000, throttled: 0 }, maxDelay: 1000, budget }
      const waits = yield* Effect.forEach(
        Array.from({ length: 40 }, (_, seed) => seed),
        (seed) => waitsAfter(ScriptedClient.respond(500, "{}"), { retry }, seed)
      )
      const first = waits.map(([wait]) => wait ?? Number.NaN)
      expect(Math.min(...first)).toBeLessThan(150)
      expect(Math.max(...first)).toBeGreaterThan(850)
      expect(new Set(first).size).toBeGreaterThan(20)
    }))

  it.effect.each([429, 500, 503, 200])(
    "equals Retry-After exactly after a %d",
    (status) =>
      Effect.gen(function*() {
        const reply = ScriptedClient.respond(status, "", { "retry-after": "7" })
        expect(yield* waitsAfter(reply, {}, 1)).toEqual([7000, 7000, 7000])
        const date = ScriptedClient.respond(status, "", { "retry-after": "Thu, 01 Jan 1970 00:00:12 GMT" })
        yield* TestClock.setTime(0)
        expect((yield* waitsAfter(date, {}, 1)).slice(0, 1)).toEqual([12_000])
      })
  )

  it.effect.each(["Thu, 01 Jan 1970 00:00:00 GMT", "0", "soon"])(
    "is random if Retry-After is %s",
    (header) =>
      Effect.gen(function*() {
        const waits = yield* waitsAfter(ScriptedClient.respond(429, "", { "retry-after": header }), {}, 1)
        expect(waits).toHaveLength(3)
        expect(Math.max(...waits)).toBeGreaterThan(0)
        for (const [index, wait] of waits.entries()) expect(wait).toBeLessThanOrEqual(1000 * 2 ** index)
      })
  )
})

describe("maxBackoff", () => {
  it("doubles from the base delay of the cause up to maxDelay", () => {
    const of = (cause: RetryPolicy.RetryCause) =>
      [1, 2, 3, 4, 5, 6, 7, 8, 1000].map((attempt) =>
        Duration.toMillis(RetryPolicy.maxBackoff(RetryPolicy.standard, cause, attempt))
      )
    expect(of("transient")).toEqual([200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000])
    expect(of("throttled")).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000, 10_000, 10_000, 10_000])
  })

  it("is never applied by a policy with one attempt", () => {
    expect(RetryPolicy.none.attempts).toBe(1)
  })
})

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

/** Fetches prices, sequentially or concurrently, and ignores errors. */
const callPrices = (clients: TestClients.Clients, calls: number, together: boolean) =>
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

describe("an upstream that always fails", () => {
  it.effect.prop(
    "receives at most as many retries as the capacity",
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
        yield* callPrices(harness, calls, together)
        expect(harness.requests).toHaveLength(calls + Math.min(budget.capacity, calls * (attempts - 1)))
      })
  )
})

describe("an upstream that fails now and then", () => {
  it.effect.prop(
    "receives at most as many retries as the capacity, plus the refill per success",
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
        yield* callPrices(harness, calls, together)
        const successes = harness.requests.filter((_, index) => works(index + 1)).length
        expect(harness.requests.length - calls).toBeLessThanOrEqual(
          budget.capacity + budget.refill * successes + 1e-6
        )
      })
  )
})

describe("calls with their own retry policy", () => {
  it.effect("neither consume nor refill the budget of others", () =>
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

describe("a retry that is rejected by a local limit", () => {
  it.effect("fails with the upstream's error", () =>
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

describe("a retry budget", () => {
  const tooLarge = ScriptedClient.respond(200, "7".repeat(2000))

  // Of the first call, one attempt is retried, and of the second none.
  it.effect.each(
    [
      ["is refilled by a 404", ScriptedClient.respond(404), 5],
      ["is not refilled by a 501, which is not retried", ScriptedClient.respond(501), 4],
      ["is not refilled by a call without a response", tooLarge, 4]
    ] as const
  )("%s", ([, reply, requests]) =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        (_, number) => number === 4 ? reply : bad,
        { ...minimalOptions, maxBodySize: 1000, retry: policy(2, { capacity: 1, refill: 1 }) }
      )
      for (let time = 0; time < 4; time += 1) yield* whileTimePasses(Effect.ignore(fetchPrice(harness, time)))
      expect(harness.requests).toHaveLength(requests + 1)
    }))

  it.effect("applies to a base URL, for all API keys", () =>
    Effect.gen(function*() {
      const options = { ...minimalOptions, retry: policy(9, { capacity: 3, refill: 0 }) }
      const { requests, clients } = yield* TestClients.sharedEngine(() => bad, {
        here: { ...options, baseUrl: "https://here.test" },
        otherKey: { ...options, baseUrl: "https://here.test", apiKey: Redacted.make("other") },
        there: { ...options, baseUrl: "https://there.test" }
      })
      yield* callPrices(clients.here, 1, false)
      expect(requests).toHaveLength(4)
      yield* callPrices(clients.otherKey, 1, false)
      expect(requests).toHaveLength(5)
      yield* callPrices(clients.there, 1, false)
      expect(requests).toHaveLength(9)
    }))

  const denials = [
    ["attempts", policy(2, { capacity: 9, refill: 0 }), "1 hour"],
    ["deadline", policy(9, { capacity: 9, refill: 0 }), "5 seconds"],
    ["budget", policy(9, { capacity: 1, refill: 0 }), "1 hour"]
  ] as const

  it.effect.each(denials)(
    "counts suppressed retries by reason: %s",
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

  it.effect("suppresses nothing if the error is not retryable", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => ScriptedClient.respond(404), minimalOptions)
      for (const reason of ["attempts", "deadline", "budget"]) {
        const labels = { operation: "tokenPrice", reason }
        expect(yield* increaseOf(Telemetry.retriesSuppressed, labels, Effect.ignore(fetchPrice(harness, 1))))
          .toBe(0)
      }
    }))
})
