/** Two proxies over one Redis correct what they reserve: their quotas are the bill of the upstream. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as RedisServer from "../../../../packages/redis/test/support/RedisServer.ts"
import { sendRequest } from "../support/proxy.ts"
import { eventually } from "./support/Eventually.ts"
import * as FakeUpstream from "./support/FakeUpstream.ts"
import { pathOf } from "./support/LoadGenerator.ts"
import * as ProxyConfig from "./support/ProxyConfig.ts"
import * as ProxyProcess from "./support/ProxyProcess.ts"

/** The price of the operation in the table, in units. */
const reservation = 50

const dailyQuota = 10_000_000

/** What the upstream does with the first attempt of a request. */
const kinds = [
  "settled",
  "settled",
  "settled",
  "without header",
  "invalid header",
  "silent",
  "unavailable"
] as const

/** In units. At most twice the reservation. */
const prices = [0, 20, 50, 80, 100]

interface BilledAttempt {
  readonly target: string
  /** 0 or 1. */
  readonly proxy: number
  /** In units. */
  readonly price: number
  /** Whether the response has the price. */
  readonly settled: boolean
}

/** Requests alternate between the proxies. */
const proxyOf = (target: string): number => numberOf(target) % 2

const numberOf = (target: string): number => Number(/0x[0-9a-f]{40}/.exec(target)?.[0])

/** Answers with prices, and writes a bill of all attempts. Attempts are held while `isHeld` says so. */
const billing = (upstream: FakeUpstream.FakeUpstream) => {
  const state = { bill: new Array<BilledAttempt>(), isHeld: (_proxy: number) => false }
  upstream.respond = ({ target }) =>
    Effect.suspend(() => {
      const number = numberOf(target)
      const proxy = proxyOf(target)
      const isFirst = state.bill.every((attempt) => attempt.target !== target)
      const kind = isFirst ? kinds[(number >> 1) % kinds.length] : "settled"
      const price = kind === "unavailable" ? 0 : prices[number % prices.length] ?? 0
      const isHeld = state.isHeld(proxy)
      state.bill.push({ target, proxy, price, settled: kind === "settled" && !isHeld })
      if (kind === "silent" || isHeld) return Effect.never
      const header = kind === "settled" ? String(price) : kind === "invalid header" ? "5e1" : undefined
      return Effect.succeed({
        status: kind === "unavailable" ? 503 : 200,
        headers: header === undefined ? {} : { "x-request-weight": header },
        body: FakeUpstream.price(target)
      })
    })
  return state
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, number) => total + number, 0)

/** What the quotas have counted of these attempts, in units. */
const counted = (bill: ReadonlyArray<BilledAttempt>): number =>
  sum(bill.map(({ price, settled }) => settled ? price : reservation))

const Quota = Schema.Struct({ limit: Schema.Number, remaining: Schema.Number })

const Status = Schema.Struct({
  clients: Schema.Array(Schema.Struct({ quotas: Schema.Array(Quota) })),
  upstreams: Schema.Array(
    Schema.Struct({ keys: Schema.Array(Schema.Struct({ dailyQuota: Schema.NullOr(Quota) })) })
  )
})

const json = <A, I>({ adminOrigin }: ProxyProcess.ProxyProcess, path: string, schema: Schema.Schema<A, I>) =>
  Effect.promise(async () =>
    Schema.decodeUnknownSync(schema)(await (await fetch(`${adminOrigin}${path}`)).json())
  )

const Usage = Schema.Struct({
  rows: Schema.Array(Schema.Struct({ client: Schema.String, key: Schema.String, team: Schema.String })),
  total: Schema.Record({ key: Schema.String, value: Schema.Number })
})

/** The usage that both proxies have saved. */
const usage = (proxy: ProxyProcess.ProxyProcess) => json(proxy, "/usage?by=team,client,key", Usage)

