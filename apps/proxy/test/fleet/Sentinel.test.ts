/** Proxies over a Redis with Sentinels: a failover under load fails no request. */
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Inspector from "../../../../packages/redis/test/support/Inspector.ts"
import * as RedisServer from "../../../../packages/redis/test/support/RedisServer.ts"
import * as Sentinels from "../../../../packages/redis/test/support/Sentinels.ts"
import * as WaitUntil from "../../../../packages/redis/test/support/WaitUntil.ts"
import { openAdmin, sendRequest, start, testClient } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"

const price = sampleRequests["tokenPrice"]?.path ?? ""

describe.skipIf(RedisServer.program === undefined)(`two proxies${RedisServer.skipReason}`, () => {
  it.scopedLive("answer every request while the primary is killed and another takes over", () =>
    Effect.gen(function*() {
      const { failover, primary, replicas, url } = yield* Sentinels.make()
      const proxy = start({
        config: {
          admin: openAdmin,
          clients: [
            testClient("shop", "token", { rateLimit: { limit: 1_000_000, window: 1000 }, dailyQuota: 1e9 })
          ],
          redis: { url: Redacted.make(url), keyPrefix: "quarry:", whenUnavailable: "share" }
        }
      })
      const proxies = yield* Effect.all([proxy, proxy])
      const statuses = new Map<number, number>()
      const ended = yield* Deferred.make<void>()
      const send = (port: number) =>
        Effect.map(sendRequest(port, price, { headers: { "x-api-key": "token" } }), ({ status }) => {
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
        })
      const load = Effect.forEach(
        proxies,
        ({ port }) => Effect.repeat(send(port), { until: () => Deferred.isDone(ended) }),
        { concurrency: 2 }
      )
      const running = yield* Effect.fork(load)
      const sent = () => statuses.get(200) ?? 0
      yield* WaitUntil.until(Effect.sync(() => sent() > 100))
      const before = sent()
      yield* primary.stop
      yield* failover
      const inspectors = yield* Effect.forEach(replicas, (replica) => Inspector.make(replica))
      yield* WaitUntil.until(Effect.map(
        Effect.forEach(inspectors, ({ send }) => send((client) => client.info("replication"))),
        (infos) => infos.some((info) => info.includes("role:master"))
      ))
      const elected = sent()
      // The quota counts in the new primary again
      const status = Effect.map(
        sendRequest(proxies[0].adminPort ?? 0, "/status.json"),
        ({ text }) => JSON.parse(text)
      )
      yield* WaitUntil.until(
        Effect.map(
          status,
          ({ processes, scope, store }) => store.available && scope === "fleet" && processes.length === 2
        )
      )
      yield* Deferred.succeed(ended, undefined)
      yield* Fiber.join(running)
      expect(elected).toBeGreaterThan(before)
      expect([...statuses.keys()]).toEqual([200])
    }))
})
