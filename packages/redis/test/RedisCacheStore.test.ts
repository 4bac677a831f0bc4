/** Answers in Redis: what is put in comes out of it, everywhere, and nothing else does. */
import { shortDigest } from "@blockquarry/core/ShortDigest"
import type { CacheEntry } from "@blockquarry/http/CacheStore"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import { decode, encode } from "../src/internal/CacheEntryCodec.ts"
import * as Redis from "../src/Redis.ts"
import * as RedisCacheStore from "../src/RedisCacheStore.ts"
import * as Inspector from "./support/Inspector.ts"
import * as RedisServer from "./support/RedisServer.ts"
import { until } from "./support/WaitUntil.ts"

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
  storedAt: Date.now(),
  freshUntil: Date.now() + millis,
  expiresAt: Date.now() + millis
})

const nameOf = (key: string) => `quarry:answer:1:${shortDigest(key)}`

describe("entries as bytes", () => {
  it("are read as they were written", () => {
    FastCheck.assert(FastCheck.property(entries, (entry) => {
      expect(decode(encode(entry))).toEqual(entry)
    }))
  })

  it("that are kept for ever are kept for very long", () => {
    const entry = { ...entryFor(1000), freshUntil: Infinity, expiresAt: Infinity }
    expect(decode(encode(entry))).toEqual({
      ...entry,
      freshUntil: Number.MAX_SAFE_INTEGER,
      expiresAt: Number.MAX_SAFE_INTEGER
    })
  })

  it("are nothing where they are cut off, longer, or of another kind", () => {
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
    for (
      const head of [{}, [], null, { status: "200", length: 0 }, { ...entryFor(1), status: 200, headers: {} }]
    ) {
      expect(decode(new TextEncoder().encode(`${JSON.stringify(head)}\n`))).toBe(null)
    }
  })
})

const connected = Effect.gen(function*() {
  const server = yield* RedisServer.make()
  const inspector = yield* Inspector.make(server)
  const client = (options: RedisCacheStore.RedisCacheOptions & { readonly prefix?: string } = {}) =>
    Effect.flatMap(
      Layer.build(Redis.layer({ url: server.url, keyPrefix: options.prefix })),
      (redis) => Effect.provide(RedisCacheStore.make(options), redis)
    )
  return { client, inspector, store: yield* client() }
})

