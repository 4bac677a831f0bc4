/** Retries, key failover, rate limits, circuit breaker and cache over virtual time. */
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as Timeouts from "@blockquarry/http/Timeouts"
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestContext from "effect/TestContext"
import { addressOf, fetchPrice, minimalOptions } from "../support/PriceCalls.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import type * as TestClients from "../support/TestClients.ts"
import { keysOf, secretOf } from "../support/TestEngine.ts"
import { record } from "./support/record.ts"
import { type Action, timeline } from "./support/timeline.ts"

type Only = Readonly<Record<"only", TestClients.Clients>>

/** The price of token `number`. */
const priceOf = (number: number) => ({ only }: Only) =>
  Effect.map(fetchPrice(only, number), ({ usdPrice }) => usdPrice)

const update = ({ only }: Only) =>
  Effect.map(only.streams.updateStreamStatus({ id: "stream-1", status: "paused" }), ({ status }) => status)

const metadata = ({ only }: Only) =>
  Effect.map(only.data.nftMetadata({ address: addressOf(1), token_id: "9" }), ({ token_id }) => token_id)

/** A call for each moment, all of different tokens. */
const at = (...moments: ReadonlyArray<number>) =>
  moments.map((moment, index) => ({ at: moment, call: `price ${index + 1}`, run: priceOf(index + 1) }))

/** Calls for the same token. */
const same = (...moments: ReadonlyArray<number>) =>
  moments.map((moment, index) => ({ at: moment, call: `same ${index + 1}`, run: priceOf(1) }))

const ok = (usdPrice = 1.5) => ScriptedClient.json({ usdPrice })
const updated = ScriptedClient.json({ id: "stream-1", status: "paused" })
const bad = (status: number, retryAfter?: string, body = "") =>
  ScriptedClient.respond(status, body, retryAfter === undefined ? {} : { "retry-after": retryAfter })

/** Price n is the answer to request n. */
const counting = (_: ScriptedClient.RecordedRequest, number: number) => ok(number)

type Step = Action<"only">

