/** What requests cost their client and the upstream key: the table of docs/proxy/clients.md, over real sockets. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { type Config, defaults } from "../../src/config/Config.ts"
import * as RequestContext from "../../src/exchange/RequestContext.ts"
import { charged } from "../../src/quota/Charging.ts"
import type { UpstreamEndpoints } from "../../src/upstream/Upstreams.ts"
import { examples, keys, openAdmin, sendRequest, start, testClient, testEndpoints } from "../support/proxy.ts"

const cost = 4

const price = `/api/v2.2/erc20/${examples.token}/price?chain=eth`
const otherPrice = `/api/v2.2/erc20/${examples.wallet}/price?chain=eth`
const list = `/all/api/v2.2/nft/${examples.collection721}?chain=eth`

const page = (cursor: string | null): string =>
  JSON.stringify({ cursor, result: [{ token_address: examples.token, token_id: "1" }] })

const headers = { "x-api-key": "token-of-shop" }

/** A response with a status, or what happens instead. `held` responds with 200 when the test releases it. */
type Reply = number | { readonly body: string } | "refused" | "reset" | "silent" | "held"

const limit = 1000

const limited = RateLimit.make({ limit, window: "1 hour", dailyQuota: limit })

interface Options {
  readonly replies?: ReadonlyArray<Reply>
  readonly cached?: boolean
  readonly upstream?: Partial<Config["upstream"]>
  readonly endpoints?: Partial<UpstreamEndpoints>
  readonly rateLimit?: RateLimit.RateLimit
}

/** Units that were charged: to the client by its rate limit and its daily quota, and to the key. */
interface Charged {
  readonly client: number
  readonly key: number
}

/** Starts a proxy whose upstream gives the replies, each to one attempt, and then 200. */
const startCharging = ({ cached = false, endpoints, rateLimit = limited, replies = [], upstream }: Options) =>
  Effect.gen(function*() {
    const script = [...replies]
    const state = { attempts: 0, now: Date.UTC(2026, 10, 21, 12) }
    const held: Array<() => void> = []
    const httpClient = HttpClient.make((request) =>
      Effect.suspend(() => {
        state.attempts += 1
        const reply = script.shift() ?? 200
        const respond = (status: number, body: string) =>
          HttpClientResponse.fromWeb(
            request,
            new Response(body, { status, headers: { "content-type": "application/json" } })
          )
        const fail = (code: string) =>
          new HttpClientError.RequestError({
            request,
            reason: "Transport",
            cause: Object.assign(new Error(code), { code })
          })
        switch (reply) {
          case "refused":
            return fail("ECONNREFUSED")
          case "reset":
            return fail("ECONNRESET")
          case "silent":
            return Effect.never
          case "held":
            return Effect.async<HttpClientResponse.HttpClientResponse>((resume) => {
              held.push(() => resume(Effect.succeed(respond(200, `{"usdPrice":1}`))))
            })
          default:
            return Effect.succeed(
              typeof reply === "number" ? respond(reply, `{"usdPrice":1}`) : respond(200, reply.body)
            )
        }
      })
    )
    const proxy = yield* start({
      httpClient,
      clock: () => state.now,
      endpoints: {
        ...testEndpoints,
        keys: keys({ label: "main", key: Redacted.make(Sandbox.apiKey), rateLimit }),
        ...endpoints
      },
      config: {
        admin: openAdmin,
        cache: { ...defaults.cache, enabled: cached },
        clients: [
          testClient("shop", "token-of-shop", {
            scopes: ["read", "write"],
            dailyQuota: limit,
            // No unit is restored while the test runs.
            rateLimit: { limit, window: 1e9 }
          })
        ],
        costs: { ...defaults.costs, tokenPrice: cost, contractNfts: cost },
        limits: { ...defaults.limits, clientShare: 1 },
        upstream: {
          ...defaults.upstream,
          maxWait: Duration.zero,
          retry: { attempts: 2, baseDelay: Duration.zero, maxDelay: Duration.zero },
          timeouts: { attempt: Duration.millis(50), call: Duration.seconds(5) },
          ...upstream
        }
      }
    })
    const charged: Effect.Effect<Charged, Error> = Effect.map(
      sendRequest(proxy.adminPort ?? 0, "/status.json"),
      ({ text }) => {
        const { clients, upstreams } = JSON.parse(text)
        const used = (quotas: ReadonlyArray<{ readonly remaining: number }>) =>
          quotas.map(({ remaining }) => limit - remaining)
        const [perHour, perDay] = used(clients[0].quotas)
        expect(perHour, "the rate limit and the daily quota count the same").toBe(perDay)
        const key = upstreams[0].keys[0]?.dailyQuota ?? { remaining: limit }
        return { client: perDay ?? 0, key: limit - key.remaining }
      }
    )
    const send = (path: string, options: Parameters<typeof sendRequest>[2] = {}) =>
      sendRequest(proxy.port, path, { ...options, headers: { ...headers, ...options.headers } })
    return {
      ...proxy,
      send,
      charged,
      /** Units in the access log. */
      logged: () =>
        proxy.lines.map((line) => JSON.parse(line)).filter(({ message }) => message === "request")
          .reduce((sum, { chargedCost }) => sum + chargedCost, 0),
      attempts: () => state.attempts,
      advance: (seconds: number) => {
        state.now += seconds * 1000
      },
      release: () => {
        for (const resume of held.splice(0)) resume()
      }
    }
  })

