/** Tests counters in Redis: sums of batches, each of which counts once. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redis from "../src/Redis.ts"
import * as RedisCounters from "../src/RedisCounters.ts"
import * as Inspector from "./support/Inspector.ts"
import * as RedisServer from "./support/RedisServer.ts"

const connected = Effect.gen(function*() {
  const server = yield* RedisServer.make()
  const redis = yield* Layer.build(Redis.layer({ url: server.url }))
  return {
    inspector: yield* Inspector.make(server),
    counters: yield* Effect.provide(RedisCounters.make, redis)
  }
})

describe.skipIf(RedisServer.program === undefined)(`RedisCounters${RedisServer.skipReason}`, () => {
  it.scopedLive("adds the batches of several writers, each batch once", () =>
    Effect.gen(function*() {
      const { counters, inspector } = yield* connected
      const add = (writer: string, number: number, amounts: Readonly<Record<string, number>>) =>
        counters.add("day", { writer, number }, new Map(Object.entries(amounts)), 5000)
      yield* add("one", 1, { requests: 2, "price of a": 50 })
      yield* add("one", 1, { requests: 2, "price of a": 50 })
      yield* add("other", 1, { requests: 1 })
      yield* add("one", 2, { "price of a": -20 })
      yield* add("one", 1, { requests: 2 })
      expect(yield* counters.read("day")).toEqual(new Map([["requests", 3], ["price of a", 30]]))
      expect(yield* counters.read("another day")).toEqual(new Map())
      const ttl = yield* inspector.send((client) => client.pttl("quarry:counters:1:day"))
      expect(ttl).toBeGreaterThan(0)
      expect(ttl).toBeLessThanOrEqual(5000)
    }))

  it.scopedLive("replaces a value of another type", () =>
    Effect.gen(function*() {
      const { counters, inspector } = yield* connected
      yield* inspector.send((client) => client.set("quarry:counters:1:day", "garbage"))
      expect(yield* counters.read("day")).toEqual(new Map())
      yield* counters.add("day", { writer: "one", number: 1 }, new Map([["requests", 1]]), 5000)
      expect(yield* counters.read("day")).toEqual(new Map([["requests", 1]]))
    }))
})
