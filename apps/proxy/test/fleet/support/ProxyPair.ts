/** Two proxies over one Redis, and their clients. */
import type { WhenUnavailable } from "@blockquarry/http/RateLimitStore"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as RedisServer from "../../../../../packages/redis/test/support/RedisServer.ts"
import type { ConditionTimeout } from "./Eventually.ts"
import * as FakeUpstream from "./FakeUpstream.ts"
import * as LoadGenerator from "./LoadGenerator.ts"
import * as ProxyConfig from "./ProxyConfig.ts"
import * as ProxyProcess from "./ProxyProcess.ts"
import * as RawConnection from "./RawConnection.ts"
import * as TempFolder from "./TempFolder.ts"

/** Units that a price costs. */
export const cost = 3

export const second = 1000

export const free: ProxyConfig.ClientOptions = { name: "free", token: "token-of-free" }

export const fast: ProxyConfig.ClientOptions = { name: "fast", token: "token-of-fast", rateLimit: "60/s" }

export const daily: ProxyConfig.ClientOptions = { name: "daily", token: "token-of-daily", dailyQuota: 301 }

export type ProxyPair = readonly [ProxyProcess.ProxyProcess, ProxyProcess.ProxyProcess]

interface PairHarness {
  readonly redis: RedisServer.RedisServer
  readonly upstream: FakeUpstream.FakeUpstream
  readonly proxies: ProxyPair
}

export const start = (
  program: string,
  rateLimit: string,
  whenUnavailable: WhenUnavailable = "share"
): Effect.Effect<
  PairHarness,
  RedisServer.Unavailable | ProxyProcess.StartupError | ConditionTimeout,
  Scope.Scope
> =>
  Effect.gen(function*() {
    const redis = yield* RedisServer.make()
    const upstream = yield* FakeUpstream.make
    const folder = yield* TempFolder.make
    yield* folder.write("key", "secret-of-the-service")
    const file = yield* folder.write(
      "proxy.yaml",
      ProxyConfig.configDocument({
        url: upstream.url,
        keys: [{ name: "main", file: "./key", rateLimit }],
        clients: [free, fast, daily],
        other: {
          redis: { url: redis.url, whenUnavailable },
          quotas: { maxWait: "0s" },
          // Without background requests, every response that is not a hit stands for one upstream request.
          cache: { staleWhileRevalidate: "0s" }
        }
      })
    )
    const proxy = ProxyProcess.start(program, ["--config", file])
    const proxies: ProxyPair = yield* Effect.all([proxy, proxy], { concurrency: 2 })
    return { redis, upstream, proxies }
  })

/** A proxy considered Redis unavailable, although it was running. */
class RedisInterrupted extends Data.TaggedError("RedisInterrupted")<{}> {}

/**
 * Runs a test with two proxies. On a busy machine a proxy may lose Redis for a moment, and then counts locally. Such a
 * run is inconclusive and is repeated with two new proxies.
 */
export const withStableRedis = <A, E>(
  program: string,
  limit: string,
  test: (pair: PairHarness) => Effect.Effect<A, E, Scope.Scope>
) =>
  Effect.scoped(Effect.gen(function*() {
    const pair = yield* start(program, limit)
    const exit = yield* Effect.exit(test(pair))
    for (const { exit, log, signal } of pair.proxies) {
      yield* signal("SIGINT")
      yield* exit
      if (log().some(({ message }) => String(message).includes("store is unavailable"))) {
        return yield* new RedisInterrupted()
      }
    }
    return yield* exit
  })).pipe(Effect.retry({ times: 3, while: (error) => error instanceof RedisInterrupted }))

export const request = (
  { port }: ProxyProcess.ProxyProcess,
  path: string,
  { token = "" }: ProxyConfig.ClientOptions
) =>
  Effect.map(
    RawConnection.request(port, path, { "x-api-key": token }),
    ({ body, headers, status }) => ({ status, body, cache: headers["cache-status"] ?? "" })
  )

/** Starts a load of one client on both proxies. */
export const startLoads = (
  proxies: ProxyPair,
  { token = "" }: ProxyConfig.ClientOptions,
  number: number,
  clients: LoadGenerator.LoadOptions["clients"]
): Effect.Effect<readonly [LoadGenerator.RunningLoad, LoadGenerator.RunningLoad], never, Scope.Scope> => {
  const on = ({ port }: ProxyProcess.ProxyProcess, part: number) =>
    LoadGenerator.start({ port, clients, seed: number + part, headers: () => ({ "x-api-key": token }) })
  return Effect.all([on(proxies[0], 0), on(proxies[1], 1)])
}

/**
 * Returns the maximum number of units in any window. A cache hit costs none. Counts only requests that start and complete
 * within the window, so that none admitted before or after it is included.
 */
export const maxCostInWindow = (
  made: ReadonlyArray<LoadGenerator.RecordedRequest>,
  window: number
): number => {
  const accepted = made.filter(({ hit, status }) => status === 200 && !hit)
  return cost * accepted.reduce(
    (most, { startedAt: from }) =>
      Math.max(
        most,
        accepted.filter(({ startedAt, durationMs }) =>
          startedAt >= from && startedAt + durationMs <= from + window
        ).length
      ),
    0
  )
}

/** The response to a client over its rate limit. */
export const clientRateLimited = "client-rate-limited"