type Charging = Effect.Effect.Success<ReturnType<typeof startCharging>>

/** Repeats a check until it holds. */
const eventually = (holds: Effect.Effect<boolean, Error>): Effect.Effect<void, Error> =>
  Effect.repeat(holds, { until: (held) => held, times: 1000 }).pipe(Effect.asVoid)

const eventuallyTrue = (proxy: Charging, holds: () => boolean): Effect.Effect<void, Error> =>
  eventually(Effect.map(proxy.charged, holds))

/** Waits for charges that change after the client has disconnected, or in the background. */
const expectCharged = (proxy: Charging, expected: Charged): Effect.Effect<void, Error> =>
  Effect.gen(function*() {
    yield* eventually(
      Effect.map(
        proxy.charged,
        (charged) =>
          charged.client === expected.client && charged.key === expected.key &&
          proxy.logged() === expected.client
      )
    )
    expect({ ...yield* proxy.charged, logged: proxy.logged() }).toEqual({
      ...expected,
      logged: expected.client
    })
  })

interface Row extends Options {
  readonly outcome: string
  /** The requests of the row. Default: one for a price. */
  readonly act?: (proxy: Charging) => Effect.Effect<unknown, Error>
  readonly charged: Charged
}

const refuse = (code: string) => (path: string) => (proxy: Charging) =>
  Effect.map(proxy.send(path), ({ text }) => expect(JSON.parse(text).code).toBe(code))

const onlyOneSlot = {
  maxConcurrentRequests: 1,
  maxWait: Duration.seconds(5),
  timeouts: defaults.upstream.timeouts
}

/** Sends a request and disconnects when the condition holds. */
const disconnectWhen = (proxy: Charging, path: string, holds: () => boolean) =>
  Effect.gen(function*() {
    const request = yield* Effect.fork(proxy.send(path))
    yield* eventuallyTrue(proxy, holds)
    yield* Fiber.interrupt(request)
  })

const clientUnits = (proxy: Charging, units: number) =>
  eventually(Effect.map(proxy.charged, ({ client }) => client >= units))

