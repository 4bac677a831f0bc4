/** Which responses are served from the cache, stale ones, and which calls are coalesced. */
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as Timeouts from "@blockquarry/http/Timeouts"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import * as TestClients from "../support/TestClients.ts"
import { keysOf, secretOf } from "../support/TestEngine.ts"
import {
  at,
  counting,
  everywhere,
  failed,
  interrupt,
  inTurn,
  metadata,
  ok,
  price,
  recorded,
  same,
  scenario,
  shared,
  slow,
  tooLarge,
  update,
  updated
} from "./support/scenario.ts"

const caching = { cache: ResponseCache.standard }
/** With a deadline, a request continues although no caller waits for it. */
const limited = { ...caching, timeouts: Timeouts.standard }
const mode = (cacheMode: ResponseCache.CacheMode) => ({ options: { cacheMode } })
const reload = mode("reload")
const uncached = mode("no-store")
const secret = "a+word/of \"another\" address"
const secrets = { apiKey: keysOf("A", "B"), uncacheable: [Redacted.make(secret)] }
const day = 86_400_000
const transaction = (moment: number) => ({
  at: moment,
  call: `transaction ${moment}`,
  run: ({ ledger }: TestClients.Clients) =>
    Effect.map(ledger.ledgerTransaction({ txn_hash: `0x${"12".repeat(32)}` }), ({ type }) => type)
})
const transactionOf = (type: string) => () =>
  ScriptedClient.json({ type, hash: `0x${"12".repeat(32)}`, sender: "0x1", version: "7" })
const named = (tokenName: string, status = 200, etag = "1") =>
  ScriptedClient.json({ usdPrice: 1, tokenName, message: tokenName }, status, { etag })

