/** Tests the cache in Redis: the encoding of entries, TTLs, size limits, removal and clearing. */
import { shortDigest } from "@blockquarry/core/ShortDigest"
import type { CacheEntry } from "@blockquarry/http/CacheStore"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import { makeClock } from "../../http/test/faults/support/CustomClock.ts"
import { decode, encode } from "../src/internal/CacheEntryCodec.ts"
import * as RedisCacheStore from "../src/RedisCacheStore.ts"
import * as Connected from "./support/Connected.ts"
import * as RedisServer from "./support/RedisServer.ts"

const time = FastCheck.integer({ min: 0, max: 4_000_000_000_000 })

const entries: FastCheck.Arbitrary<CacheEntry> = FastCheck.record({
  response: FastCheck.record({
    status: FastCheck.integer({ min: 100, max: 599 }),
    headers: FastCheck.dictionary(
      FastCheck.string({ minLength: 1 }).filter((name) => name !== "__proto__"),
      FastCheck.string({ unit: "binary" }),
      { noNullPrototype: true }
    ),
    bytes: FastCheck.oneof(
      FastCheck.uint8Array({ maxLength: 2000 }),
      FastCheck.string({ unit: "binary" }).map((text) => new TextEncoder().encode(text))
    )
  }),
  version: FastCheck.maxSafeNat(),
  storedAt: time,
  freshUntil: time,
  expiresAt: time
})

const entryFor = (millis: number): CacheEntry => ({
  response: {
    status: 200,
    headers: { "content-type": "application/json" },
    bytes: new Uint8Array([1, 10, 0, 255])
  },
  version: 0,
  storedAt: Date.now(),
  freshUntil: Date.now() + millis,
  expiresAt: Date.now() + millis
})

const redisKey = (key: string) => `quarry:response:1:${shortDigest(key)}`

describe("CacheEntryCodec", () => {
  it("decodes every entry that it encodes", () => {
    FastCheck.assert(FastCheck.property(entries, (entry) => {
      expect(decode(encode(entry))).toEqual(entry)
    }))
  })

  it("decodes truncated, extended and foreign values to null", () => {
    FastCheck.assert(
      FastCheck.property(
        entries,
        FastCheck.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (entry, part) => {
          const value = encode(entry)
          expect(decode(value.subarray(0, Math.floor(part * value.length)))).toBe(null)
          expect(decode(new Uint8Array([...value, 0]))).toBe(null)
        }
      )
    )
    FastCheck.assert(FastCheck.property(FastCheck.uint8Array({ maxLength: 200 }), (value) => {
      expect(decode(value)).toBe(null)
    }))
    for (const header of [{}, [], null, { status: "200", length: 0 }]) {
      expect(decode(new TextEncoder().encode(`${JSON.stringify(header)}\n`))).toBe(null)
    }
  })
})

const connected = Effect.gen(function*() {
  const { inspector, redis, server } = yield* Connected.make
  const client = (
    { prefix, ...options }: RedisCacheStore.RedisCacheOptions & { readonly prefix?: string } = {}
  ) =>
    Effect.flatMap(
      prefix === undefined
        ? Effect.succeed(redis)
        : Layer.build(Connected.layer({ url: server.url, keyPrefix: prefix })),
      (redis) => Effect.provide(RedisCacheStore.make(options), redis)
    )
  return { client, inspector, store: yield* client() }
})

