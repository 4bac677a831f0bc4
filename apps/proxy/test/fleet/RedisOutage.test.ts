/** Redis fails and recovers while two proxies share it: clients see no errors. `packages/redis` tests the limits meanwhile. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { sample } from "../../../../packages/core/test/support/sample.ts"
import * as RedisServer from "../../../../packages/redis/test/support/RedisServer.ts"
import { sendRequest } from "../support/proxy.ts"
import { eventually } from "./support/Eventually.ts"
import * as LoadGenerator from "./support/LoadGenerator.ts"
import * as ProxyConfig from "./support/ProxyConfig.ts"
import * as ProxyProcess from "./support/ProxyProcess.ts"

const token = "token-of-the-client"

const faults = ["killed, and started again, empty", "paused and resumed", "paused, and replaced"] as const

describe.skipIf(RedisServer.program === undefined)(`two proxies${RedisServer.skipReason}`, () => {
  it.scopedLive.each(sample(faults, 3))(
    "serve requests without errors while Redis is %s",
    (fault) =>
      Effect.gen(function*() {
        const redis = yield* RedisServer.make()
        const { proxyFile } = yield* ProxyConfig.folder({
          key: { rateLimit: "3000/s" },
          clients: [{ name: "free", token }],
          other: { redis: { url: redis.url, whenUnavailable: "share" }, quotas: { maxWait: "0s" } }
        })
        const proxy = ProxyProcess.start(["--config", proxyFile])
        const proxies = yield* Effect.all([proxy, proxy], { concurrency: 2 })
        const [one, other] = proxies
        const [begin, end] = ({
          "killed, and started again, empty": [redis.stop, redis.start],
          "paused and resumed": [redis.pause, redis.resume],
          "paused, and replaced": [redis.pause, redis.restart]
        } as const)[fault]
        const loads = yield* Effect.forEach(proxies, ({ port }, index) =>
          LoadGenerator.start({
            port: () => port,
            token: () => token,
            seed: 1 + index,
            clients: { busy: 2, pipelined: 1, pausing: 1 }
          }))
        const more = Effect.forEach(loads, ({ more }) => more(30))
        /** Whether the last message of both stores, at every proxy, reports this state. */
        const are = (state: "unavailable" | "available again") =>
          eventually(`the stores are ${state}`, () =>
            proxies.every(({ log }) =>
              ["the rate limit store is", "the cache store is"].every((store) =>
                log().findLast((message) =>
                  message.includes(store)
                )?.includes(`${store} ${state}`)
              )
            ))
        let sequence = 500_000_000
        const shared = eventually(
          "a response that one proxy cached is a hit at the other",
          Effect.suspend(() => {
            const path = LoadGenerator.pathOf(sequence++)
            const send = ({ port }: ProxyProcess.ProxyProcess) =>
              sendRequest(port, path, { headers: { "x-api-key": token } })
            return Effect.zipRight(send(one), send(other))
          }).pipe(Effect.map(({ headers }) => String(headers["cache-status"]).includes("; hit")))
        )
        yield* more
        yield* shared
        yield* begin
        yield* are("unavailable")
        yield* more
        yield* end
        yield* are("available again")
        yield* more
        yield* shared
        for (const { stop } of loads) expect(yield* stop()).toEqual([])
        for (const { exit, signal } of proxies) {
          yield* signal("SIGTERM")
          expect(yield* exit).toEqual({ code: 0, signal: null })
        }
      })
  )
})
