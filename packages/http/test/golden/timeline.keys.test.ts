/** Which API key is used, cooldowns, failover, the limits of each key, keys that are read again, and those of tenants. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import { immediateRetries } from "../support/TestClients.ts"
import { keysOf, labelOf, secretOf } from "../support/TestEngine.ts"
import {
  at,
  counting,
  failed,
  inTurn,
  metadata,
  ok,
  once,
  price,
  recorded,
  retry,
  scenario,
  slow,
  update,
  updated
} from "./support/scenario.ts"

const two = { apiKey: keysOf("A", "B") }
const three = { apiKey: keysOf("A", "B", "C") }
const byKey =
  (replies: Readonly<Record<string, ScriptedClient.ScriptedReply>>) =>
  (request: ScriptedClient.RecordedRequest) => replies[labelOf(request)] ?? ok()
const late = (reply: ScriptedClient.ScriptedReply) => ScriptedClient.delayed("100 millis", reply)
const spread = at(0, 100, 200, 300, 1500, 5000)

recorded("timeline.keys", {
  "keys are used in turn": scenario(three, counting, at(0, 0, 0, 0, 0)),
  "a key is rejected with 401": scenario(three, byKey({ A: failed(401) }), spread),
  "a key is throttled": scenario(three, byKey({ A: failed(429) }), spread),
  "a key is throttled for an hour: its cooldown is a minute": scenario(
    two,
    byKey({ A: failed(429, "3600") }),
    at(0, 59_999, 59_999, 60_000, 60_000)
  ),
  "the cooldown of a rejected key doubles, and is 1 s again after a success": scenario(
    two,
    (request) => labelOf(request) === "A" && request.at !== 3000 ? failed(401) : ok(),
    at(0, 999, 1000, 2999, 3000, 3001, 3002, 4002)
  ),
  "concurrent rejections of a key start one cooldown": scenario(
    two,
    (request) => ScriptedClient.delayed("100 millis", labelOf(request) === "A" ? failed(401) : ok()),
    at(0, 0, 0, 0, 1099, 1100, 1100)
  ),
  "a later 429 extends the cooldown of its key": scenario(
    two,
    inTurn(late(failed(429, "1")), ok(), ScriptedClient.delayed("200 millis", failed(429, "5"))),
    at(0, 0, 0, 2000, 2000)
  ),
  "a response to a request from before a cooldown does not end it": scenario(
    two,
    (request, number) =>
      number === 3
        ? ScriptedClient.delayed("200 millis", ok())
        : labelOf(request) === "A"
        ? late(failed(401))
        : ok(),
    at(0, 0, 0, 1200, 1200, 2400, 2400)
  ),
  "all keys are rejected": scenario(three, () => failed(401), at(0, 2000)),
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
    (request) => labelOf(request) === "A" ? failed(401) : updated,
    [update(0)]
  ),
  "a 500 causes no failover": scenario(three, () => failed(500), at(0, 100)),
  "a 404 causes no failover": scenario(three, () => failed(404), once),
  "a single key is rejected": scenario({}, () => failed(401), at(0, 100)),
  "daily quotas of two keys": scenario(
    {
      apiKey: keysOf("A", "B").map((key, index) => ({
        ...key,
        rateLimit: { ...RateLimit.none, cost: 1, price: 1, dailyQuota: index + 1 }
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

/** A rate limit of one request per 10 s. */
const limit = (options: Partial<RateLimit.RateLimit> = {}) =>
  RateLimit.make({ limit: 1, window: "10 seconds", cost: 1, maxWait: "1 day", ...options })
const daily = (dailyQuota: number) => ({ ...RateLimit.none, cost: 1, price: 1, dailyQuota })
const limits = (a: RateLimit.RateLimit | undefined, b: RateLimit.RateLimit) => ({
  apiKey: keysOf("A", "B").map((key, index) => ({ ...key, rateLimit: index === 0 ? a : b }))
})

recorded("timeline.limitsOfKeys", {
  "the rate limit of the API is the default": scenario(
    { ...limits(undefined, limit({ burst: 3 })), rateLimit: limit({ burst: 2 }) },
    counting,
    at(0, 0, 0, 0, 0)
  ),
  "no call waits while another key is available": scenario(
    limits(limit(), RateLimit.none),
    counting,
    at(0, 0, 0, 0)
  ),
  "calls wait in the shortest queue": scenario(
    limits(limit(), limit({ limit: 3 })),
    counting,
    at(0, 0, 0, 0, 0, 0, 0, 0)
  ),
  "a call is rejected only if the wait is too long for every key": scenario(
    limits(limit({ maxWait: 0 }), limit({ limit: 0.5, maxWait: "25 seconds" })),
    counting,
    at(0, 0, 0, 0)
  ),
  "each key that an attempt uses is charged": scenario(
    { ...two, rateLimit: limit({ burst: 2 }) },
    byKey({ A: failed(429, "1") }),
    at(0, 0, 0)
  ),
  "a key whose daily quota is exhausted does not prevent waiting for another": scenario(
    limits(daily(1), limit()),
    counting,
    at(0, 0, 0, 0)
  ),
  "a call whose daily quota is exhausted leaves the trial to another": scenario(
    { rateLimit: { ...daily(5), price: { tokenPrice: 3, nftMetadata: 1 } } },
    inTurn(failed(429, "1"), failed(404)),
    [...at(0, 1000), metadata(1000, "metadata")]
  )
})

