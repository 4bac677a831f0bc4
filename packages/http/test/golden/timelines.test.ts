/** Compares timelines of retries, key failover, rate limits, circuit breaker and cache with golden records. */
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as Timeouts from "@blockquarry/http/Timeouts"
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestContext from "effect/TestContext"
import { record } from "../../../core/test/golden/support/record.ts"
import { addressOf, fetchPrice, minimalOptions } from "../support/PriceCalls.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import type * as TestClients from "../support/TestClients.ts"
import { keysOf, secretOf } from "../support/TestEngine.ts"
import { type Action, timeline } from "./support/timeline.ts"

type Only = Readonly<Record<"only", TestClients.Clients>>

/** Returns the price of token `number`. */
const priceOf = (number: number) => ({ only }: Only) =>
  Effect.map(fetchPrice(only, number), ({ usdPrice }) => usdPrice)

const update = ({ only }: Only) =>
  Effect.map(only.streams.updateStreamStatus({ id: "stream-1", status: "paused" }), ({ status }) => status)

const metadata = ({ only }: Only) =>
  Effect.map(only.data.nftMetadata({ address: addressOf(1), token_id: "9" }), ({ token_id }) => token_id)

/** Creates calls at times, for different tokens. */
const at = (...moments: ReadonlyArray<number>) =>
  moments.map((moment, index) => ({ at: moment, call: `price ${index + 1}`, run: priceOf(index + 1) }))

/** Creates calls at times, for the same token. */
const same = (...moments: ReadonlyArray<number>) =>
  moments.map((moment, index) => ({ at: moment, call: `same ${index + 1}`, run: priceOf(1) }))

const ok = (usdPrice = 1.5) => ScriptedClient.json({ usdPrice })
const updated = ScriptedClient.json({ id: "stream-1", status: "paused" })
const failed = (status: number, retryAfter?: string, body = "") =>
  ScriptedClient.respond(status, body, retryAfter === undefined ? {} : { "retry-after": retryAfter })

/** Replies to request n with price n. */
const counting = (_: ScriptedClient.RecordedRequest, number: number) => ok(number)

type Step = Action<"only">

const scenario = (
  policies: TestClients.HarnessOptions,
  script: ScriptedClient.Script,
  actions: ReadonlyArray<Step>,
  until = 0
) =>
  timeline({
    clients: { only: { ...minimalOptions, apiKey: keysOf("A"), ...policies } },
    script,
    actions,
    until
  })

const recorded = (name: string, scenarios: Readonly<Record<string, ReturnType<typeof scenario>>>) =>
  it.effect(name, () =>
    Effect.gen(function*() {
      const lines: Record<string, unknown> = {}
      for (const [title, timeline] of Object.entries(scenarios)) {
        // Each scenario has its own clock
        lines[title] = yield* Effect.provide(timeline, TestContext.TestContext)
      }
      yield* Effect.promise(() => record(name, lines))
    }))

const retry = { retry: RetryPolicy.standard, timeouts: Timeouts.standard }
const once = at(0)
const updateOnce: ReadonlyArray<Step> = [{ at: 0, call: "update", run: update }]