describe.skipIf(RedisServer.program === undefined)(`RedisCacheStore${RedisServer.skipReason}`, () => {
  it.scopedLive("returns entries as they were stored, and those of a clock that is slightly ahead as stored now", () =>
    Effect.gen(function*() {
      const { store } = yield* connected
      for (const [ahead, difference] of [[-5000, 0], [900, -900], [60_000, 0]] as const) {
        const now = Date.now()
        const entry = { ...entryFor(120_000), storedAt: now + ahead }
        yield* store.set("key", entry)
        const found = yield* Effect.withClock(store.get("key"), makeClock(() => now, () => () => {}))
        expect(found).toEqual({ ...entry, storedAt: entry.storedAt + difference })
      }
    }))

  it.scopedLive("stores of entries larger than maxEntryBytes only the version, which is older than no entry", () =>
    Effect.gen(function*() {
      const { client, store } = yield* connected
      const sized = (length: number): CacheEntry => ({
        ...entryFor(60_000),
        response: { status: 200, headers: {}, bytes: new Uint8Array(length) },
        version: 7
      })
      const small = yield* client({ maxEntryBytes: 1000 })
      const maxEntryBytes = 4 * 1024 * 1024
      for (const [limited, bytes] of [[small, 1000], [store, maxEntryBytes]] as const) {
        yield* limited.set("key", sized(bytes))
        yield* limited.set("key", { ...sized(1), version: 6 })
        expect(yield* limited.get("key")).toBeNull()
        yield* limited.set("key", sized(bytes - 200))
        expect((yield* limited.get("key"))?.response.bytes).toHaveLength(bytes - 200)
      }
    }))

  it.scopedLive("clears entries of several batches for all processes, with any key prefix, and no other key", () =>
    Effect.gen(function*() {
      const { client, inspector, store } = yield* connected
      const otherKeys = [
        "quarry:rate-limit:1:response:",
        "quarry:quota:1:a",
        "quarry:pings",
        "response:1:a",
        "other:quarry:response:1:a",
        "quarryresponse:1:a"
      ]
      const put = (names: ReadonlyArray<string>) =>
        inspector.send((client) => client.mset(Object.fromEntries(names.map((name) => [name, "value"]))))
      yield* put(otherKeys)
      yield* store.clear
      yield* put(["quarry:response:0:older version"])
      yield* Effect.forEach(
        Array.from({ length: 1200 }, (_, index) => `key ${index}`),
        (key) => store.set(key, entryFor(60_000)),
        { concurrency: 100, discard: true }
      )
      expect(yield* inspector.keys).toHaveLength(otherKeys.length + 1201)
      yield* (yield* client()).clear
      expect([...yield* inspector.keys].sort()).toEqual(otherKeys.toSorted())
      expect(yield* store.get("key 1")).toBe(null)

      // Special characters of glob patterns are escaped
      for (const prefix of ["*", "q?", "[a-z]", "\\", "[^q", "a]", ""]) {
        const prefixed = yield* client({ prefix })
        yield* prefixed.set("key", entryFor(60_000))
        const name = `${prefix}response:1:${shortDigest("key")}`
        expect(yield* inspector.keys).toContain(name)
        yield* prefixed.clear
        expect([...yield* inspector.keys].sort()).toEqual(
          otherKeys.filter((key) => !key.startsWith(`${prefix}response:`)).toSorted()
        )
      }
    }))

  it.scopedLive("keeps the entry with the highest version, whichever process stores last", () =>
    Effect.gen(function*() {
      const { client, inspector, store } = yield* connected
      const other = yield* client()
      const older = { ...entryFor(60_000), version: yield* store.nextVersion(0) }
      const newer = { ...entryFor(60_000), version: yield* other.nextVersion(0) }
      yield* other.set("key", newer)
      yield* store.set("key", older)
      expect(yield* store.get("key")).toEqual(newer)
      // Of equal versions the last
      const replaced = { ...newer, storedAt: 1 }
      yield* store.set("key", replaced)
      expect(yield* other.get("key")).toEqual(replaced)
      // A value that is no entry is overwritten
      yield* inspector.send((client) => client.set(redisKey("key"), "garbage"))
      expect(yield* store.get("key")).toBeNull()
      yield* store.set("key", older)
      expect(yield* store.get("key")).toEqual(older)
    }))

  it.scopedLive("issues each version once, in ascending order for each process, also after Redis lost its data", () =>
    Effect.gen(function*() {
      const { client, inspector, store } = yield* connected
      const other = yield* client()
      const issue = (backend: typeof store) =>
        Effect.map(
          Effect.replicateEffect(backend.nextVersion(0), 100),
          (versions) => {
            expect(versions).toEqual(versions.toSorted((one, another) => one - another))
            return versions
          }
        )
      const before = yield* Effect.all([issue(store), issue(other)], { concurrency: 2 })
      const highest = Math.max(...before.flat())
      expect(new Set(before.flat()).size).toBe(200)
      yield* inspector.send((client) => client.flushall())
      expect(yield* store.nextVersion(0)).toBeGreaterThan(highest)
      expect(yield* store.nextVersion(highest + 1e12)).toBe(highest + 1e12 + 1)
      expect(yield* other.nextVersion(0)).toBe(highest + 1e12 + 2)
      expect(yield* inspector.send((client) => client.pttl("quarry:version:1"))).toBeGreaterThan(0)
    }))
})
