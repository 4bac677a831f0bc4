/** Tests that removals reach other processes by messages. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
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

describe.skipIf(RedisServer.program === undefined)(`a removal${RedisServer.skipReason}`, () => {
  it.scoped("of one or all entries reaches another process by a message, also after its connection was lost", () =>
    Effect.gen(function*() {
      const server = yield* TestServices.provideLive(RedisServer.make())
      const inspector = yield* Inspector.make(server)
      const redis = yield* Layer.build(Redis.layer({ url: server.url }))
      const one = yield* Effect.provide(RedisCacheStore.make(), redis)
      const stores = yield* Layer.build(RedisStores.layer({ url: server.url }))
      const other = Context.get(stores, CacheStore.CacheStore)
      const isForgotten = TestServices.provideLive(
        until(Effect.sync(() => other.peek?.("key") === undefined))
      )
      const known = Effect.gen(function*() {
        yield* one.set("key", entry)
        // Again if it subscribes meanwhile, or gets the message of the removal before
        const isKnown = Effect.map(other.get("key"), () => other.peek?.("key") !== undefined)
        yield* TestServices.provideLive(until(isKnown))
      })
      for (const removal of [one.remove("key"), one.clear]) {
        yield* known
        yield* removal
        yield* isForgotten
        expect(yield* other.get("key")).toBeNull()
      }
      yield* known
      yield* inspector.send((client) => client.client("KILL", "TYPE", "pubsub"))
      yield* isForgotten
    }))
})
