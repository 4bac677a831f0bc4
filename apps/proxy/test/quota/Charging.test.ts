/**
 * What requests cost their client and the upstream key if something happens before or after they are sent. The access log in
 * the golden records has the other rows of the table in docs/proxy/clients.md.
 */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { type Config, defaults } from "../../src/config/Config.ts"
import { eventually } from "../fleet/support/Eventually.ts"
import { examples, keys, openAdmin, sendRequest, start, testClient, testEndpoints } from "../support/proxy.ts"
import * as ScriptedUpstream from "../support/ScriptedUpstream.ts"

const cost = 4
const costs = { price: cost, rateCost: cost }

/** The sandbox reports this price. */
const reported = 50
const settling = { weightHeader: "x-request-weight" }

const price = `/api/v2.2/erc20/${examples.token}/price?chain=eth`
const otherPrice = `/api/v2.2/erc20/${examples.wallet}/price?chain=eth`
const list = `/all/api/v2.2/nft/${examples.collection721}?chain=eth&limit=1`

const limit = 1000

/** Units that were charged to the daily quotas of the client and of the key. */
interface Charged {
  readonly client: number
  readonly key: number
}

interface Options {
  /** What the upstream does. Default: the sandbox responds. */
  readonly script?: ReadonlyArray<ScriptedUpstream.Scripted>
  readonly cached?: boolean
  readonly upstream?: Partial<Config["upstream"]>
}

const startCharging = ({ cached = false, script = [], upstream }: Options) =>
  Effect.gen(function*() {
    const scripted = yield* ScriptedUpstream.make()
    scripted.script(script)
    const rateLimit = RateLimit.make({ limit, window: "1 hour", dailyQuota: limit })
    const proxy = yield* start({
      httpClient: scripted.client,
      clock: () => Date.UTC(2026, 10, 21, 12),
      endpoints: {
        ...testEndpoints,
        keys: keys({ label: "main", key: Redacted.make(Sandbox.apiKey), rateLimit })
      },
      config: {
        admin: openAdmin,
        cache: { ...defaults.cache, enabled: cached },
        clients: [
          testClient("shop", "token-of-shop", { dailyQuota: limit, rateLimit: { limit, window: 1e9 } })
        ],
        costs: { ...defaults.costs, tokenPrice: costs, contractNfts: costs },
        limits: { ...defaults.limits, clientShare: 1 },
        upstream: {
          ...defaults.upstream,
          weightHeader: null,
          retry: { attempts: 2, baseDelay: Duration.zero, maxDelay: Duration.zero },
          ...upstream
        }
      }
    })
    const charged = Effect.map(sendRequest(proxy.adminPort ?? 0, "/status.json"), ({ text }): Charged => {
      const { clients, upstreams } = JSON.parse(text)
      const [perHour, perDay] = clients[0].quotas
      // The rate limit counts the rate cost of the request, however often it is sent and whatever its price is.
      expect(perHour.remaining, "the rate limit").toBeGreaterThanOrEqual(perDay.remaining)
      return { client: limit - perDay.remaining, key: limit - upstreams[0].keys[0].dailyQuota.remaining }
    })
    const waitUntil = (holds: (charged: Charged) => boolean, what = "the charges are as expected") =>
      eventually(what, Effect.map(charged, holds))
    return {
      ...scripted,
      lines: proxy.lines,
      send: (path: string) => sendRequest(proxy.port, path, { headers: { "x-api-key": "token-of-shop" } }),
      sent: (count: number) => waitUntil(() => scripted.count() === count),
      /** Waits for charges that change after the client has disconnected. */
      expectCharged: (expected: Charged) =>
        waitUntil(
          ({ client, key }) => client === expected.client && key === expected.key,
          `${expected.client} and ${expected.key} units are charged`
        ),
      waitUntil
    }
  })

type Charging = Effect.Effect.Success<ReturnType<typeof startCharging>>

interface Row extends Options {
  readonly outcome: string
  /** Default: a request for a price. */
  readonly act?: (proxy: Charging) => Effect.Effect<unknown, Error>
  readonly charged: Charged
}

