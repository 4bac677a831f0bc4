/** Tests that removals reach other processes by messages, without waiting for the next comparison of versions. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as TestServices from "effect/TestServices"
import * as Redis from "../src/Redis.ts"
import * as RedisCacheStore from "../src/RedisCacheStore.ts"
import * as RedisStores from "../src/RedisStores.ts"
import * as Inspector from "./support/Inspector.ts"
import * as RedisServer from "./support/RedisServer.ts"
import { until } from "./support/WaitUntil.ts"

const entry: CacheStore.CacheEntry = {
  response: { status: 200, headers: {}, bytes: new Uint8Array([1]) },
  version: 1,
  storedAt: 0,
  freshUntil: 60_000,
  expiresAt: 60_000
}

/** Waits until a message was received, which is applied after 100 ms, and applies it. Versions are compared after 2 s. */
const receiveRemoval = Effect.gen(function*() {
  const { currentTimeMillis, sleeps } = yield* TestClock.testClock()
  const now = yield* currentTimeMillis
  const isScheduled = Effect.map(sleeps, Chunk.some((at) => at === now + 100))
  yield* TestServices.provideLive(until(isScheduled))
  yield* TestClock.adjust(100)
})

describe.skipIf(RedisServer.program === undefined)(`a removal${RedisServer.skipReason}`, () => {
  it.scoped("of one or all entries reaches another process by a message, also after its connection was lost", () =>
    Effect.gen(function*() {
      const server = yield* TestServices.provideLive(RedisServer.make())
      const inspector = yield* Inspector.make(server)
      const redis = yield* Layer.build(Redis.layer({ url: server.url }))
      const one = yield* Effect.provide(RedisCacheStore.make(), redis)
      const stores = yield* Layer.build(RedisStores.layer({ url: server.url }))
      const other = Context.get(stores, CacheStore.CacheStore)
      // It subscribes: messages may have been missed before
      yield* receiveRemoval
      const removals = [one.remove("key"), one.clear]
      for (const removal of removals) {
        yield* one.set("key", entry)
        expect(yield* other.get("key")).toEqual(entry)
        yield* removal
        expect(other.peek?.("key")).toBeDefined()
        yield* receiveRemoval
        expect([other.peek?.("key"), yield* other.get("key")]).toEqual([undefined, null])
      }
      yield* one.set("key", entry)
      yield* other.get("key")
      yield* inspector.send((client) => client.client("KILL", "TYPE", "pubsub"))
      yield* receiveRemoval
      expect(other.peek?.("key")).toBeUndefined()
    }))
})
