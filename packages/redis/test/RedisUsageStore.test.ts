/** Tests usage in Redis: sums of the batches of several processes, each of which counts once. */
import { emptyRow, type UsageRow, type UsageStoreService } from "@blockquarry/redis/UsageStore"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RedisUsageStore from "../src/RedisUsageStore.ts"
import * as Connected from "./support/Connected.ts"
import * as RedisServer from "./support/RedisServer.ts"

const dayMillis = 86_400_000

const connected = Effect.gen(function*() {
  const { inspector, redis } = yield* Connected.make
  const make = Effect.provide(RedisUsageStore.make({ retention: 2 }), redis)
  return { inspector, one: yield* make, other: yield* make }
})

const row = (counts: Partial<UsageRow>): UsageRow => ({
  ...emptyRow,
  day: "2026-11-24",
  client: "shop",
  operation: "tokenPrice",
  key: "main",
  ...counts
})

const readAll = (store: UsageStoreService, from = "2026-11-24", to = from) => {
  const rows: Array<UsageRow> = []
  return Effect.as(store.read(from, to, (row) => rows.push(row)), rows)
}

describe.skipIf(RedisServer.program === undefined)(`RedisUsageStore${RedisServer.skipReason}`, () => {
  it.scopedLive("adds the batches of several processes, each batch once", () =>
    Effect.gen(function*() {
      const { inspector, one, other } = yield* connected
      yield* one.add([row({ attempts: 2, price: 50 })], 1)
      yield* one.add([row({ attempts: 2, price: 50 })], 1)
      yield* other.add([row({ attempts: 1 })], 1)
      yield* one.add([row({ price: -20 })], 2)
      yield* one.add([row({ attempts: 2 })], 1)
      yield* one.add([], 3)
      expect(yield* readAll(other)).toEqual([row({ attempts: 3, price: 30 })])
      expect(yield* readAll(other, "2026-11-25")).toEqual([])
      const ttl = yield* inspector.send((client) => client.pttl("quarry:usage:1:2026-11-24"))
      expect(ttl).toBeGreaterThan(dayMillis)
      expect(ttl).toBeLessThanOrEqual(2 * dayMillis)
    }))

  it.scopedLive("separates days, teams, clients, operations and API keys", () =>
    Effect.gen(function*() {
      const { one } = yield* connected
      const rows = [
        row({ attempts: 1 }),
        row({ attempts: 2, team: "web" }),
        row({ attempts: 3, client: "lab" }),
        row({ attempts: 4, operation: "other" }),
        row({ requests: 5, key: "" }),
        row({ attempts: 6, day: "2026-11-25" })
      ]
      yield* one.add(rows, 1)
      const read = yield* readAll(one, "2026-11-01", "2026-11-30")
      expect(read).toHaveLength(rows.length)
      expect(read).toEqual(expect.arrayContaining(rows))
    }))
})
