/** Overrides of processes that share records which the test loses, delays and fails. */
import * as Engine from "@blockquarry/http/gateway/Engine"
import { StoreError } from "@blockquarry/http/gateway/StoreError"
import type { RedisRecord, RedisRecords } from "@blockquarry/redis/RedisRecords"
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import * as Overrides from "../../src/auth/Overrides.ts"

interface Stored extends RedisRecord {
  readonly ttlMillis: number | null
}

/** Redis as `RedisRecords` describes it. */
const makeRedis = () => {
  let data = new Map<string, Stored>()
  /** Milliseconds by which the clocks of processes are behind. */
  const state = { ahead: 0 }
  const now = Effect.map(Clock.currentTimeMillis, (time) => time + state.ahead)
  const live = (key: string, time: number) => {
    const stored = data.get(key)
    return stored !== undefined && (stored.ttlMillis === null || time < stored.at + stored.ttlMillis)
      ? stored
      : undefined
  }
  /** The connection of one process. */
  const connect = () => {
    const link = { isUp: true, writes: Infinity }
    const command = <A>(run: (time: number) => A) =>
      Effect.flatMap(
        now,
        (time) => link.isUp ? Effect.sync(() => run(time)) : new StoreError({ reason: "refused" })
      )
    const records: RedisRecords = (collection, ttlMillis) => ({
      set: (name, { at, text }, mode) =>
        Effect.suspend(() => {
          if (link.writes === 0) link.isUp = false
          link.writes -= 1
          return command((time) => {
            const key = `${collection} ${name}`
            const last = live(key, time)?.at ?? 0
            if (mode === "restore" && at <= last) return last
            const stored = { text, at: mode === "restore" ? at : Math.max(time, last + 1, at + 1), ttlMillis }
            data.set(key, stored)
            return stored.at
          })
        }),
      remove: (name) => command(() => void data.delete(`${collection} ${name}`)),
      read: command((time) => ({
        now: time,
        records: Object.fromEntries([...data.keys()].flatMap((key) => {
          const [of, name = ""] = key.split(" ")
          const stored = live(key, time)
          return of === collection && stored !== undefined ? [[name, stored] as const] : []
        }))
      }))
    })
    return { link, records }
  }
  return {
    state,
    connect,
    /** Restarts without data. */
    flush: () => data = new Map(),
    /** Returns what a failover to this state does. */
    snapshot: () => {
      const copy = new Map(data)
      return () => data = new Map(copy)
    },
    liveKeys: Effect.map(
      now,
      (time) => [...data.keys()].filter((key) => live(key, time) !== undefined).sort()
    ),
    texts: () => [...data.values()].map(({ text }) => text)
  }
}

/** Starts a process. */
const startProcess = (redis: ReturnType<typeof makeRedis>) =>
  Effect.gen(function*() {
    const { link, records } = redis.connect()
    const counts = { purges: 0 }
    const engine = Context.get(yield* Layer.build(Engine.layer), Engine.Engine)
    const invalidateMemory = Effect.sync(() => void (counts.purges += 1))
    const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
    const context = yield* Overrides.layer(false).pipe(
      Layer.provide(Layer.succeed(Engine.Engine, { ...engine, invalidateMemory })),
      Layer.buildWithScope(scope),
      Effect.provideService(Overrides.SharedRecords, records)
    )
    const overrides = Context.get(context, Overrides.Overrides)
    return {
      ...overrides,
      link,
      counts,
      stop: Scope.close(scope, Exit.void),
      rejected: (...clients: ReadonlyArray<string>) =>
        clients.filter((client) => overrides.rejectionOf(client)?.code === "client-disabled")
    }
  })

/** More than the time between two reads. */
const afterRefresh = TestClock.adjust("1 second")

const startProcesses = Effect.gen(function*() {
  const redis = makeRedis()
  const [one, other] = yield* Effect.all([startProcess(redis), startProcess(redis)])
  return { redis, one, other }
})

/** Disables two clients in all processes. */
const disableBoth = Effect.gen(function*() {
  const processes = yield* startProcesses
  for (const client of ["a", "b"]) expect(yield* processes.one.set("client", client, "alice")).toBe(true)
  yield* afterRefresh
  return processes
})

const both = ["a", "b"]