/** The units that Redis has counted for the client, and for the API key. */
const used = (proxy: ProxyProcess.ProxyProcess) =>
  Effect.map(
    json(proxy, "/status.json", Status),
    ({ clients, upstreams }) =>
      [
        ...clients.flatMap(({ quotas }) => quotas),
        ...upstreams.flatMap(({ keys }) => keys.map((key) => key.dailyQuota))
      ]
        .flatMap((quota) => quota === null ? [] : [quota.limit - quota.remaining])
  )

const token = "token-of-the-client"

const start = Effect.gen(function*() {
  const redis = yield* RedisServer.make()
  const { proxyFile, upstream } = yield* ProxyConfig.folder({
    key: { dailyQuota },
    clients: [{ name: "client", token, dailyQuota }],
    // No attempt that gets a response may time out
    upstream: { timeouts: { attempt: "10s" }, retry: { baseDelay: "10ms" } },
    other: {
      teams: [{ name: "web", clients: ["client"] }],
      // A process that Redis answers late would count alone
      redis: { url: redis.url, whenUnavailable: "closed" },
      cache: { enabled: false }
    }
  })
  const proxy = ProxyProcess.start(["--config", proxyFile])
  return { billed: billing(upstream), proxies: yield* Effect.all([proxy, proxy], { concurrency: 2 }) }
})

/** Sends requests that no cache has, through both proxies in turn or through one. */
const load = (proxies: ReadonlyArray<ProxyProcess.ProxyProcess>, first: number, count: number, step = 1) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => pathOf(first + index * step)),
    (path) =>
      Effect.option(
        sendRequest(proxies[proxyOf(path)]?.port ?? 0, path, { headers: { "x-api-key": token } })
      ),
    // The attempts without a response wait at the same time
    { concurrency: 64 }
  )

it.scopedLive.skipIf(RedisServer.program === undefined)(
  `the quotas of client and API key are the bill, also after the death of a proxy${RedisServer.skipReason}`,
  () =>
    Effect.gen(function*() {
      const { billed, proxies } = yield* start
      const [one, other] = proxies
      const settle = (expected: ReadonlyArray<number>) =>
        eventually(
          `the quotas count ${expected}`,
          Effect.map(used(one), (units) => String(units) === String(expected))
        )

      const responses = yield* load(proxies, 0, 280)
      expect(responses.length).toBe(280)
      yield* settle([counted(billed.bill), counted(billed.bill)])
      const unsettled = billed.bill.filter(({ settled }) => !settled).length
      const saved = {
        requests: 280,
        attempts: billed.bill.length,
        price: counted(billed.bill),
        unsettledPrice: reservation * unsettled,
        savedPrice: 0
      }
      yield* eventually(
        "the saved usage is the bill",
        Effect.map(usage(other), ({ total }) =>
          Object.entries(saved).every(([name, count]) => total[name] === count))
      )
      const { rows } = yield* usage(one)
      expect(rows.map(({ client, key, team }) => [team, client, key])).toEqual([
        ["web", "client", ""],
        ["web", "client", "main"]
      ])

      // The other proxy dies while it waits for responses
      const before = billed.bill.length
      billed.isHeld = (proxy) =>
        proxy === 1
      const dying = yield* Effect.fork(load(proxies, 1001, 16, 2))
      yield* load(proxies, 2000, 56, 2)
      const held = () =>
        new Set(billed.bill.slice(before).filter(({ proxy }) => proxy === 1).map(({ target }) => target))
      yield* eventually("all requests are held", () => held().size === 16)
      yield* other.signal("SIGKILL")
      yield* Fiber.join(dying)
      const attempts = billed.bill.filter(({ settled }) => !settled)
      // A client has paid for the attempts that have ended, and at least one; an API key for all that were sent
      const attemptsOf = (held: string) => attempts.filter(({ target }) => target === held).length
      const repeated = [...held()].filter((target) => attemptsOf(target) > 1)
      yield* settle([counted(billed.bill) - reservation * repeated.length, counted(billed.bill)])

      const difference = Math.abs(sum(billed.bill.map(({ price }) => price)) - counted(billed.bill))
      expect(difference).toBeGreaterThan(0)
      expect(difference).toBeLessThanOrEqual(reservation * attempts.length)
    })
)