const rows: ReadonlyArray<Row> = [
  {
    outcome: "fresh cached responses",
    cached: true,
    act: (proxy) => Effect.all([proxy.send(price), proxy.send(price), proxy.send(price)]),
    charged: { client: 3 * cost, key: cost }
  },
  {
    outcome: "a stale response while revalidating",
    cached: true,
    act: (proxy) =>
      Effect.gen(function*() {
        yield* proxy.send(price)
        proxy.advance(6)
        const stale = yield* proxy.send(price)
        expect(stale.headers["cache-status"]).toContain("detail=stale")
      }),
    charged: { client: 2 * cost, key: 2 * cost }
  },
  {
    outcome: "a stale response because the upstream failed twice",
    cached: true,
    replies: [200, 500, 500],
    act: (proxy) =>
      Effect.gen(function*() {
        yield* proxy.send(price)
        proxy.advance(20)
        const stale = yield* proxy.send(price)
        expect(stale.headers["cache-status"]).toContain("detail=stale")
      }),
    charged: { client: 2 * cost, key: 3 * cost }
  },
  {
    outcome: "three coalesced requests",
    cached: true,
    replies: ["held"],
    upstream: { timeouts: defaults.upstream.timeouts },
    act: (proxy) =>
      Effect.gen(function*() {
        const requests = yield* Effect.fork(
          Effect.all([proxy.send(price), proxy.send(price), proxy.send(price)], { concurrency: 3 })
        )
        yield* clientUnits(proxy, 3 * cost)
        proxy.release()
        const responses = yield* Fiber.join(requests)
        expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
      }),
    charged: { client: 3 * cost, key: cost }
  },
  ...[200, 400, 401, 404].map((status): Row => ({
    outcome: `a response with status ${status}`,
    replies: [status],
    charged: { client: cost, key: cost }
  })),
  { outcome: "two responses with status 500", replies: [500, 500], charged: { client: cost, key: 2 * cost } },
  { outcome: "a response with status 429", replies: [429], charged: { client: cost, key: cost } },
  {
    outcome: "an incomplete response",
    replies: [{ body: "{" }, { body: "{" }],
    charged: { client: cost, key: 2 * cost }
  },
  {
    outcome: "timeouts after sending",
    replies: ["silent", "silent"],
    charged: { client: cost, key: 2 * cost }
  },
  {
    outcome: "broken connections after sending",
    replies: ["reset", "reset"],
    charged: { client: cost, key: 2 * cost }
  },
  {
    outcome: "a broken connection after sending, then no connection",
    replies: ["reset", "refused"],
    charged: { client: cost, key: cost }
  },
  { outcome: "no connection", replies: ["refused", "refused"], charged: { client: 0, key: 0 } },
  ...[true, false].flatMap((cached): ReadonlyArray<Row> => [
    {
      outcome: `a client that disconnects before sending, ${cached ? "with" : "without"} a cache`,
      cached,
      replies: ["held"],
      upstream: onlyOneSlot,
      act: (proxy) =>
        Effect.gen(function*() {
          const first = yield* Effect.fork(proxy.send(price))
          yield* eventuallyTrue(proxy, () => proxy.attempts() === 1)
          const second = yield* Effect.fork(proxy.send(otherPrice))
          yield* clientUnits(proxy, 2 * cost)
          yield* Fiber.interrupt(second)
          yield* eventually(Effect.map(proxy.charged, ({ client }) => client === cost))
          proxy.release()
          yield* Fiber.join(first)
          expect(proxy.attempts()).toBe(1)
        }),
      charged: { client: cost, key: cost }
    },
    {
      outcome: `a client that disconnects after sending, ${cached ? "with" : "without"} a cache`,
      cached,
      replies: ["held"],
      upstream: { timeouts: defaults.upstream.timeouts },
      act: (proxy) =>
        Effect.zipRight(
          disconnectWhen(proxy, price, () => proxy.attempts() === 1),
          Effect.sync(() => proxy.release())
        ),
      charged: { client: cost, key: cost }
    }
  ]),
  {
    outcome: "a coalesced client that disconnects after sending",
    cached: true,
    replies: ["held"],
    upstream: { timeouts: defaults.upstream.timeouts },
    act: (proxy) =>
      Effect.gen(function*() {
        const first = yield* Effect.fork(proxy.send(price))
        yield* eventuallyTrue(proxy, () => proxy.attempts() === 1)
        const second = yield* Effect.fork(proxy.send(price))
        yield* clientUnits(proxy, 2 * cost)
        yield* Fiber.interrupt(second)
        proxy.release()
        yield* Fiber.join(first)
      }),
    charged: { client: 2 * cost, key: cost }
  },
  {
    outcome: "an open circuit",
    replies: [500],
    upstream: {
      retry: { ...defaults.upstream.retry, attempts: 1 },
      circuitBreaker: { ...defaults.upstream.circuitBreaker, minimum: 1 }
    },
    act: (proxy) => Effect.zipRight(proxy.send(price), refuse("circuit-open")(price)(proxy)),
    charged: { client: cost, key: cost }
  },
  {
    outcome: "the rate limit of the key",
    rateLimit: { ...limited, limit: cost, burst: cost },
    act: (proxy) => Effect.zipRight(proxy.send(price), refuse("upstream-local-limit")(price)(proxy)),
    charged: { client: cost, key: cost }
  },
  {
    outcome: "the daily quota of the key",
    rateLimit: { ...limited, dailyQuota: cost },
    act: (proxy) => Effect.zipRight(proxy.send(price), refuse("upstream-local-limit")(price)(proxy)),
    charged: { client: cost, key: limit }
  },
  {
    outcome: "no slot of the upstream",
    replies: ["held"],
    upstream: { ...onlyOneSlot, maxQueue: 0 },
    act: (proxy) =>
      Effect.gen(function*() {
        const first = yield* Effect.fork(proxy.send(price))
        yield* eventuallyTrue(proxy, () => proxy.attempts() === 1)
        yield* refuse("upstream-local-limit")(otherPrice)(proxy)
        proxy.release()
        yield* Fiber.join(first)
      }),
    charged: { client: cost, key: cost }
  },
  {
    outcome: "a missing base URL",
    endpoints: { baseUrls: { ...testEndpoints.baseUrls, data: undefined } },
    act: refuse("upstream-url-missing")(price),
    charged: { client: 0, key: 0 }
  },
  {
    outcome: "a missing key",
    endpoints: { keys: keys() },
    act: refuse("upstream-key-missing")(price),
    charged: { client: 0, key: 0 }
  },
  {
    outcome: "an invalid parameter",
    act: refuse("invalid-request")(`${price}&to_block=x`),
    charged: { client: 0, key: 0 }
  },
  {
    outcome: "a failed authentication",
    act: (proxy) =>
      Effect.map(
        proxy.send(price, { headers: { "x-api-key": "unknown" } }),
        ({ status }) => expect(status).toBe(401)
      ),
    charged: { client: 0, key: 0 }
  },
  ...[true, false].map((cached): Row => ({
    outcome: `only-if-cached without a cached response, ${cached ? "with" : "without"} a cache`,
    cached,
    act: (proxy) =>
      Effect.map(
        proxy.send(price, { headers: { "cache-control": "only-if-cached" } }),
        ({ status }) => expect(status).toBe(504)
      ),
    charged: { client: 0, key: 0 }
  })),
  {
    outcome: "a list of two pages",
    replies: [{ body: page("next") }, { body: page(null) }],
    act: (proxy) => proxy.send(list),
    charged: { client: 2 * cost, key: 2 * cost }
  },
  {
    outcome: "a list of two pages, the second of which fails before sending",
    replies: [{ body: page("next") }, "refused", "refused"],
    act: (proxy) =>
      Effect.map(proxy.send(list), ({ text }) => expect(text).toContain(`"code":"upstream-unreachable"`)),
    charged: { client: cost, key: cost }
  },
  {
    outcome: "a list without a key",
    endpoints: { keys: keys() },
    act: refuse("upstream-key-missing")(list),
    charged: { client: 0, key: 0 }
  },
  {
    outcome: "a client that disconnects from a list after its second page was requested",
    replies: [{ body: page("next") }, "held"],
    upstream: { timeouts: defaults.upstream.timeouts },
    act: (proxy) =>
      Effect.zipRight(
        disconnectWhen(proxy, list, () => proxy.attempts() === 2),
        Effect.sync(() => proxy.release())
      ),
    charged: { client: 2 * cost, key: 2 * cost }
  }
]

