/** Tests records in Redis: set, expired and removed ones. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redis from "../src/Redis.ts"
import * as RedisRecords from "../src/RedisRecords.ts"
import * as Inspector from "./support/Inspector.ts"
import * as RedisServer from "./support/RedisServer.ts"

const connected = Effect.gen(function*() {
  const server = yield* RedisServer.make()
  const redis = yield* Layer.build(Redis.layer({ url: server.url }))
  return {
    inspector: yield* Inspector.make(server),
    records: yield* Effect.provide(RedisRecords.make, redis)
  }
})

const key = "quarry:records:1:processes"

describe.skipIf(RedisServer.program === undefined)(`RedisRecords${RedisServer.skipReason}`, () => {
  it.scopedLive("returns the records of a collection that were neither removed nor have expired", () =>
    Effect.gen(function*() {
      const { inspector, records } = yield* connected
      yield* records.set("processes", "one", "first: {\n}", 60_000)
      yield* records.set("processes", "other", "", 60_000)
      yield* records.set("orders", "one", "kept", null)
      // What a process left that was killed, and one before the clock was set back
      yield* inspector.send((client) =>
        client.hset(key, { killed: "1000:60000:text", future: `${Date.now() + 3_600_000}:60000:text` })
      )
      expect(yield* records.read("processes")).toEqual(new Map([["one", "first: {\n}"], ["other", ""]]))
      expect(yield* inspector.send((client) => client.hkeys(key))).toEqual(["one", "other"])
      expect(yield* inspector.send((client) => client.pttl(key))).toBeGreaterThan(0)
      yield* records.remove("processes", "one")
      yield* records.set("processes", "other", "later", 60_000)
      expect(yield* records.read("processes")).toEqual(new Map([["other", "later"]]))
      expect(yield* records.read("orders")).toEqual(new Map([["one", "kept"]]))
      expect(yield* inspector.send((client) => client.pttl("quarry:records:1:orders"))).toBe(-1)
      expect(yield* records.read("others")).toEqual(new Map())
    }))

  it.scopedLive("replaces a value of another type", () =>
    Effect.gen(function*() {
      const { inspector, records } = yield* connected
      const spoil = inspector.send((client) => client.set(key, "garbage"))
      yield* spoil
      expect(yield* records.read("processes")).toEqual(new Map())
      yield* records.set("processes", "one", "text", 5000)
      expect(yield* records.read("processes")).toEqual(new Map([["one", "text"]]))
      yield* spoil
      yield* records.remove("processes", "one")
      expect(yield* records.read("processes")).toEqual(new Map())
    }))
})