describe("timelines", () => {
  recorded("timeline.retry", {
    "500, 502, 504, then 200": scenario(retry, [failed(500), failed(502), failed(504), ok()], once),
    "503 four times": scenario(retry, [failed(503), failed(503), failed(503), failed(503)], once),
    "503 with Retry-After in seconds": scenario(retry, [failed(503, "7"), ok()], once),
    "429 without Retry-After, then with it": scenario(retry, [failed(429), failed(429, "3"), ok()], once),
    "Retry-After is a fraction, zero, and a number with spaces": scenario(
      retry,
      [failed(503, "1.5"), failed(503, "0"), failed(503, " 2 "), ok()],
      once
    ),
    "Retry-After is a date": scenario(retry, [failed(503, "Thu, 01 Jan 1970 00:00:12 GMT"), ok()], once),
    "Retry-After is a date in the past": scenario(
      retry,
      [failed(503, "Wed, 31 Dec 1969 23:59:00 GMT"), ok()],
      once
    ),
    "Retry-After is invalid": scenario(retry, [failed(503, "soon"), failed(503, "-5"), ok()], once),
    "Retry-After is beyond the deadline": scenario(retry, [failed(503, "120")], once),
    "429 with a Retry-After beyond the deadline": scenario(retry, [failed(429, "120")], once),
    "connection reset, refused, then 200": scenario(
      retry,
      [
        ScriptedClient.Disconnect({ code: "ECONNRESET" }),
        ScriptedClient.Disconnect({ code: "ECONNREFUSED" }),
        ok()
      ],
      once
    ),
    "a truncated body, then 200": scenario(
      retry,
      [ScriptedClient.respond(200, "{\"usdPrice\":"), ok()],
      once
    ),
    "no response to any attempt": scenario(retry, () => ScriptedClient.Hang(), once),
    "one attempt without a response, then 200": scenario(retry, [ScriptedClient.Hang(), ok()], once),
    "408, then 200": scenario(retry, [failed(408), ok()], once),
    "400 is not retried": scenario(retry, [failed(400)], once),
    "501 is not retried": scenario(retry, [failed(501)], once),
    "a redirect is not retried": scenario(retry, [failed(302)], once),
    "one attempt by policy": scenario({ ...retry, retry: RetryPolicy.none }, [failed(500)], once),
    "slow responses and the call timeout": scenario(
      { ...retry, timeouts: { attempt: "10 seconds", call: "12 seconds" } },
      () => ScriptedClient.delayed("8 seconds", failed(500)),
      once
    ),
    "the retry budget is exhausted, and refilled by successes": scenario(
      { ...retry, retry: { ...RetryPolicy.standard, budget: { capacity: 2, refill: 0.5 } } },
      ({ at }) => at >= 10_000 && at < 20_000 ? ok() : failed(500),
      at(0, 0, 5000, 10_000, 11_000, 20_000)
    ),
    "an update: 500 is not retried": scenario(retry, [failed(500)], updateOnce),
    "an update: 503 without Retry-After is not retried": scenario(retry, [failed(503)], updateOnce),
    "an update: 503 with Retry-After is retried": scenario(retry, [failed(503, "2"), updated], updateOnce),
    "an update: 429 is retried": scenario(retry, [failed(429), updated], updateOnce),
    "an update: a refused connection is retried": scenario(
      retry,
      [ScriptedClient.Disconnect({ code: "ECONNREFUSED" }), updated],
      updateOnce
    ),
    "an update: a reset connection is not retried": scenario(
      retry,
      [ScriptedClient.Disconnect({ code: "ECONNRESET" })],
      updateOnce
    ),
    "an update: no response is not retried": scenario(retry, [ScriptedClient.Hang()], updateOnce),
    "a call is interrupted during its backoff": scenario(retry, [failed(503, "10")], [
      ...once,
      { at: 4000, call: "price 1" }
    ], 20_000)
  })

  const three = { apiKey: keysOf("A", "B", "C") }
  const byKey =
    (replies: Readonly<Record<string, ScriptedClient.ScriptedReply>>) =>
    ({ headers }: ScriptedClient.RecordedRequest) =>
      Object.entries(replies).find(([label]) => headers["x-api-key"] === secretOf(label))?.[1] ?? ok()
  const exhausted = ScriptedClient.json({ message: "Your plan: usage consumed" }, 401)
  const spread = at(0, 100, 200, 300, 1500, 5000)

  recorded("timeline.keys", {
    "keys are used in turn": scenario(three, counting, at(0, 0, 0, 0, 0)),
    "a key is rejected with 401": scenario(three, byKey({ A: failed(401) }), spread),
    "a key is rejected with 403": scenario(three, byKey({ B: failed(403) }), spread),
    "a plan is exhausted: 402": scenario(three, byKey({ A: failed(402) }), spread),
    "a plan is exhausted: message of a 401": scenario(three, byKey({ A: exhausted }), spread),
    "a key is throttled": scenario(three, byKey({ A: failed(429) }), spread),
    "a key is throttled with Retry-After": scenario(three, byKey({ A: failed(429, "30") }), [
      ...spread,
      { at: 40_000, call: "last", run: priceOf(9) }
    ]),
    "all keys are rejected": scenario(three, () => failed(401), at(0, 2000)),
    "all plans are exhausted": scenario(three, () => failed(402), at(0, 2000)),
    "all keys are throttled": scenario(three, () => failed(429, "20"), at(0, 2000)),
    "all keys are throttled for different times, with retries": scenario(
      { ...three, ...retry },
      byKey({ A: failed(429, "9"), B: failed(429, "5"), C: failed(429, "7") }),
      once
    ),
    "rejected, exhausted and throttled": scenario(
      three,
      byKey({ A: failed(401), B: failed(402), C: failed(429, "4") }),
      at(0, 1000, 6000)
    ),
    "an update fails over to another key": scenario(
      three,
      ({ headers }) => headers["x-api-key"] === secretOf("A") ? failed(401) : updated,
      updateOnce
    ),
    "a 500 causes no failover": scenario(three, () => failed(500), at(0, 100)),
    "a single key is rejected": scenario({}, () => failed(401), at(0, 100)),
    "daily quotas of two keys": scenario(
      {
        apiKey: keysOf("A", "B").map((key, index) => ({
          ...key,
          rateLimit: { ...RateLimit.none, cost: 1, dailyQuota: index + 1 }
        }))
      },
      counting,
      at(0, 1, 2, 3, 86_399_999, 86_400_000)
    ),
    "the same key under two labels": scenario(
      {
        apiKey: [
          { label: "first", key: Redacted.make(secretOf("A")) },
          { label: "second", key: Redacted.make(secretOf("A")) }
        ]
      },
      () => failed(401),
      once
    )
  })

  const limited = (options: Partial<RateLimit.RateLimit>) => ({
    rateLimit: RateLimit.make({ limit: 2, window: "1 second", cost: 1, ...options })
  })

  recorded("timeline.rateLimit", {
    "a burst, then delays": scenario(limited({}), counting, at(0, 0, 0, 0, 0, 3000)),
    "costs of the operations": scenario(
      { rateLimit: RateLimit.make({ limit: 6, window: "1 second" }) },
      ({ url }) =>
        url.pathname.endsWith("/price")
          ? ok()
          : ScriptedClient.json({ token_address: addressOf(1), token_id: "9" }),
      [...at(0, 0, 0), { at: 0, call: "metadata", run: metadata }]
    ),
    "a cost for one operation": scenario(limited({ cost: { tokenPrice: 2 } }), counting, at(0, 0, 0)),
    "maxWait": scenario(limited({ maxWait: "1 second" }), counting, at(0, 0, 0, 0, 0, 0)),
    "maxWait of 0": scenario(limited({ maxWait: 0 }), counting, at(0, 0, 0, 500)),
    "the queue is full": scenario(limited({ maxQueue: 1 }), counting, at(0, 0, 0, 0, 0)),
    "the call timeout limits the wait": scenario(
      {
        ...limited({ limit: 1, window: "10 seconds" }),
        timeouts: { attempt: "5 seconds", call: "15 seconds" }
      },
      counting,
      at(0, 0, 0)
    ),
    "a call leaves the queue": scenario(limited({ limit: 1 }), counting, [
      ...at(0, 0, 0),
      { at: 500, call: "price 2" }
    ]),
    "a 429 delays every call of the key": scenario(
      { ...limited({ limit: 100 }), ...retry },
      ({ at }) => at < 3000 ? failed(429, "3") : ok(),
      at(0, 500, 1000)
    ),
    "429s without Retry-After": scenario(
      {},
      ({ at }) => at < 6000 ? failed(429) : ok(),
      at(0, 1000, 3000, 7000)
    ),
    "the wait for a cooldown is longer than maxWait": scenario(
      limited({ maxWait: "1 second" }),
      ({ at }) => at < 3000 ? failed(429, "3") : ok(),
      at(0, 500, 2500)
    ),
    "a daily quota": scenario(
      { rateLimit: { ...RateLimit.none, cost: 1, dailyQuota: 2 } },
      counting,
      at(0, 1000, 2000, 86_399_999, 86_400_000)
    ),
    "a daily quota with retries": scenario(
      { ...retry, rateLimit: { ...RateLimit.none, cost: 1, dailyQuota: 2 } },
      () => failed(500),
      once
    ),
    "concurrency: two in flight, one may wait": scenario(
      { concurrency: { limit: 2, maxQueue: 1 } },
      (_, number) => ScriptedClient.delayed("1 second", ok(number)),
      at(0, 0, 0, 0, 1500)
    ),
    "concurrency: the call timeout limits the wait": scenario(
      { concurrency: { limit: 1, maxQueue: 5 }, timeouts: { attempt: "5 seconds", call: "2 seconds" } },
      () => ScriptedClient.delayed("1900 millis", ok()),
      at(0, 0)
    )
  })

  const breaking = {
    breaker: { ...CircuitBreaker.standard, minimum: 3, maxOpenDuration: "15 seconds" as const }
  }
  const failsUntil = (end: number) => ({ at }: ScriptedClient.RecordedRequest) =>
    at < end ? failed(500) : ok()

  recorded("timeline.breaker", {
    "closed, open, half-open, closed": scenario(
      breaking,
      failsUntil(2000),
      at(0, 0, 0, 100, 4999, 5000, 5000, 5100)
    ),
    "the trial fails: open twice as long, up to maxOpenDuration": scenario(
      breaking,
      failsUntil(30_000),
      at(0, 0, 0, 5000, 5001, 15_000, 15_001, 29_999, 30_000, 30_001)
    ),
    "calls during a trial": scenario(
      breaking,
      ({ at }) => at < 1000 ? failed(500) : ScriptedClient.delayed("1 second", ok()),
      at(0, 0, 0, 5000, 5500, 6500)
    ),
    "a trial that is interrupted": scenario(
      breaking,
      ({ at }) => at < 1000 ? failed(500) : at < 6000 ? ScriptedClient.Hang() : ok(),
      [...at(0, 0, 0, 5000), { at: 5500, call: "price 4" }, { at: 6000, call: "next", run: priceOf(9) }]
    ),
    "one failure in three is below the threshold": scenario(
      breaking,
      (_, number) => number % 3 === 0 ? failed(500) : ok(),
      at(0, 1, 2, 3, 4, 5, 6, 7)
    ),
    "failures outside the window": scenario(
      breaking,
      failsUntil(50_000),
      at(0, 1000, 32_000, 32_001, 32_002)
    ),
    "timeouts, connection errors and incomplete bodies count": scenario(
      { ...breaking, timeouts: Timeouts.standard },
      [
        ScriptedClient.Hang(),
        ScriptedClient.Disconnect({ code: "ECONNRESET" }),
        ScriptedClient.respond(200, "<html>")
      ],
      at(0, 0, 0, 11_000)
    ),
    "400, 404 and 429 do not count": scenario(
      breaking,
      [failed(400), failed(404), failed(429), ok()],
      at(0, 0, 0, 5000)
    ),
    "retries stop when the circuit breaker opens": scenario(
      { ...breaking, ...retry },
      () => failed(500),
      at(0, 10)
    )
  })

  const caching = { cache: ResponseCache.standard }
  const slow = (_: ScriptedClient.RecordedRequest, number: number) =>
    ScriptedClient.delayed("1 second", ok(number))

  recorded("timeline.cache", {
    "hit": scenario(caching, counting, same(0, 1, 4999)),
    "stale while revalidate": scenario(caching, counting, same(0, 6000, 6001), 7000),
    "too old for stale-while-revalidate": scenario(caching, counting, same(0, 10_001)),
    "stale if error": scenario(
      caching,
      ({ at }) => at < 1000 ? ok() : failed(500),
      same(0, 6000, 20_000, 64_999, 70_001),
      80_000
    ),
    "stale if throttled, unreachable or timed out": scenario(
      { ...caching, timeouts: Timeouts.standard },
      [ok(), failed(429), ScriptedClient.Disconnect({ code: "ECONNRESET" }), ScriptedClient.Hang()],
      same(0, 12_000, 15_000, 20_000),
      40_000
    ),
    "401 is not served stale": scenario(caching, ({ at }) => at < 1000 ? ok() : failed(401), same(0, 20_000)),
    "coalesced": scenario(caching, slow, same(0, 0, 500)),
    "coalesced, and the first caller is interrupted": scenario(caching, slow, [
      ...same(0, 0),
      { at: 500, call: "same 1" }
    ]),
    "coalesced, and every caller is interrupted": scenario(caching, slow, [
      ...same(0),
      { at: 500, call: "same 1" },
      { at: 2000, call: "later", run: priceOf(1) }
    ]),
    "coalesced failures": scenario(
      caching,
      () => ScriptedClient.delayed("1 second", failed(500)),
      same(0, 0)
    ),
    "not found is cached": scenario(caching, () => failed(404), same(0, 1000, 5001)),
    "not found of an NFT is not cached": scenario(caching, () => ScriptedClient.json(null), [
      { at: 0, call: "first", run: metadata },
      { at: 1000, call: "second", run: metadata }
    ]),
    "an error is not cached": scenario(
      caching,
      (_, number) => number === 1 ? failed(400) : ok(),
      same(0, 1000)
    ),
    "an update is not cached": scenario(caching, () => updated, [
      { at: 0, call: "first", run: update },
      { at: 1000, call: "second", run: update }
    ]),
    "no cache": scenario({}, counting, same(0, 1))
  })
})