/** Sends a request, and disconnects when the upstream has received a number of requests. */
const disconnectAfter = (path: string, count: number) => (proxy: Charging) =>
  Effect.gen(function*() {
    const request = yield* Effect.fork(proxy.send(path))
    yield* proxy.sent(count)
    yield* Fiber.interrupt(request)
    yield* proxy.waitUntil(() => proxy.lines.some((line) => line.includes(`"status":499`)))
    proxy.release()
  })

/** While a request is in flight, sends one for `path`, and disconnects once it is charged. */
const disconnectBehind = (path: string) => (proxy: Charging) =>
  Effect.gen(function*() {
    const first = yield* Effect.fork(proxy.send(price))
    yield* proxy.sent(1)
    const second = yield* Effect.fork(proxy.send(path))
    yield* proxy.waitUntil(({ client }) => client === 2 * cost)
    yield* Fiber.interrupt(second)
    if (path !== price) yield* proxy.waitUntil(({ client }) => client === cost)
    proxy.release()
    yield* Fiber.join(first)
  })

const rows: ReadonlyArray<Row> = [
  { outcome: "a response", charged: { client: cost, key: cost } },
  {
    outcome: "no connection",
    script: ["refused", "refused"],
    act: (proxy) =>
      Effect.map(
        proxy.send(price),
        ({ headers }) => expect(headers["ratelimit"]).toMatch(/^"rate";r=1000;t=\d+, "day";r=1000;t=\d+$/)
      ),
    charged: { client: 0, key: 0 }
  },
  ...[true, false].flatMap((cached): ReadonlyArray<Row> => [
    {
      outcome: `a client that disconnects before sending, ${cached ? "with" : "without"} a cache`,
      cached,
      script: ["held"],
      upstream: { maxConcurrentRequests: 1 },
      act: disconnectBehind(otherPrice),
      charged: { client: cost, key: cost }
    },
    {
      outcome: `a client that disconnects after sending, ${cached ? "with" : "without"} a cache`,
      cached,
      script: ["held"],
      act: disconnectAfter(price, 1),
      charged: { client: cost, key: cost }
    }
  ]),
  {
    outcome: "a coalesced client that disconnects after sending",
    cached: true,
    script: ["held"],
    act: disconnectBehind(price),
    charged: { client: 2 * cost, key: cost }
  },
  {
    outcome: "a list whose second page fails before sending",
    script: ["sandbox", "refused", "refused"],
    act: (proxy) =>
      Effect.map(
        Effect.exit(proxy.send(list)),
        () => expect(proxy.lines.join()).toContain(`"code":"upstream-unreachable"`)
      ),
    charged: { client: cost, key: cost }
  },
  {
    outcome: "a client that disconnects from a list after its second page was requested",
    script: ["sandbox", "held"],
    act: disconnectAfter(list, 2),
    charged: { client: 2 * cost, key: 2 * cost }
  },
  {
    outcome: "a response with a higher price",
    upstream: settling,
    charged: { client: reported, key: reported }
  },
  {
    outcome: "two attempts, of which one has a price",
    script: ["reset", "sandbox"],
    upstream: settling,
    charged: { client: cost + reported, key: cost + reported }
  },
  {
    outcome: "a response with a price, and a hit",
    cached: true,
    upstream: settling,
    act: (proxy) => Effect.zipRight(proxy.send(price), proxy.send(price)),
    charged: { client: reported + cost, key: reported }
  },
  {
    outcome: "a response with a price after the client has disconnected",
    cached: true,
    script: ["held"],
    upstream: settling,
    act: disconnectAfter(price, 1),
    charged: { client: reported, key: reported }
  },
  {
    outcome: "a list whose first page has a price, and whose second is not sent",
    script: ["sandbox", "refused", "refused"],
    upstream: settling,
    act: (proxy) => Effect.exit(proxy.send(list)),
    charged: { client: reported, key: reported }
  }
]

describe("requests are charged", () => {
  for (const { act = (proxy: Charging) => proxy.send(price), charged, outcome, ...options } of rows) {
    it.scopedLive(`${charged.client} units to the client and ${charged.key} to the key for ${outcome}`, () =>
      Effect.gen(function*() {
        const proxy = yield* startCharging(options)
        yield* act(proxy)
        yield* proxy.expectCharged(charged)
      }))
  }
})