describe.skipIf(RedisServer.program === undefined)(`answers in Redis${RedisServer.skipReason}`, () => {
  it.scopedLive("any answer that one process keeps, another finds", () =>
    Effect.gen(function*() {
      const { client, store } = yield* connected
      const other = yield* client()
      yield* Effect.promise(() =>
        FastCheck.assert(
          FastCheck.asyncProperty(FastCheck.string(), entries, (key, entry) => {
            const persistent = { ...entry, expiresAt: Date.now() + 60_000 }
            return Effect.runPromise(Effect.gen(function*() {
              yield* store.set(key, persistent)
              expect(yield* other.get(key)).toEqual(persistent)
              expect(yield* other.get(`${key} `)).not.toEqual(persistent)
            }))
          }),
          { numRuns: 100 }
        )
      )
    }))

  it.scopedLive("is forgotten in time, and not kept at all where that has come", () =>
    Effect.gen(function*() {
      const { inspector, store } = yield* connected
      yield* store.set("short", entryFor(100))
      yield* store.set("long", { ...entryFor(60_000), expiresAt: Infinity })
      yield* store.set("over", entryFor(-1))
      const ttl = yield* inspector.send((client) => client.pttl(nameOf("short")))
      expect(ttl).toBeGreaterThan(0)
      expect(ttl).toBeLessThanOrEqual(100)
      expect(yield* inspector.send((client) => client.pttl(nameOf("long")))).toBeGreaterThan(24 * 3600 * 1000)
      expect(yield* store.get("over")).toBe(null)
      yield* until(Effect.map(store.get("short"), (entry) => entry === null))
      expect(yield* inspector.keys).toEqual([nameOf("long")])
    }))

  it.scopedLive("is not found where something else has its name", () =>
    Effect.gen(function*() {
      const { inspector, store } = yield* connected
      const name = nameOf("key")
      yield* inspector.send((client) => client.set(name, "garbage"))
      expect(yield* store.get("key")).toBe(null)
      yield* inspector.send((client) => client.del(name).then(() => client.hset(name, "field", "value")))
      expect(yield* store.get("key")).toBe(null)
      const entry = entryFor(60_000)
      yield* store.set("key", entry)
      expect(yield* store.get("key")).toEqual(entry)
    }))

  it.scopedLive("is not kept where it is too large", () =>
    Effect.gen(function*() {
      const { client, inspector, store } = yield* connected
      const sized = (length: number): CacheEntry => ({
        ...entryFor(60_000),
        response: { status: 200, headers: {}, bytes: new Uint8Array(length) }
      })
      const narrow = yield* client({ maxEntryBytes: 1000 })
      yield* narrow.set("large", sized(1000))
      yield* narrow.set("small", sized(800))
      yield* store.set("too large", sized(RedisCacheStore.defaultMaxEntryBytes))
      yield* store.set("large", sized(RedisCacheStore.defaultMaxEntryBytes - 1000))
      expect([...yield* inspector.keys].sort()).toEqual([nameOf("large"), nameOf("small")].sort())
      expect((yield* narrow.get("large"))?.response.bytes.length).toBe(
        RedisCacheStore.defaultMaxEntryBytes - 1000
      )
    }))

  it.scopedLive("is removed for everybody, whatever has its name, and nothing else is", () =>
    Effect.gen(function*() {
      const { client, inspector, store } = yield* connected
      const other = yield* client()
      for (const key of ["a", "b", "c"]) yield* store.set(key, entryFor(60_000))
      yield* inspector.send((client) =>
        client.del(nameOf("c")).then(() => client.hset(nameOf("c"), "field", "value"))
      )
      for (const key of ["a", "c", "of nothing"]) yield* other.remove(key)
      expect(yield* store.get("a")).toBe(null)
      expect(yield* inspector.keys).toEqual([nameOf("b")])
    }))

  it.scopedLive("is cleared for everybody, and nothing else is, however much there is and however it is called", () =>
    Effect.gen(function*() {
      const { client, inspector, store } = yield* connected
      const others = [
        "quarry:budget:1:answer:",
        "quarry:spent:1:a",
        "quarry:ping",
        "answer:1:a",
        "other:quarry:answer:1:a",
        "quarryanswer:1:a"
      ]
      const put = (names: ReadonlyArray<string>) =>
        inspector.send((client) => client.mset(Object.fromEntries(names.map((name) => [name, "value"]))))
      yield* put(others)
      yield* store.clear
      yield* put(["quarry:answer:0:of another version"])
      yield* Effect.forEach(
        Array.from({ length: 3000 }, (_, index) => `key ${index}`),
        (key) => store.set(key, entryFor(60_000)),
        { concurrency: 100, discard: true }
      )
      expect(yield* inspector.keys).toHaveLength(others.length + 3001)
      yield* (yield* client()).clear
      expect([...yield* inspector.keys].sort()).toEqual(others.toSorted())
      expect(yield* store.get("key 1")).toBe(null)

      // Characters that patterns give a meaning to stand for themselves
      for (const prefix of ["*", "q?", "[a-z]", "\\", "[^q", "a]", ""]) {
        const odd = yield* client({ prefix })
        yield* odd.set("key", entryFor(60_000))
        const name = `${prefix}answer:1:${shortDigest("key")}`
        expect(yield* inspector.keys).toContain(name)
        yield* odd.clear
        expect([...yield* inspector.keys].sort()).toEqual(
          others.filter((other) => !other.startsWith(`${prefix}answer:`)).toSorted()
        )
      }
    }))

  it.scopedLive("is written while others clear, and all that was there before is gone", () =>
    Effect.gen(function*() {
      const { client, inspector, store } = yield* connected
      const other = yield* client()
      const keys = (name: string) => Array.from({ length: 1500 }, (_, index) => `${name} ${index}`)
      const write = (name: string) =>
        Effect.forEach(keys(name), (key) => store.set(key, entryFor(60_000)), {
          concurrency: 50,
          discard: true
        })
      yield* write("before")
      yield* Effect.all([other.clear, write("meanwhile")], { concurrency: 2 })
      const left = new Set(yield* inspector.keys)
      expect(keys("before").filter((key) => left.has(nameOf(key)))).toEqual([])
    }))
})