/** An API key that is read by the time in milliseconds. Reads after the first ones take a second. */
const read = (label: (now: number) => string | null) => ({
  apiKey: Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const key = label(now)
    return key === null
      ? Effect.never
      : Effect.delay(Effect.succeed(Redacted.make(secretOf(key))), now === 0 ? 0 : "1 second")
  })
})
/** A key for each read. Each of the four APIs has read its own before the first call. */
const numberedReads = () => {
  let reads = 0
  return read(() => `read ${reads++}`)
}

recorded("timeline.keysThatAreRead", {
  "a key is read again after 5 min, while calls go on with the last one": scenario(
    read((now) => `read at ${now}`),
    counting,
    at(299_999, 300_000, 300_000, 300_001, 301_000, 599_999, 601_000, 602_001)
  ),
  "a key is read once for all calls that are rejected, and each is repeated once": scenario(
    numberedReads(),
    (request) =>
      labelOf(request) === "read 0"
        ? failed(401)
        : labelOf(request) === "read 4" && request.at > 3000
        ? failed(403)
        : ok(),
    at(1, 1, 1, 1001, 3002, 3002)
  ),
  "a key that stays rejected is read again after 5 s, and for a 401 also after a 403": scenario(
    read((now) => now < 20_000 ? "A" : "B"),
    (request) => labelOf(request) === "B" ? ok() : failed(request.at < 5000 ? 403 : 401),
    at(1, 3000, 5000, 10_999, 11_000, 25_000)
  ),
  "a key is read anew if the read in progress began before the rejection": scenario(
    read((now) => now < 301_000 ? "A" : "B"),
    (request) => labelOf(request) === "A" && request.at > 300_000 ? failed(401) : ok(),
    at(300_000, 300_001)
  ),
  "a read that hangs does not delay a rejected call beyond its timeout": scenario(
    { ...read((now) => now === 0 ? "A" : null), timeouts: { call: "2 seconds" } },
    () => failed(401),
    at(1)
  )
})

/** Calls at times, each with the API key of a tenant. */
const as = (tenant: string, ...calls: ReadonlyArray<readonly [moment: number, token: number]>) =>
  calls.map(([moment, token]) =>
    price(moment, token, {
      call: `price ${token} of ${tenant} at ${moment}`,
      options: { apiKey: Redacted.make(secretOf(tenant)) }
    })
  )

recorded("timeline.tenants", {
  "tenants share no key, coalesced request and cached response, with each other and with the layer": scenario(
    { cache: ResponseCache.standard },
    slow,
    [
      ...as("a", [0, 1], [1, 1]),
      ...as("b", [2, 1], [3, 1]),
      price(4, 1),
      ...as("b", [2000, 1]),
      ...as("a", [2001, 1])
    ]
  ),
  "tenants share no rate limit, daily quota and concurrency slot": scenario(
    {
      rateLimit: RateLimit.make({ limit: 2, window: "1 hour", cost: 1, price: 1, maxWait: 0, dailyQuota: 3 }),
      concurrency: { limit: 1 }
    },
    slow,
    [
      ...as("a", [0, 1], [1, 2]),
      ...as("b", [2, 3]),
      ...as("a", [2000, 4], [4000, 5]),
      ...as("b", [4001, 6]),
      ...as("a", [3_600_000, 7], [7_200_000, 8]),
      ...as("b", [7_200_001, 9])
    ]
  ),
  "tenants share no cooldown": scenario(limits(limit(), limit()), byKey({ a: failed(429, "60") }), [
    ...as("a", [0, 1]),
    ...as("b", [1, 2]),
    ...as("a", [2, 3])
  ]),
  "tenants share no circuit breaker and retry budget": scenario(
    {
      breaker: { minimum: 3, threshold: 0.5 },
      retry: { ...immediateRetries(4), budget: { capacity: 2, refill: 0 } }
    },
    (request, number) => labelOf(request) === "a" || number === 5 ? failed(500) : ok(),
    [...as("a", [0, 1], [1, 2]), ...as("b", [2, 3], [3, 4])]
  )
})