describe("requests are charged", () => {
  for (const { act = (proxy: Charging) => proxy.send(price), charged, outcome, ...options } of rows) {
    it.scopedLive(`${charged.client} units to the client and ${charged.key} to the key for ${outcome}`, () =>
      Effect.gen(function*() {
        const proxy = yield* startCharging(options)
        yield* act(proxy)
        yield* expectCharged(proxy, charged)
      }))
  }

  it.scopedLive("and the headers of a response show the state after a refund", () =>
    Effect.gen(function*() {
      const proxy = yield* startCharging({ replies: ["refused", "refused"] })
      const { headers } = yield* proxy.send(price)
      expect(headers["ratelimit"]).toMatch(/^"rate";r=1000;t=\d+, "day";r=1000;t=\d+$/)
    }))
})

it("records a request in the access log even if its call throws", () => {
  const context = RequestContext.make(0, "id", "GET", "")
  const charge = { cost, quotas: [], waitMs: 0, shadowed: false, refund: Effect.succeed([]) }
  const call = () =>
    charged(context, Effect.succeed(charge), () => {
      throw new Error("a bug")
    })
  expect(call).toThrow("a bug")
  let recorded = false
  RequestContext.whenSettled(context, () => {
    recorded = true
  })
  expect(recorded).toBe(true)
})
