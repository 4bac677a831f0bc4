/** Redis fails and recovers while two proxies share it: clients see no errors. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { sample } from "../../../../packages/core/test/support/sample.ts"
import * as Inspector from "../../../../packages/redis/test/support/Inspector.ts"
import * as RedisServer from "../../../../packages/redis/test/support/RedisServer.ts"
import { eventually } from "./support/Eventually.ts"
import * as LoadGenerator from "./support/LoadGenerator.ts"
import * as ProxyPair from "./support/ProxyPair.ts"

/** Waits until both proxies have sent a heartbeat after the first heartbeats of both. */
const haveCountedEachOther = (redis: RedisServer.RedisServer) =>
  Effect.gen(function*() {
    const inspector = yield* Inspector.make(redis)
    const heartbeatsAfter = (time: number) =>
      inspector.send((client) => client.zcount("quarry:processes:1", `(${time}`, "+inf"))
    yield* eventually("both have sent a heartbeat", Effect.map(heartbeatsAfter(0), (count) => count === 2))
    const now = yield* inspector.time
    yield* eventually("both have sent another one", Effect.map(heartbeatsAfter(now), (count) => count === 2))
  }).pipe(Effect.scoped)

/** How Redis fails, and how it recovers. */
const faultOf = ({ pause, restart, resume, start, stop }: RedisServer.RedisServer) => ({
  "killed, and started again, empty": [stop, start],
  "paused and resumed": [pause, resume],
  "paused, and replaced": [pause, restart]
} as const)

/** The faults that are tested, each with a client of its own. */
const faults = sample(
  ["killed, and started again, empty", "paused and resumed", "paused, and replaced"] as const,
  3
)

const clientOf = (fault: string) => fault.replaceAll(/\W+/g, "-")

it.scopedLive.skipIf(RedisServer.program === undefined)(
  `two proxies serve requests without errors while Redis is ${faults.join(", ")}${RedisServer.skipReason}`,
  () =>
    Effect.gen(function*() {
      const clients = [
        { name: "free" },
        ...faults.map((fault) => ({ name: clientOf(fault), rateLimit: "60/10m" }))
      ]
      const { proxies, redis } = yield* ProxyPair.start("3000/s", clients)
      const [one, other] = proxies
      const loads = yield* Effect.forEach(proxies, ({ port }, index) =>
        LoadGenerator.start({
          port: () => port,
          token: () => ProxyPair.tokenOf("free"),
          seed: 1 + index,
          clients: { busy: 4, pipelined: 2, pausing: 2 }
        }))
      const more = Effect.forEach(loads, ({ more }) => more(30))
      /** Whether the last message of both stores, at every proxy, reports this state. */
      const are = (state: "unavailable" | "available again") =>
        eventually(`the stores are ${state}`, () =>
          proxies.every(({ log }) =>
            ["rate limit", "cache"].every((store) =>
              log().findLast((message) =>
                message.includes(`the ${store} store is`)
              )
                ?.includes(`the ${store} store is ${state}`)
            )
          ))
      let sequence = 500_000_000
      const shared = eventually(
        "a response that one proxy cached is a hit at the other",
        Effect.suspend(() => {
          const path = LoadGenerator.pathOf(sequence++)
          return Effect.zipRight(ProxyPair.request(one, path, "free"), ProxyPair.request(other, path, "free"))
        }).pipe(Effect.map(({ isHit }) => isHit))
      )
      yield* more
      yield* shared
      yield* haveCountedEachOther(redis)
      for (const fault of faults) {
        const [begin, end] = faultOf(redis)[fault]
        yield* begin
        yield* are("unavailable")
        yield* more
        // Each proxy enforces half of the limit: 10 prices
        for (const proxy of proxies) {
          const responses = yield* Effect.forEach(Array.from({ length: 12 }), () =>
            ProxyPair.request(proxy, LoadGenerator.pathOf(sequence++), clientOf(fault)))
          expect(responses.map(({ status }) =>
            status
          )).toEqual([...new Array(10).fill(200), 429, 429])
        }
        yield* end
        yield* are("available again")
        yield* more
        yield* shared
      }
      for (const { stop } of loads) expect(yield* stop()).toEqual([])
      for (const { exit, signal } of proxies) {
        yield* signal("SIGTERM")
        expect(yield* exit).toEqual({ code: 0, signal: null })
      }
    })
)