describe("a disabled client", () => {
  it.scoped("stays so if Redis loses everything, also if a process that restores it loses its connection half-way", () =>
    Effect.gen(function*() {
      const { one, other, redis } = yield* disableBoth
      redis.flush()
      one.link.writes = 1
      other.link.isUp = false
      for (let seconds = 0; seconds < 3; seconds += 1) {
        yield* afterRefresh
        expect([one, other].map((process) => process.rejected(...both))).toEqual([both, both])
      }
      expect(yield* redis.liveKeys).toEqual(["overrides:client a"])
      // The other one restores the rest
      other.link.isUp = true
      yield* afterRefresh
      expect(yield* redis.liveKeys).toEqual(["overrides:client a", "overrides:client b"])
      expect((yield* startProcess(redis)).rejected(...both)).toEqual(both)
    }))

  it.scoped("stays so if a process that starts with an empty Redis sets another override first", () =>
    Effect.gen(function*() {
      const { one, other, redis } = yield* disableBoth
      redis.flush()
      const late = yield* startProcess(redis)
      yield* late.set("client", "c", "bob")
      yield* afterRefresh
      for (const process of [one, other, late]) {
        expect(process.rejected("a", "b", "c")).toEqual(["a", "b", "c"])
      }
    }))

  it.scoped("stays so after a failover that has lost the last write", () =>
    Effect.gen(function*() {
      const { one, other, redis } = yield* startProcesses
      yield* one.set("client", "a", "alice")
      const failover = redis.snapshot()
      yield* one.set("client", "b", "alice")
      yield* one.clear("client", "a", "alice")
      failover()
      yield* afterRefresh
      for (const process of [one, other]) expect(process.rejected(...both)).toEqual(["b"])
    }))

  it.scoped("that was enabled stays so, whichever processes still knew that it was disabled", () =>
    Effect.gen(function*() {
      const { one, other, redis } = yield* disableBoth
      const stale = yield* startProcess(redis)
      stale.link.isUp = false
      yield* one.clear("client", "a", "alice")
      redis.flush()
      stale.link.isUp = true
      for (let seconds = 0; seconds < 3; seconds += 1) {
        yield* afterRefresh
        for (const process of [one, other, stale]) expect(process.rejected(...both)).toEqual(["b"])
      }
      // Also if the process that is asked has just started with an empty Redis
      redis.flush()
      const late = yield* startProcess(redis)
      yield* late.clear("client", "b", "bob")
      yield* afterRefresh
      for (const process of [one, other, stale, late]) expect(process.rejected(...both)).toEqual([])
    }))

  it.scoped("that was enabled stays so if the clock of Redis is set back", () =>
    Effect.gen(function*() {
      const { one, other, redis } = yield* startProcesses
      redis.state.ahead = 3_600_000
      yield* one.set("client", "a", "alice")
      yield* afterRefresh
      redis.state.ahead = 0
      redis.flush()
      yield* other.clear("client", "a", "alice")
      yield* afterRefresh
      for (const process of [one, other]) expect(process.rejected("a")).toEqual([])
    }))
})

describe("while Redis is unavailable", () => {
  it.scoped("the last change wins by the time of Redis, although a clock is behind", () =>
    Effect.gen(function*() {
      const { one, other, redis } = yield* startProcesses
      redis.state.ahead = 3_600_000
      yield* afterRefresh
      one.link.isUp = false
      yield* other.clear("client", "a", "bob")
      yield* TestClock.adjust("1 minute")
      yield* one.set("client", "a", "alice")
      one.link.isUp = true
      yield* afterRefresh
      for (const process of [one, other]) expect(process.rejected("a")).toEqual(["a"])
    }))
})

describe("an override of a process", () => {
  it.scoped("is gone within a minute of the end of its process", () =>
    Effect.gen(function*() {
      const { one, other, redis } = yield* startProcesses
      yield* one.set("drain", other.processName, "alice")
      yield* afterRefresh
      yield* other.stop
      yield* afterRefresh
      redis.flush()
      yield* TestClock.adjust("1 minute")
      expect(yield* redis.liveKeys).toEqual([])
      // Others do not restore it any more
      redis.flush()
      yield* afterRefresh
      expect(redis.texts()).toEqual([])
    }))

  it.scoped("purges the memory of that one, once", () =>
    Effect.gen(function*() {
      const { one, other } = yield* startProcesses
      const purges = () => [one, other].map(({ counts }) => counts.purges)
      yield* one.set("purge", other.processName, "alice")
      yield* TestClock.adjust("500 millis")
      expect(purges()).toEqual([0, 1])
      yield* TestClock.adjust("2 minutes")
      expect(purges()).toEqual([0, 1])
      yield* one.set("purge", other.processName, "alice")
      yield* one.set("purge", one.processName, "alice")
      expect(purges()).toEqual([1, 1])
      yield* afterRefresh
      expect(purges()).toEqual([1, 2])
    }))
})
