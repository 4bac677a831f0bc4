/** Two proxies over one Redis share quotas and the cache. `packages/redis` has the laws of limits and cooldowns. */
import { expect, it } from "@effect/vitest"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as RedisServer from "../../../../packages/redis/test/support/RedisServer.ts"
import { eventually } from "./support/Eventually.ts"
import { pathOf } from "./support/LoadGenerator.ts"
import * as ProxyPair from "./support/ProxyPair.ts"
import type { ProxyProcess } from "./support/ProxyProcess.ts"

it.runIf(process.env["QUARRY_CHECK"] === "1")("a full check requires redis-server", () => {
  expect(RedisServer.program).toBeDefined()
})

const clients = [
  { name: "free" },
  { name: "limited", rateLimit: "30/10m" },
  { name: "daily", dailyQuota: 5001 },
  { name: "web" },
  { name: "app", monthlyQuota: { soft: 1 } }
]

/** 40 prices, for two clients together. */
const teams = [{ name: "front", clients: ["web", "app"], monthlyQuota: 2000 }]

type Pair = Effect.Effect.Success<ReturnType<typeof ProxyPair.start>>

/** Sends requests for different prices through both proxies in turn, and returns the statuses. */
const statuses = ({ proxies: [one, other] }: Pair, client: string, first: number, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    (index) => ProxyPair.request(index % 2 === 0 ? one : other, pathOf(first + index), client),
    { concurrency: 16 }
  ).pipe(Effect.map((responses) => responses.map(({ status }) => status)))

const successes = (statuses: ReadonlyArray<number>) => statuses.filter((status) => status === 200).length

const shareQuotas = (pair: Pair) =>
  Effect.gen(function*() {
    expect(successes(yield* statuses(pair, "limited", 1000, 16))).toBe(10)
    // 100 prices, and one unit that suffices for no operation. Most are cache hits, which cost the client the same
    const daily = [
      ...yield* statuses(pair, "daily", 1000, 16),
      ...(yield* Effect.replicateEffect(statuses(pair, "daily", 1000, 16), 7)).flat()
    ]
    expect([daily.length, successes(daily)]).toEqual([128, 100])
    const ofTeam = yield* Effect.forEach(["web", "app"], (name) => statuses(pair, name, 1000, 32), {
      concurrency: 2
    })
    expect(successes(ofTeam.flat())).toBe(40)
  })

const shareCache = ({ proxies: [one, other] }: Pair) =>
  Effect.gen(function*() {
    const isHit = (proxy: ProxyProcess, address: number) =>
      Effect.map(ProxyPair.request(proxy, pathOf(address), "free"), ({ isHit, name }) => {
        expect(name).toBe(pathOf(address))
        return isHit
      })
    /** Cache writes complete shortly after the response. */
    const hits = (proxy: ProxyProcess, address: number) =>
      eventually(`${address} is a hit`, isHit(proxy, address))
    /** Each proxy uses the responses in its memory for at most 2 s after another one purged them. */
    const misses = (proxy: ProxyProcess, address: number) =>
      eventually(`${address} is a miss`, Effect.map(isHit(proxy, address), (isHit) => !isHit))
    const purge = ({ adminOrigin }: ProxyProcess, query: string) =>
      Effect.promise(() => fetch(`${adminOrigin}/purge${query}`, { method: "POST" }).then((_) => _.status))
    expect([yield* isHit(one, 1), yield* isHit(other, 2)]).toEqual([false, false])
    yield* Effect.all([hits(other, 1), hits(one, 2)])
    expect(yield* purge(one, `?target=${encodeURIComponent(pathOf(1))}`)).toBe(200)
    yield* misses(other, 1)
    expect([yield* isHit(one, 2), yield* isHit(other, 2)]).toEqual([true, true])
    yield* hits(one, 1)
    expect(yield* purge(other, "")).toBe(200)
    yield* misses(one, 1)
  })

/** A proxy considered Redis unavailable, although it was running: on a busy machine, for a moment. */
class RedisInterrupted extends Data.TaggedError("RedisInterrupted")<{}> {}

/** Repeats runs that say nothing. */
const withStableRedis = (test: (pair: Pair) => Effect.Effect<void, unknown>) =>
  Effect.scoped(Effect.gen(function*() {
    // A call never continues without a slow reply
    const pair = yield* ProxyPair.start("none", clients, "closed", { teams })
    const exit = yield* Effect.exit(test(pair))
    for (const { exit, log, signal } of pair.proxies) {
      // It writes the last messages when it ends
      yield* signal("SIGINT")
      yield* exit
      if (log().some((message) => message.includes("store is unavailable"))) {
        return yield* new RedisInterrupted()
      }
    }
    return yield* exit
  })).pipe(Effect.retry({ times: 3, while: (error) => error instanceof RedisInterrupted }))

it.scopedLive.skipIf(RedisServer.program === undefined)(
  `two proxies over one Redis share quotas and the cache${RedisServer.skipReason}`,
  () => withStableRedis((pair) => Effect.zipRight(shareQuotas(pair), shareCache(pair)))
)
