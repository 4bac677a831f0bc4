/** The memory that Redis needs, as docs/redis.md states it. */
import { emptyRow } from "@blockquarry/redis/UsageStore"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import * as RedisCacheStore from "../src/RedisCacheStore.ts"
import * as RedisRateLimitStore from "../src/RedisRateLimitStore.ts"
import * as RedisRecords from "../src/RedisRecords.ts"
import * as RedisUsageStore from "../src/RedisUsageStore.ts"
import * as Connected from "./support/Connected.ts"
import * as RedisServer from "./support/RedisServer.ts"

/**
 * What `MEMORY USAGE` leaves out: the slots of a key in the table of keys and in that of expiries, which are between half and
 * completely used, and its entry in the second. `used_memory` would also have the buffers of clients, which shrink with time.
 */
const [bytesInTables, bytesOfExpiry] = [12, 36]

/** The bytes of a row of the table. */
const documented = (row: string): number => {
  const document = readFileSync(new URL("../../../docs/redis.md", import.meta.url), "utf8")
  return Number(new RegExp(`^\\| ${row} +\\| (\\d+)`, "m").exec(document)?.[1])
}

describe.skipIf(RedisServer.program === undefined)(`memory of Redis${RedisServer.skipReason}`, () => {
  it.scopedLive("is within a quarter of the documented formula", () =>
    Effect.gen(function*() {
      const { inspector, redis } = yield* Connected.make
      /** The bytes of all keys with their values and entries in the tables of keys and expiries. */
      const memory = inspector.send(async (client) => {
        const keys = await client.keys("*")
        const sizes = await Promise.all(
          keys.map(async (key) =>
            Number(await client.memory("USAGE", key, "SAMPLES", 0)) + bytesInTables +
            (await client.pttl(key) < 0 ? 0 : bytesOfExpiry)
          )
        )
        return sizes.reduce((sum, size) => sum + size, 0)
      })
      const { cache, limits, records, usage } = yield* Effect.provide(
        Effect.all({
          cache: RedisCacheStore.make(),
          limits: RedisRateLimitStore.make,
          records: RedisRecords.make,
          usage: RedisUsageStore.make({ retention: 400 })
        }),
        redis
      )
      /** The bytes of each of `count` entries. */
      const measure = <E, R>(count: number, add: (index: number) => Effect.Effect<unknown, E, R>) =>
        Effect.gen(function*() {
          yield* inspector.send((client) => client.flushall("SYNC"))
          // Scripts are loaded, and tables grown
          yield* add(0)
          const before = yield* memory
          yield* Effect.forEach(Array.from({ length: count }), (_, index) => add(index + 1), {
            concurrency: 100
          })
          return ((yield* memory) - before) / count
        })
      const now = Date.now()
      const entryOf = (bytes: number) => ({
        response: {
          status: 200,
          headers: { "content-type": "application/json; charset=utf-8" },
          bytes: new Uint8Array(bytes).fill(32)
        },
        version: 1,
        storedAt: now,
        freshUntil: now + 3_600_000,
        expiresAt: now + 3_600_000
      })
      const sizes = {
        "rate limit of an API key or a client": yield* measure(1000, (index) =>
          // Full for an hour, or keys would expire meanwhile
          limits.acquire(`client:${index}`, { limit: 1, window: 3_600_000, burst: 0 }, 1, 0)),
        "quota of a client or a team": yield* measure(1000, (index) =>
          limits.consume([{ id: `client:${index}`, quota: { limit: 100, period: 86_400_000 } }], 1)),
        "counter of saved usage": yield* measure(1000, (index) =>
          usage.add([{
            ...emptyRow,
            day: "2026-11-24",
            team: "team",
            client: `client-${index}`,
            operation: "tokenPrice",
            key: "main",
            price: 50
          }], index + 1)),
        "cached response of 2 kB": yield* measure(1000, (index) =>
          cache.set(`response ${index}`, entryOf(2000))),
        "cached response of 20 kB": yield* measure(100, (index) =>
          cache.set(`response ${index}`, entryOf(20_000))),
        "disabled client": yield* measure(1000, (index) =>
          records("overrides:client", null).set(`client-${index}`, {
            text: JSON.stringify({ active: true, operator: "operator alice from 192.0.2.7" }),
            at: 0
          }))
      }
      for (const [row, bytes] of Object.entries(sizes)) {
        expect(Math.abs(bytes / documented(row) - 1), `${row}: ${bytes}`).toBeLessThan(0.25)
      }
    }))
})