recorded("timeline.cache", {
  "the TTL starts with the response": scenario(caching, slow, same(0, 5999, 6000)),
  "one revalidation for all calls": scenario(
    caching,
    (_, number) => ScriptedClient.delayed(number === 1 ? 0 : 1000, ok(number)),
    same(0, 6000, 6000, 6999, 7000)
  ),
  "a failed revalidation keeps the response": scenario(
    caching,
    inTurn(ok(), failed(404)),
    same(0, 6000, 7000)
  ),
  "too old for stale-while-revalidate": scenario(caching, counting, same(0, 10_001)),
  "no stale responses": scenario(
    { cache: { ...ResponseCache.standard, staleWhileRevalidate: 0, staleIfError: 0 } },
    counting,
    same(0, 4999, 5000)
  ),
  "stale if error": scenario(
    caching,
    ({ at }) => at < 1000 ? ok() : failed(500),
    same(0, 6000, 20_000, 64_999, 70_001),
    80_000
  ),
  "stale if throttled, unreachable, timed out, incomplete or too large": scenario(
    limited,
    inTurn(
      ok(),
      failed(429),
      ScriptedClient.Disconnect({ code: "ECONNRESET" }),
      ScriptedClient.Hang(),
      failed(408),
      failed(503, "3600"),
      failed(204),
      ScriptedClient.respond(200, "{\"usdPrice\":"),
      tooLarge
    ),
    same(0, 12_000, 15_000, 20_000, 30_001, 30_002, 30_003, 30_004, 30_005)
  ),
  "stale after the retries": scenario(
    { ...caching, retry: TestClients.immediateRetries(3) },
    inTurn(ok(), failed(500), failed(500), failed(500)),
    same(0, 20_000)
  ),
  "stale while the circuit breaker is open": scenario(
    { ...caching, breaker: { ...CircuitBreaker.standard, minimum: 2 } },
    inTurn(ok(), failed(500)),
    same(0, 20_000, 20_001)
  ),
  "400, 401, 402, 403, 302, an unexpected shape and 404 are not served stale": scenario(
    { ...caching, rateLimit: RateLimit.none },
    inTurn(
      ok(),
      ...[400, 401, 402, 403, 302].map((status) => failed(status)),
      ScriptedClient.json({ usdPrice: "free" }),
      failed(404)
    ),
    same(0, ...[1, 2, 3, 4, 5, 6, 7].map((number) => 20_000 + number))
  ),
  "not found is not served stale": scenario(caching, inTurn(failed(404), failed(500)), same(0, 4999, 5000)),
  "reload": scenario(caching, counting, [
    price(0, 1),
    price(0, 1, { call: "reload", ...reload }),
    price(1, 1, { call: "after" })
  ]),
  "reload does not join a request in flight, and is not served stale": scenario(limited, slow, [
    price(0, 1, { call: "before" }),
    price(1, 1, { call: "reload", ...reload }),
    price(2, 1, { call: "after" })
  ]),
  "a failed reload": scenario(caching, inTurn(ok(), failed(500)), [
    price(0, 1),
    price(1, 1, { call: "reload", ...reload })
  ]),
  "no-store": scenario(caching, counting, [
    price(0, 1, { call: "uncached 1", ...uncached }),
    price(0, 1, { call: "uncached 2", ...uncached }),
    price(0, 1, { call: "cached" }),
    price(1, 1, { call: "uncached 3", ...uncached }),
    price(1, 1, { call: "hit" })
  ]),
  "coalesced": scenario(caching, slow, same(0, 0, 500)),
  "coalesced, and every caller is interrupted": scenario(caching, slow, [
    ...same(0),
    interrupt(500, "same 1"),
    price(2000, 1, { call: "later" })
  ]),
  "every caller of a request with a deadline is interrupted": scenario(limited, slow, [
    ...same(0),
    interrupt(500, "same 1"),
    price(2000, 1, { call: "later" })
  ]),
  "a request that waits is cancelled with its last caller": scenario(
    { ...limited, concurrency: { limit: 1, maxQueue: 9 } },
    slow,
    [...at(0, 0), interrupt(500, "price 2")],
    3000
  ),
  "coalesced failures": scenario(
    caching,
    inTurn(ScriptedClient.delayed("1 second", failed(500))),
    same(0, 0, 2000)
  ),
  "coalesced defects": scenario(
    caching,
    inTurn(ScriptedClient.Defect({ after: "1 second" })),
    same(0, 0, 2000)
  ),
  "different attempt timeouts are not coalesced": scenario(limited, slow, [
    price(0, 1, { call: "short", options: { timeouts: { attempt: 400 } } }),
    price(0, 1, { call: "long" })
  ]),
  "callers with more time retry after the deadline of others": scenario(
    { ...limited, retry: TestClients.immediateRetries(2) },
    inTurn(ScriptedClient.delayed("1 second", failed(503, "30"))),
    [
      price(0, 1, { call: "short", options: { timeouts: { call: "20 seconds" } } }),
      price(0, 1, { call: "equal", options: { timeouts: { call: "20 seconds" } } }),
      price(0, 1, { call: "long" })
    ]
  ),
  "callers with more time than the first continue with one request": scenario(
    { ...caching, timeouts: { attempt: "1 minute", call: "10 seconds" } },
    () => ScriptedClient.Hang(),
    same(0, 100, 200, 300)
  ),
  "API keys share responses, but no request in flight": shared(everywhere(caching), slow, [
    price(0, 1, { call: "first" }),
    price(0, 1, { call: "other key", via: "otherKey" }),
    price(0, 1, { call: "other base URL", via: "there" }),
    price(2000, 1, { call: "later" }),
    price(2000, 1, { call: "later, other key", via: "otherKey" })
  ]),
  "calls with the same set of API keys are coalesced": shared(
    {
      one: { ...caching, apiKey: keysOf("A", "B"), baseUrl: "https://here.test" },
      same: { ...caching, apiKey: keysOf("B", "A"), baseUrl: "https://here.test" },
      fewer: { ...caching, apiKey: keysOf("A"), baseUrl: "https://here.test" }
    },
    slow,
    ["one", "same", "fewer"].map((via) => price(0, 1, { call: via, via }))
  ),
  "clients of a gateway share a request that was sent, but not one that waits": scenario(
    { ...caching, concurrency: { limit: 1, maxQueue: 9 } },
    slow,
    [
      ...[1, 2, 3].map((token) =>
        price(0, token, { call: `a ${token}`, by: { name: "a", weight: 1, share: 1 } })
      ),
      ...[1, 3].map((token) =>
        price(0, token, { call: `b ${token}`, by: { name: "b", weight: 1, share: 1 } })
      )
    ]
  ),
  "responses with an API key or an uncacheable secret are not cached": scenario(
    { ...caching, ...secrets },
    [
      named(secretOf("A")),
      named(secretOf("B")),
      named("", 200, secretOf("B")),
      named(secret),
      named(secret, 404),
      named("harmless")
    ],
    same(0, 1, 2, 3, 4, 5, 6)
  ),
  "not found is cached for the TTL of the policy": scenario(
    { cache: { ...ResponseCache.standard, negative: { notFound: "2 minutes" } } },
    () => failed(410),
    same(0, 119_999, 120_000)
  ),
  "not found of an NFT is not cached": scenario(
    caching,
    () => ScriptedClient.json(null),
    [metadata(0, "first"), metadata(1000, "second")]
  ),
  "an immutable response is cached for 30 days": scenario(
    caching,
    transactionOf("user_transaction"),
    [0, 30 * day - 1, 30 * day].map(transaction)
  ),
  "a response that may change at any time is not cached": scenario(
    caching,
    transactionOf("pending_transaction"),
    [0, 1].map(transaction)
  ),
  "an update is not cached": scenario(caching, () => updated, [update(0, "first"), update(1000, "second")])
})
