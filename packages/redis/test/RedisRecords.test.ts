/** Tests records in Redis: set, expired and removed ones. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RedisRecords from "../src/RedisRecords.ts"
import * as Connected from "./support/Connected.ts"
import * as RedisServer from "./support/RedisServer.ts"

const connected = Effect.gen(function*() {
  const { inspector, redis } = yield* Connected.make
  return { inspector, records: yield* Effect.provide(RedisRecords.make, redis) }
})

const key = "quarry:records:1:processes"

const textsOf = (collection: ReturnType<RedisRecords.RedisRecords>) =>
  Effect.map(
    collection.read,
    ({ records }) => Object.entries(records).map(([name, { text }]) => [name, text])
  )

/** A record that is set now. */
const now = (text: string): RedisRecords.RedisRecord => ({ text, at: 0 })

describe.skipIf(RedisServer.program === undefined)(`RedisRecords${RedisServer.skipReason}`, () => {
  it.scopedLive("returns the records of a collection that were neither removed nor have expired", () =>
    Effect.gen(function*() {
      const { inspector, records } = yield* connected
      const [processes, overrides] = [records("processes", 60_000), records("overrides", null)]
      yield* processes.set("one", now("first: {\n}"))
      yield* processes.set("other", now(""))
      yield* overrides.set("one", now("kept"))
      // What a process left that was killed, and one before the clock was set back
      yield* inspector.send((client) =>
        client.hset(key, { killed: "1000:60000:text", future: `${Date.now() + 3_600_000}:60000:text` })
      )
      expect((yield* textsOf(processes)).sort()).toEqual([["one", "first: {\n}"], ["other", ""]])
      expect(yield* inspector.send((client) => client.hkeys(key))).toEqual(["one", "other"])
      expect(yield* inspector.send((client) => client.pttl(key))).toBeGreaterThan(0)
      yield* processes.remove("one")
      yield* processes.set("other", now("later"))
      expect(yield* textsOf(processes)).toEqual([["other", "later"]])
      expect(yield* textsOf(overrides)).toEqual([["one", "kept"]])
      expect(yield* inspector.send((client) => client.pttl("quarry:records:1:overrides"))).toBe(-1)
      expect(yield* textsOf(records("others", null))).toEqual([])
    }))

  it.scopedLive("gives a record the time of Redis, later than that which it replaces, or restores one that is newer", () =>
    Effect.gen(function*() {
      const { inspector, records } = yield* connected
      const overrides = records("overrides", null)
      const time = Effect.map(inspector.time, Math.floor)
      const before = yield* time
      const first = yield* overrides.set("one", now("first"))
      expect(first).toBeGreaterThanOrEqual(before)
      expect(first).toBeLessThanOrEqual(yield* time)
      const later = first + 3_600_000
      expect(yield* overrides.set("one", { text: "second", at: later })).toBe(later + 1)
      expect(yield* overrides.set("one", now("third"))).toBe(later + 2)
      const third = { text: "third", at: later + 2 }
      const newer = { text: "newer", at: later + 3 }
      for (const lost of [{ text: "older", at: 5000 }, { text: "as new", at: later + 2 }]) {
        yield* overrides.set("one", lost, "restore")
        expect((yield* overrides.read).records).toEqual({ one: third })
      }
      yield* overrides.set("one", newer, "restore")
      yield* overrides.set("lost", { text: "lost", at: 5000 }, "restore")
      const read = yield* overrides.read
      expect(read.records).toEqual({ one: newer, lost: { text: "lost", at: 5000 } })
      expect(read.now).toBeGreaterThanOrEqual(first)
      expect(read.now).toBeLessThanOrEqual(yield* time)
    }))
})