const play = (
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

const recorded = (name: string, scenarios: Readonly<Record<string, ReturnType<typeof play>>>) =>
  it.effect(name, () =>
    Effect.gen(function*() {
      const lines: Record<string, unknown> = {}
      for (const [title, scenario] of Object.entries(scenarios)) {
        // Each scenario has a clock of its own
        lines[title] = yield* Effect.provide(scenario, TestContext.TestContext)
      }
      yield* Effect.promise(() => record(name, lines))
    }))

const retry = { retry: RetryPolicy.standard, timeouts: Timeouts.standard }
const once = at(0)
const updateOnce: ReadonlyArray<Step> = [{ at: 0, call: "update", run: update }]

describe("timelines", () => {
  recorded("timeline.retry", {
    "500, 502, 504, then 200": play(retry, [bad(500), bad(502), bad(504), ok()], once),
    "503 four times": play(retry, [bad(503), bad(503), bad(503), bad(503)], once),
    "503 with Retry-After in seconds": play(retry, [bad(503, "7"), ok()], once),
    "429 without Retry-After, then with it": play(retry, [bad(429), bad(429, "3"), ok()], once),
    "Retry-After is a fraction, zero, and a number with spaces": play(
      retry,
      [bad(503, "1.5"), bad(503, "0"), bad(503, " 2 "), ok()],
      once
    ),
    "Retry-After is a date": play(retry, [bad(503, "Thu, 01 Jan 1970 00:00:12 GMT"), ok()], once),
    "Retry-After is a date in the past": play(retry, [bad(503, "Wed, 31 Dec 1969 23:59:00 GMT"), ok()], once),
    "Retry-After is garbage": play(retry, [bad(503, "soon"), bad(503, "-5"), ok()], once),
    "Retry-After is longer than the call has": play(retry, [bad(503, "120")], once),
    "429 with a Retry-After longer than the call has": play(retry, [bad(429, "120")], once),
    "connection reset, refused, then 200": play(
      retry,
      [
        ScriptedClient.Disconnect({ code: "ECONNRESET" }),
        ScriptedClient.Disconnect({ code: "ECONNREFUSED" }),
        ok()
      ],
      once
    ),
    "a body that is cut off, then 200": play(
      retry,
      [ScriptedClient.respond(200, "{\"usdPrice\":"), ok()],
      once
    ),
    "no answer to any attempt": play(retry, () => ScriptedClient.Hang(), once),
    "one attempt without an answer, then 200": play(retry, [ScriptedClient.Hang(), ok()], once),
    "408, then 200": play(retry, [bad(408), ok()], once),
    "400 is not repeated": play(retry, [bad(400)], once),
    "501 is not repeated": play(retry, [bad(501)], once),
    "a redirect is not repeated": play(retry, [bad(302)], once),
    "one attempt by policy": play({ ...retry, retry: RetryPolicy.none }, [bad(500)], once),
    "slow answers and the limit of the call": play(
      { ...retry, timeouts: { attempt: "10 seconds", call: "12 seconds" } },
      () => ScriptedClient.delayed("8 seconds", bad(500)),
      once
    ),
    "the budget is exhausted, and refilled by successes": play(
      { ...retry, retry: { ...RetryPolicy.standard, budget: { capacity: 2, refill: 0.5 } } },
      ({ at }) => at >= 10_000 && at < 20_000 ? ok() : bad(500),
      at(0, 0, 5000, 10_000, 11_000, 20_000)
    ),
    "an update: 500 is not repeated": play(retry, [bad(500)], updateOnce),
    "an update: 503 without Retry-After is not repeated": play(retry, [bad(503)], updateOnce),
    "an update: 503 with Retry-After is repeated": play(retry, [bad(503, "2"), updated], updateOnce),
    "an update: 429 is repeated": play(retry, [bad(429), updated], updateOnce),
    "an update: a refused connection is repeated": play(
      retry,
      [ScriptedClient.Disconnect({ code: "ECONNREFUSED" }), updated],
      updateOnce
    ),
    "an update: a reset connection is not repeated": play(
      retry,
      [ScriptedClient.Disconnect({ code: "ECONNRESET" })],
      updateOnce
    ),
    "an update: no answer is not repeated": play(retry, [ScriptedClient.Hang()], updateOnce),
    "a call that is interrupted while it waits": play(retry, [bad(503, "10")], [
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
    "keys take turns": play(three, counting, at(0, 0, 0, 0, 0)),
    "a key is rejected with 401": play(three, byKey({ A: bad(401) }), spread),
    "a key is rejected with 403": play(three, byKey({ B: bad(403) }), spread),
    "a plan is used up by 402": play(three, byKey({ A: bad(402) }), spread),
    "a plan is used up by the message of a 401": play(three, byKey({ A: exhausted }), spread),
    "a key is throttled": play(three, byKey({ A: bad(429) }), spread),
    "a key is throttled with Retry-After": play(three, byKey({ A: bad(429, "30") }), [
      ...spread,
      { at: 40_000, call: "late", run: priceOf(9) }
    ]),
    "all keys are rejected": play(three, () => bad(401), at(0, 2000)),
    "all plans are used up": play(three, () => bad(402), at(0, 2000)),
    "all keys are throttled": play(three, () => bad(429, "20"), at(0, 2000)),
    "all keys are throttled for different times, with retries": play(
      { ...three, ...retry },
      byKey({ A: bad(429, "9"), B: bad(429, "5"), C: bad(429, "7") }),
      once
    ),
    "rejected, used up and throttled": play(
      three,
      byKey({ A: bad(401), B: bad(402), C: bad(429, "4") }),
      at(0, 1000, 6000)
    ),
    "an update goes on with another key": play(
      three,
      ({ headers }) => headers["x-api-key"] === secretOf("A") ? bad(401) : updated,
      updateOnce
    ),
    "a 500 is not a matter of keys": play(three, () => bad(500), at(0, 100)),
    "one key alone is rejected": play({}, () => bad(401), at(0, 100)),
    "daily quotas of two keys": play(
      {
        apiKey: keysOf("A", "B").map((one, index) => ({
          ...one,
          rateLimit: { ...RateLimit.none, cost: 1, dailyQuota: index + 1 }
        }))
      },
      counting,
      at(0, 1, 2, 3, 86_399_999, 86_400_000)
    ),
    "the same key under two labels": play(
      {
        apiKey: [
          { label: "first", key: Redacted.make(secretOf("A")) },
          { label: "second", key: Redacted.make(secretOf("A")) }
        ]
      },
      () => bad(401),
      once
    )
  })

  const limited = (options: Partial<RateLimit.RateLimit>) => ({
    rateLimit: RateLimit.make({ limit: 2, window: "1 second", cost: 1, ...options })
  })

  recorded("timeline.rateLimit", {
    "a burst, then waits": play(limited({}), counting, at(0, 0, 0, 0, 0, 3000)),
    "costs of the operations": play(
      { rateLimit: RateLimit.make({ limit: 6, window: "1 second" }) },
      ({ url }) =>
        url.pathname.endsWith("/price")
          ? ok()
          : ScriptedClient.json({ token_address: addressOf(1), token_id: "9" }),
      [...at(0, 0, 0), { at: 0, call: "metadata", run: metadata }]
    ),
    "a cost for one operation": play(limited({ cost: { tokenPrice: 2 } }), counting, at(0, 0, 0)),
    "maxWait": play(limited({ maxWait: "1 second" }), counting, at(0, 0, 0, 0, 0, 0)),
    "maxWait of nothing": play(limited({ maxWait: 0 }), counting, at(0, 0, 0, 500)),
    "the queue is full": play(limited({ maxQueue: 1 }), counting, at(0, 0, 0, 0, 0)),
    "the limit of the call bounds the wait": play(
      {
        ...limited({ limit: 1, window: "10 seconds" }),
        timeouts: { attempt: "5 seconds", call: "15 seconds" }
      },
      counting,
      at(0, 0, 0)
    ),
    "a call leaves the queue": play(limited({ limit: 1 }), counting, [
      ...at(0, 0, 0),
      { at: 500, call: "price 2" }
    ]),
    "a 429 delays every call of the key": play(
      { ...limited({ limit: 100 }), ...retry },
      ({ at }) => at < 3000 ? bad(429, "3") : ok(),
      at(0, 500, 1000)
    ),
    "429s without Retry-After": play(
      {},
      ({ at }) => at < 6000 ? bad(429) : ok(),
      at(0, 1000, 3000, 7000)
    ),
    "the wait for a pause is longer than maxWait": play(
      limited({ maxWait: "1 second" }),
      ({ at }) => at < 3000 ? bad(429, "3") : ok(),
      at(0, 500, 2500)
    ),
    "a daily quota": play(
      { rateLimit: { ...RateLimit.none, cost: 1, dailyQuota: 2 } },
      counting,
      at(0, 1000, 2000, 86_399_999, 86_400_000)
    ),
    "a daily quota with retries": play(
      { ...retry, rateLimit: { ...RateLimit.none, cost: 1, dailyQuota: 2 } },
      () => bad(500),
      once
    ),
    "concurrency: two at once, one may wait": play(
      { concurrency: { limit: 2, maxQueue: 1 } },
      (_, number) => ScriptedClient.delayed("1 second", ok(number)),
      at(0, 0, 0, 0, 1500)
    ),
    "concurrency: the limit of the call bounds the wait": play(
      { concurrency: { limit: 1, maxQueue: 5 }, timeouts: { attempt: "5 seconds", call: "2 seconds" } },
      () => ScriptedClient.delayed("1900 millis", ok()),
      at(0, 0)
    )
  })

  const breaking = {
    breaker: { ...CircuitBreaker.standard, minimum: 3, maxOpenDuration: "15 seconds" as const }
  }
  const failsUntil = (end: number) => ({ at }: ScriptedClient.RecordedRequest) => at < end ? bad(500) : ok()

  recorded("timeline.breaker", {
    "closed, open, half-open, closed": play(
      breaking,
      failsUntil(2000),
      at(0, 0, 0, 100, 4999, 5000, 5000, 5100)
    ),
    "the probe fails: open for twice as long, up to the longest": play(
      breaking,
      failsUntil(30_000),
      at(0, 0, 0, 5000, 5001, 15_000, 15_001, 29_999, 30_000, 30_001)
    ),
    "calls during a probe": play(
      breaking,
      ({ at }) => at < 1000 ? bad(500) : ScriptedClient.delayed("1 second", ok()),
      at(0, 0, 0, 5000, 5500, 6500)
    ),
    "a probe that is interrupted": play(
      breaking,
      ({ at }) => at < 1000 ? bad(500) : at < 6000 ? ScriptedClient.Hang() : ok(),
      [...at(0, 0, 0, 5000), { at: 5500, call: "price 4" }, { at: 6000, call: "next", run: priceOf(9) }]
    ),
    "a failure in three is not enough": play(
      breaking,
      (_, number) => number % 3 === 0 ? bad(500) : ok(),
      at(0, 1, 2, 3, 4, 5, 6, 7)
    ),
    "failures that are too long ago": play(breaking, failsUntil(50_000), at(0, 1000, 32_000, 32_001, 32_002)),
    "time-outs, connections and malformed bodies count": play(
      { ...breaking, timeouts: Timeouts.standard },
      [
        ScriptedClient.Hang(),
        ScriptedClient.Disconnect({ code: "ECONNRESET" }),
        ScriptedClient.respond(200, "<html>")
      ],
      at(0, 0, 0, 11_000)
    ),
    "400, 404 and 429 do not count": play(breaking, [bad(400), bad(404), bad(429), ok()], at(0, 0, 0, 5000)),
    "retries stop where the breaker opens": play({ ...breaking, ...retry }, () => bad(500), at(0, 10))
  })

  const caching = { cache: ResponseCache.standard }
  const late = (_: ScriptedClient.RecordedRequest, number: number) =>
    ScriptedClient.delayed("1 second", ok(number))

  recorded("timeline.cache", {
    "hit": play(caching, counting, same(0, 1, 4999)),
    "stale while revalidate": play(caching, counting, same(0, 6000, 6001), 7000),
    "too old for stale-while-revalidate": play(caching, counting, same(0, 10_001)),
    "stale if error": play(
      caching,
      ({ at }) => at < 1000 ? ok() : bad(500),
      same(0, 6000, 20_000, 64_999, 70_001),
      80_000
    ),
    "stale if throttled, unreachable or not answered": play(
      { ...caching, timeouts: Timeouts.standard },
      [ok(), bad(429), ScriptedClient.Disconnect({ code: "ECONNRESET" }), ScriptedClient.Hang()],
      same(0, 12_000, 15_000, 20_000),
      40_000
    ),
    "401 is not served stale": play(caching, ({ at }) => at < 1000 ? ok() : bad(401), same(0, 20_000)),
    "coalesced": play(caching, late, same(0, 0, 500)),
    "coalesced, and the first caller leaves": play(caching, late, [
      ...same(0, 0),
      { at: 500, call: "same 1" }
    ]),
    "coalesced, and every caller leaves": play(caching, late, [
      ...same(0),
      { at: 500, call: "same 1" },
      { at: 2000, call: "later", run: priceOf(1) }
    ]),
    "coalesced failures": play(caching, () => ScriptedClient.delayed("1 second", bad(500)), same(0, 0)),
    "not found is cached": play(caching, () => bad(404), same(0, 1000, 5001)),
    "not found of an NFT is not cached": play(caching, () => ScriptedClient.json(null), [
      { at: 0, call: "first", run: metadata },
      { at: 1000, call: "second", run: metadata }
    ]),
    "a failure is not cached": play(caching, (_, number) => number === 1 ? bad(400) : ok(), same(0, 1000)),
    "an update is not cached": play(caching, () => updated, [
      { at: 0, call: "first", run: update },
      { at: 1000, call: "second", run: update }
    ]),
    "no cache": play({}, counting, same(0, 1))
  })
})
