/** Overrides of processes that share records which the test loses, delays and fails. */
import { StoreError } from "@blockquarry/http/gateway/StoreError"
import type { RedisRecord, RedisRecords } from "@blockquarry/redis/RedisRecords"
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
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
    }
  }
}

/** Starts a process. */
const startProcess = (redis: ReturnType<typeof makeRedis>) =>
  Effect.gen(function*() {
    const { link, records } = redis.connect()
    const context = yield* Layer.build(Overrides.layer(false)).pipe(
      Effect.provideService(Overrides.SharedRecords, records)
    )
    const overrides = Context.get(context, Overrides.Overrides)
    return {
      ...overrides,
      link,
      rejected: () => clients.filter((client) => overrides.rejectionOf(client)?.code === "client-disabled")
    }
  })

const clients = ["a", "b"] as const

/** More than the time between two reads. */
const afterRefresh = TestClock.adjust("1 second")

/** Of the process with a number. */
const number = FastCheck.nat(3)

const steps = FastCheck.array(
  FastCheck.oneof(
    FastCheck.record({
      does: FastCheck.constantFrom("set" as const, "clear" as const),
      number,
      client: FastCheck.constantFrom(...clients)
    }),
    // The connection of a process breaks after some writes.
    FastCheck.record({ does: FastCheck.constant("break" as const), number, writes: FastCheck.nat(2) }),
    FastCheck.record({ does: FastCheck.constant("connect" as const), number }),
    FastCheck.record({ does: FastCheck.constantFrom("flush", "snapshot", "failover", "start") })
  ),
  { maxLength: 30 }
)

describe("overrides of clients", () => {
  it.scoped.prop(
    "apply in all processes as the latest one by the clock of Redis says, also after Redis or connections lose some",
    { steps, ahead: FastCheck.constantFrom(0, 3_600_000, -3_600_000) },
    ({ ahead, steps }) =>
      Effect.gen(function*() {
        yield* TestClock.setTime(10 * 3_600_000)
        const redis = makeRedis()
        redis.state.ahead = ahead
        const processes = [yield* startProcess(redis), yield* startProcess(redis)]
        const expected = new Set<string>()
        let failover = redis.snapshot()
        for (const step of steps) {
          const process = processes["number" in step ? step.number % processes.length : 0]!
          if ("client" in step) {
            const { client, does } = step
            yield* process[does]("client", client, "alice")
            if (does === "set") expected.add(client)
            else expected.delete(client)
            expect(process.rejected().includes(client)).toBe(does === "set")
          } else if ("writes" in step) process.link.writes = step.writes
          else if (step.does === "connect") Object.assign(process.link, { isUp: true, writes: Infinity })
          else if (step.does === "flush") redis.flush()
          else if (step.does === "snapshot") failover = redis.snapshot()
          else if (step.does === "failover") failover()
          else if (processes.length < 4) processes.push(yield* startProcess(redis))
          yield* afterRefresh
        }
        for (const { link } of processes) Object.assign(link, { isUp: true, writes: Infinity })
        yield* afterRefresh
        yield* afterRefresh
        processes.push(yield* startProcess(redis))
        for (const process of processes) expect(process.rejected()).toEqual([...expected].sort())
      })
  )
})
