/** Two proxies over one Redis, and their clients. */
import type { WhenUnavailable } from "@blockquarry/http/RateLimitStore"
import * as Effect from "effect/Effect"
import * as RedisServer from "../../../../../packages/redis/test/support/RedisServer.ts"
import { sendRequest } from "../../support/proxy.ts"
import * as ProxyConfig from "./ProxyConfig.ts"
import * as ProxyProcess from "./ProxyProcess.ts"

export const tokenOf = (client: string): string => `token-of-${client}`

/** Starts two proxies. `rateLimit` is that of the API key of the upstream. */
export const start = (
  rateLimit: string,
  clients: ReadonlyArray<Omit<ProxyConfig.ClientOptions, "token">>,
  whenUnavailable: WhenUnavailable = "share",
  other: object = {}
) =>
  Effect.gen(function*() {
    const redis = yield* RedisServer.make()
    const { proxyFile, upstream } = yield* ProxyConfig.folder({
      key: { rateLimit },
      clients: clients.map((client) => ({ ...client, token: tokenOf(client.name) })),
      other: {
        redis: { url: redis.url, whenUnavailable },
        quotas: { maxWait: "0s" },
        // Without background requests, every response that is not a hit stands for one upstream request
        cache: { staleWhileRevalidate: "0s" },
        ...other
      }
    })
    const proxy = ProxyProcess.start(["--config", proxyFile])
    const proxies = yield* Effect.all([proxy, proxy], { concurrency: 2 })
    return { redis, upstream, proxies }
  })

export const request = ({ port }: ProxyProcess.ProxyProcess, path: string, client: string) =>
  Effect.map(sendRequest(port, path, { headers: { "x-api-key": tokenOf(client) } }), (response) => ({
    status: response.status,
    name: response.status === 200 ? String(JSON.parse(response.text).tokenName) : "",
    isHit: String(response.headers["cache-status"]).includes("; hit")
  }))
