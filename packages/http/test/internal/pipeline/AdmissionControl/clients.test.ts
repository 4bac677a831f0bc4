/** Tests the isolation of a gateway's clients: fair shares of rate limits and slots, and early rejections. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { type CallClient, CurrentClient } from "../../../../src/internal/pipeline/CallClient.ts"
import type * as Engine from "../../../../src/internal/pipeline/Engine.ts"
import {
  callNumberOf,
  fetchPrice,
  indices,
  minimalOptions,
  priceReply,
  throttledReply
} from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { type EngineHarness, engineHarness, keysOf, labelOf } from "../../../support/TestEngine.ts"
import { runPendingWork } from "../../../support/TestTime.ts"

const client = (name: string, weight = 1, share = 1): CallClient => ({ name, weight, share })

/** How a call ended. */
interface Ended {
  readonly client: string
  readonly startedAt: number
  readonly endedAt: number
  readonly error: Engine.RawError | null
  /** The status of the response, if any. */
  readonly status: number | null
}

/** Starts a call for a client, and records how it ended. */
const startCall = ({ send }: EngineHarness, caller: CallClient, number: number, ended: Array<Ended>) =>
  Effect.gen(function*() {
    const startedAt = yield* Clock.currentTimeMillis
    const result = yield* Effect.either(Effect.provideService(send(number), CurrentClient, caller))
    ended.push({
      client: caller.name,
      startedAt,
      endedAt: yield* Clock.currentTimeMillis,
      error: Either.isLeft(result) ? result.left : null,
      status: Either.isRight(result) ? result.right.response.status : null
    })
  }).pipe(Effect.fork, Effect.tap(() => runPendingWork))

interface Demand {
  readonly client: CallClient
  /** Number of calls every `interval`. */
  readonly calls: number
}

const interval = 500

/** Runs the demand of several clients for some time, and then until all calls have ended. */
const runLoad = (harness: EngineHarness, demands: ReadonlyArray<Demand>, seconds: number) =>
  Effect.gen(function*() {
    const ended: Array<Ended> = []
    const fibers: Array<Fiber.RuntimeFiber<void>> = []
    for (let step = 0; step < seconds * 1000 / interval; step += 1) {
      const most = Math.max(...demands.map(({ calls }) => calls))
      for (const round of indices(most)) {
        for (const { client: caller, calls } of demands) {
          if (round < calls) fibers.push(yield* startCall(harness, caller, fibers.length, ended))
        }
      }
      yield* TestClock.adjust(interval)
    }
    yield* TestClock.adjust("1 minute")
    yield* Fiber.joinAll(fibers)
    return ended
  })

const waitOf = ({ endedAt, startedAt }: Ended): number => endedAt - startedAt

const succeeded = (ended: ReadonlyArray<Ended>, { name }: CallClient): number =>
  ended.filter((call) => call.client === name && call.status === 200).length

const retryAfterOf = ({ error }: Ended): number | null =>
  error !== null && "retryAfter" in error && error.retryAfter !== null
    ? Duration.toMillis(error.retryAfter)
    : null

/** 4 calls per second, each with a cost of 10 units. */
const fourPerSecond = RateLimit.make({
  limit: 40,
  window: "1 second",
  burst: 10,
  cost: 10,
  maxWait: "5 seconds"
})

describe("demand beyond the rate limit of a key", () => {
  const light = client("light", 1)
  const heavy = client("heavy", 3)
  const third = client("third", 1)

  it.effect.each<{ readonly demands: ReadonlyArray<Demand>; readonly shares: ReadonlyArray<number> }>([
    { demands: [{ client: light, calls: 2 }, { client: heavy, calls: 2 }], shares: [1 / 4, 3 / 4] },
    { demands: [{ client: light, calls: 10 }, { client: heavy, calls: 2 }], shares: [1 / 4, 3 / 4] },
    {
      demands: [{ client: light, calls: 2 }, { client: third, calls: 6 }, { client: heavy, calls: 2 }],
      shares: [1 / 5, 1 / 5, 3 / 5]
    }
  ])(
    "serves the clients by weight, and rejects the rest early with the time to wait",
    ({ demands, shares }) =>
      Effect.gen(function*() {
        const harness = yield* engineHarness(() => priceReply, {
          ...minimalOptions,
          rateLimit: fourPerSecond
        })
        const seconds = 20
        const ended = yield* runLoad(harness, demands, seconds)
        for (const [index, { client: caller }] of demands.entries()) {
          const expected = (shares[index] ?? 0) * 4 * seconds
          // The queue of up to 5 s is served after the load.
          expect(succeeded(ended, caller)).toBeGreaterThanOrEqual(expected * 0.9)
          expect(succeeded(ended, caller)).toBeLessThanOrEqual(expected * (1 + 5 / seconds) * 1.1)
        }
        for (const call of ended) expect(waitOf(call)).toBeLessThanOrEqual(5000)
        const failed = ended.filter(({ error }) => error !== null)
        for (const call of failed) {
          expect(call.error).toMatchObject({ _tag: "LocalLimitError", limit: "rate" })
          expect(retryAfterOf(call)).toBeGreaterThan(waitOf(call) === 0 ? 5000 : 0)
        }
        // Few wait in vain, because later calls of other clients come first. At the start, the queues are short.
        const steady = failed.filter(({ startedAt }) => startedAt >= 10_000)
        expect(steady.filter((call) => waitOf(call) > 0).length).toBeLessThanOrEqual(steady.length / 5)
      })
  )

  it.effect("does not delay a client with less demand than its share", () =>
    Effect.gen(function*() {
      const harness = yield* engineHarness(() => priceReply, { ...minimalOptions, rateLimit: fourPerSecond })
      const ended = yield* runLoad(harness, [{ client: heavy, calls: 1 }, { client: light, calls: 10 }], 20)
      const own = ended.filter((call) => call.client === heavy.name)
      expect(own.filter(({ error }) => error !== null)).toEqual([])
      // At most one call of the other client is served first.
      expect(Math.max(...own.map(waitOf))).toBeLessThanOrEqual(500)
    }))
})

describe("an upstream that responds with 429 without Retry-After", () => {
  it.effect("causes early errors with the time to wait, and then serves the clients by weight", () =>
    Effect.gen(function*() {
      const [light, heavy] = [client("light", 1), client("heavy", 3)]
      const harness = yield* engineHarness(({ at }) => at < 8000 ? throttledReply() : priceReply, {
        ...minimalOptions,
        rateLimit: fourPerSecond,
        retry: { ...RetryPolicy.standard, attempts: 2 }
      })
      const ended = yield* runLoad(harness, [{ client: light, calls: 2 }, { client: heavy, calls: 2 }], 40)
      for (const call of ended) {
        // Two attempts, each of which waits for at most 5 s.
        expect(waitOf(call)).toBeLessThanOrEqual(10_000)
        if (call.status === 200) continue
        if (call.error === null) expect(call.status).toBe(429)
        else {
          expect(["LocalLimitError", "RateLimitError"]).toContain(call.error._tag)
          expect(retryAfterOf(call)).toBeGreaterThan(0)
        }
      }
      const during = ended.filter(({ startedAt }) => startedAt < 8000)
      // Few probes reach the upstream, so most calls are rejected without an attempt.
      expect(harness.requests.filter(({ at }) => at < 8000).length).toBeLessThanOrEqual(6)
      expect(during.filter(({ error }) => error !== null).length).toBeGreaterThanOrEqual(during.length / 3)
      const after = ended.filter(({ startedAt }) => startedAt >= 16_000)
      expect(succeeded(after, heavy) / succeeded(after, light)).toBeGreaterThan(2.5)
      expect(succeeded(after, heavy) / succeeded(after, light)).toBeLessThan(3.5)
    }))
})

describe("concurrency slots", () => {
  const slots = (limit: number, maxQueue = 1000) => ({
    ...minimalOptions,
    rateLimit: { ...RateLimit.none, maxWait: "5 seconds" as const },
    concurrency: { limit, maxQueue }
  })

  it.effect("are not all taken by one client: others send at once while it waits", () =>
    Effect.gen(function*() {
      const [noisy, quiet] = [client("noisy", 1, 1 / 4), client("quiet", 1, 1 / 4)]
      const harness = yield* engineHarness(
        (request) => callNumberOf(request) < 100 ? ScriptedClient.Hang() : priceReply,
        slots(64)
      )
      const ended: Array<Ended> = []
      for (const number of indices(100)) yield* startCall(harness, noisy, number, ended)
      expect(harness.requests).toHaveLength(16)
      for (const number of indices(10)) yield* startCall(harness, quiet, 100 + number, ended)
      expect(ended.map(({ client: name, status }) => [name, status])).toEqual(
        indices(10).map(() => ["quiet", 200])
      )
      yield* TestClock.adjust(4999)
      expect(ended).toHaveLength(10)
      yield* TestClock.adjust(1)
      const rejected = ended.slice(10)
      expect(rejected).toHaveLength(84)
      for (const call of rejected) {
        expect(call.error).toMatchObject({ _tag: "LocalLimitError", limit: "concurrency" })
      }
    }))

  it.effect("are granted to the client that waits behind fewer calls of its own", () =>
    Effect.gen(function*() {
      const harness = yield* engineHarness(
        () => ScriptedClient.delayed("1 second", priceReply),
        slots(2)
      )
      const ended: Array<Ended> = []
      for (const number of indices(6)) yield* startCall(harness, client("many"), number, ended)
      yield* startCall(harness, client("one"), 6, ended)
      yield* TestClock.adjust("10 seconds")
      expect(harness.requests.map(callNumberOf)).toEqual([0, 1, 2, 6, 3, 4, 5])
    }))

  it.effect("limit the waiting calls of each client, not of all", () =>
    Effect.gen(function*() {
      const harness = yield* engineHarness(() => ScriptedClient.Hang(), slots(1, 2))
      const ended: Array<Ended> = []
      for (const number of indices(4)) yield* startCall(harness, client("a"), number, ended)
      for (const number of indices(3)) yield* startCall(harness, client("b"), 10 + number, ended)
      expect(harness.requests).toHaveLength(1)
      expect(ended.map(({ client: name, error }) => [name, error])).toEqual([
        ["a", expect.objectContaining({ _tag: "LocalLimitError", limit: "concurrency" })],
        ["b", expect.objectContaining({ _tag: "LocalLimitError", limit: "concurrency" })]
      ])
    }))

  it.effect("are not held by a client whose key is in cooldown", () =>
    Effect.gen(function*() {
      const options = {
        ...slots(1),
        rateLimit: { ...RateLimit.none, maxWait: "1 day" as const },
        baseUrl: "https://here.test"
      }
      const { requests, clients } = yield* TestClients.sharedEngine(
        (_, number) => number === 1 ? throttledReply("30") : ScriptedClient.delayed("1 second", priceReply),
        {
          throttled: { ...options, apiKey: keysOf("throttled") },
          ready: { ...options, apiKey: keysOf("ready") }
        }
      )
      for (const number of indices(3)) {
        yield* Effect.zipRight(Effect.fork(fetchPrice(clients.throttled, number)), runPendingWork)
      }
      for (const number of indices(3)) {
        yield* Effect.zipRight(Effect.fork(fetchPrice(clients.ready, number)), runPendingWork)
      }
      yield* TestClock.adjust("3 seconds")
      expect(requests.map(labelOf)).toEqual(["throttled", "ready", "ready", "ready"])
      yield* TestClock.adjust("1 minute")
      expect(requests.map(labelOf).slice(4)).toEqual(["throttled", "throttled"])
    }))

  it.effect("count for all policies of a base URL: a lower limit includes the calls of a higher one", () =>
    Effect.gen(function*() {
      const { requests, clients } = yield* TestClients.sharedEngine(
        () => ScriptedClient.delayed("1 second", priceReply),
        {
          before: { ...slots(4), baseUrl: "https://here.test" },
          after: { ...slots(2), baseUrl: "https://here.test" }
        }
      )
      for (const number of indices(3)) {
        yield* Effect.zipRight(Effect.fork(fetchPrice(clients.before, number)), runPendingWork)
      }
      for (const number of indices(3)) {
        yield* Effect.zipRight(Effect.fork(fetchPrice(clients.after, 10 + number)), runPendingWork)
      }
      expect(requests.map(callNumberOf)).toEqual([0, 1, 2])
      yield* TestClock.adjust("1 second")
      expect(requests.map(callNumberOf)).toEqual([0, 1, 2, 10, 11])
    }))

  it.effect("are not held while a client waits for its share", () =>
    Effect.gen(function*() {
      const [noisy, quiet] = [client("noisy", 1, 1 / 4), client("quiet", 1, 1 / 4)]
      const harness = yield* engineHarness(() => ScriptedClient.delayed("1 second", priceReply), slots(8))
      const ended: Array<Ended> = []
      for (const number of indices(10)) yield* startCall(harness, noisy, number, ended)
      // With one key, the call of the other client overtakes those that wait for the same key.
      yield* startCall(harness, quiet, 20, ended)
      expect(harness.requests.map(callNumberOf)).toEqual([0, 1, 20])
    }))
})

/** A store that takes some time, as a shared one does. It counts the permits and the requests for each id in progress. */
const slowStore = (millis: number) =>
  Effect.map(RateLimitStore.memory, (store) => {
    const stats = { granted: 0, released: 0, refunded: 0, inProgress: 0, maxInProgress: 0 }
    return {
      stats,
      store: {
        ...store,
        sync: undefined,
        acquire: (id, rule, cost, lease) =>
          Effect.gen(function*() {
            stats.inProgress += 1
            stats.maxInProgress = Math.max(stats.maxInProgress, stats.inProgress)
            yield* Effect.sleep(millis)
            const permit = yield* store.acquire(id, rule, cost, lease)
            stats.inProgress -= 1
            if (permit._tag === "Granted") stats.granted += 1
            return permit
          }),
        release: (id, rule, cost, age) =>
          Effect.tap(store.release(id, rule, cost, age), () => Effect.sync(() => stats.released += cost)),
        refund: (id, quota, cost, age) =>
          Effect.tap(store.refund(id, quota, cost, age), () => Effect.sync(() => stats.refunded += cost))
      } satisfies RateLimitStore.RateLimitStoreService
    }
  })

describe("a store that takes some time", () => {
  it.effect("leaves no slot idle while attempts wait, if the rate limit allows them", () =>
    Effect.gen(function*() {
      const { stats, store } = yield* slowStore(20)
      const harness = yield* engineHarness(
        () => ScriptedClient.delayed("20 millis", priceReply),
        { ...minimalOptions, concurrency: { limit: 8, maxQueue: 100 } }
      ).pipe(Effect.provideService(RateLimitStore.RateLimitStore, store))
      const ended: Array<Ended> = []
      for (const number of indices(40)) yield* startCall(harness, client("a"), number, ended)
      // Each call holds a slot for 40 ms.
      yield* TestClock.adjust(5 * 40)
      expect(ended.map(({ status }) => status)).toEqual(indices(40).map(() => 200))
      expect(stats.maxInProgress).toBe(8)
    }))

  it.effect("requests no permit for which the rate limit leaves no units", () =>
    Effect.gen(function*() {
      const { stats, store } = yield* slowStore(20)
      const rateLimit = RateLimit.make({
        limit: 10,
        window: "1 second",
        burst: 4,
        cost: 1,
        maxWait: "1 minute"
      })
      const harness = yield* engineHarness(
        () => ScriptedClient.delayed("20 millis", priceReply),
        { ...minimalOptions, rateLimit, concurrency: { limit: 8, maxQueue: 100 } }
      ).pipe(Effect.provideService(RateLimitStore.RateLimitStore, store))
      const ended: Array<Ended> = []
      for (const number of indices(40)) yield* startCall(harness, client("a"), number, ended)
      yield* TestClock.adjust("1 second")
      stats.maxInProgress = 0
      yield* TestClock.adjust("1 minute")
      expect(ended.map(({ status }) => status)).toEqual(indices(40).map(() => 200))
      expect(stats.maxInProgress).toBe(1)
    }))

  it.effect("charges nothing for a call that is interrupted before its permit is granted", () =>
    Effect.gen(function*() {
      const { stats, store } = yield* slowStore(20)
      const rateLimit = RateLimit.make({
        limit: 10,
        window: "1 second",
        cost: 3,
        dailyQuota: 100,
        maxWait: "1 minute"
      })
      const harness = yield* engineHarness(() => priceReply, { ...minimalOptions, rateLimit }).pipe(
        Effect.provideService(RateLimitStore.RateLimitStore, store)
      )
      const call = yield* startCall(harness, client("a"), 0, [])
      yield* Fiber.interruptFork(call)
      yield* TestClock.adjust(20)
      yield* Fiber.await(call)
      expect(harness.requests).toHaveLength(0)
      expect(stats).toMatchObject({ granted: 1, released: 3, refunded: 3 })
      expect(yield* harness.engine.dailyQuotas(harness.upstream)).toMatchObject([{ remaining: 100 }])
    }))
})

it.effect("no client loses a slot in a cooldown", () =>
  Effect.gen(function*() {
    const harness = yield* engineHarness(
      (request, number) => {
        if (callNumberOf(request) >= 100) return ScriptedClient.Hang()
        return number === 1 ? throttledReply("1") : ScriptedClient.delayed("100 millis", priceReply)
      },
      { ...minimalOptions, concurrency: { limit: 64, maxQueue: 100 } }
    )
    const ended: Array<Ended> = []
    for (const number of indices(60)) {
      yield* startCall(harness, client(number % 2 === 0 ? "a" : "b", 1, 0.25), number, ended)
    }
    yield* TestClock.adjust("1 minute")
    // The first call is not retried, the others wait.
    expect(succeeded(ended, client("a")) + succeeded(ended, client("b"))).toBe(59)
    // Every slot is free again.
    harness.requests.length = 0
    for (const number of indices(64)) yield* startCall(harness, client("c"), 100 + number, ended)
    expect(harness.requests).toHaveLength(64)
  }))

describe("the queue", () => {
  const step = FastCheck.oneof(
    {
      weight: 6,
      arbitrary: FastCheck.record({
        _tag: FastCheck.constant("call" as const),
        client: FastCheck.nat(2),
        duration: FastCheck.integer({ min: 0, max: 300 })
      })
    },
    {
      weight: 2,
      arbitrary: FastCheck.record({ _tag: FastCheck.constant("interrupt" as const), index: FastCheck.nat() })
    },
    {
      weight: 3,
      arbitrary: FastCheck.record({ _tag: FastCheck.constant("time" as const), millis: FastCheck.nat(400) })
    }
  )

  it.effect.prop(
    "never exceeds the limit or a share, serves every call, and loses no slot, with interruptions",
    {
      limit: FastCheck.integer({ min: 1, max: 8 }),
      share: FastCheck.constantFrom(0.25, 0.5, 1),
      storeMillis: FastCheck.constantFrom(0, 20),
      steps: FastCheck.array(step, { minLength: 1, maxLength: 25 })
    },
    ({ limit, share, steps, storeMillis }) =>
      Effect.gen(function*() {
        const callers = ["a", "b", "c"].map((name, index) => client(name, 1 + index, share))
        const calls: Array<{ readonly caller: CallClient; readonly duration: number }> = []
        const { stats, store } = yield* slowStore(storeMillis)
        const harness = yield* engineHarness(
          (request) => {
            const call = calls[callNumberOf(request)]
            return call === undefined
              ? ScriptedClient.Hang()
              : ScriptedClient.delayed(call.duration, ScriptedClient.respond(404))
          },
          {
            ...minimalOptions,
            rateLimit: RateLimit.make({
              limit: 20,
              window: "1 second",
              burst: 5,
              cost: 1,
              maxWait: "1 hour"
            }),
            concurrency: { limit, maxQueue: 1000 }
          }
        ).pipe(Effect.provideService(RateLimitStore.RateLimitStore, store))
        const fibers: Array<Fiber.RuntimeFiber<void>> = []
        const checkSlots = Effect.gen(function*() {
          const now = yield* Clock.currentTimeMillis
          const inFlight = harness.requests.map(callNumberOf).filter((number, index) => {
            const sentAt = harness.requests[index]?.at ?? 0
            return !interrupted.has(number) && now < sentAt + (calls[number]?.duration ?? 0)
          })
          expect(inFlight.length).toBeLessThanOrEqual(limit)
          for (const caller of callers) {
            expect(inFlight.filter((number) => calls[number]?.caller === caller).length)
              .toBeLessThanOrEqual(Math.max(1, Math.floor(share * limit)))
          }
        })
        const ended: Array<Ended> = []
        const interrupted = new Set<number>()
        for (const step of steps) {
          switch (step._tag) {
            case "call": {
              const caller = callers[step.client] ?? client("?")
              calls.push({ caller, duration: step.duration })
              fibers.push(yield* startCall(harness, caller, fibers.length, ended))
              break
            }
            case "interrupt": {
              const index = step.index % Math.max(1, fibers.length)
              const fiber = fibers[index]
              if (fiber === undefined) break
              interrupted.add(index)
              yield* Fiber.interruptFork(fiber)
              break
            }
            case "time":
              yield* TestClock.adjust(step.millis)
          }
          yield* runPendingWork
          yield* checkSlots
        }
        yield* TestClock.adjust("10 seconds")
        yield* Effect.forEach(fibers, (fiber) => Fiber.await(fiber))
        // Every call that was not interrupted is served.
        const sent = new Set(harness.requests.map(callNumberOf))
        expect(calls.flatMap((_, number) => sent.has(number) || interrupted.has(number) ? [] : [number]))
          .toEqual([])
        expect(ended.filter(({ error }) => error !== null)).toEqual([])
        // Permits are for requests, and no slot or place in the queue is left.
        expect(stats.granted).toBeGreaterThanOrEqual(harness.requests.length)
        expect(stats.granted).toBeLessThanOrEqual(harness.requests.length + interrupted.size)
        const sentBefore = harness.requests.length
        for (const number of indices(limit)) {
          yield* startCall(harness, client("newcomer"), 1000 + number, [])
          yield* TestClock.adjust(200)
        }
        expect(harness.requests).toHaveLength(sentBefore + limit)
        // The calls of a client are sent in the order of arrival, unless they request permits at the same time.
        for (const caller of storeMillis === 0 ? callers : []) {
          const order = harness.requests.map(callNumberOf).filter((number) =>
            calls[number]?.caller === caller
          )
          expect(order).toEqual(order.toSorted((a, b) => a - b))
        }
      }),
    { fastCheck: { numRuns: 6 } }
  )

  it.effect("requests one permit at a time of a store that takes some time", () =>
    Effect.gen(function*() {
      const { stats, store } = yield* slowStore(20)
      const harness = yield* engineHarness(() => priceReply, {
        ...minimalOptions,
        rateLimit: RateLimit.make({ limit: 10, window: "1 second", burst: 1, cost: 1, maxWait: "1 minute" })
      }).pipe(Effect.provideService(RateLimitStore.RateLimitStore, store))
      const ended: Array<Ended> = []
      yield* startCall(harness, client("a"), 0, ended)
      yield* TestClock.adjust(20)
      yield* startCall(harness, client("a"), 1, ended)
      yield* TestClock.adjust(20)
      for (const number of indices(10)) yield* startCall(harness, client(`${number}`), number, ended)
      yield* TestClock.adjust("1 minute")
      expect(ended.map(({ status }) => status)).toEqual(indices(12).map(() => 200))
      expect(stats.maxInProgress).toBe(1)
    }))
})

describe("the daily quota of a key", () => {
  const quota = { ...RateLimit.none, cost: 1, dailyQuota: 10 }

  it.effect("counts once for all base URLs", () =>
    Effect.gen(function*() {
      const { requests, clients } = yield* TestClients.sharedEngine(() => priceReply, {
        here: { ...minimalOptions, baseUrl: "https://here.test", rateLimit: quota },
        there: { ...minimalOptions, baseUrl: "https://there.test", rateLimit: quota },
        otherKey: {
          ...minimalOptions,
          baseUrl: "https://there.test",
          rateLimit: quota,
          apiKey: Redacted.make("other")
        }
      })
      for (const number of indices(6)) yield* fetchPrice(clients.here, number)
      for (const number of indices(10)) yield* Effect.ignore(fetchPrice(clients.there, number))
      expect(requests).toHaveLength(10)
      for (const number of indices(11)) yield* Effect.ignore(fetchPrice(clients.otherKey, number))
      expect(requests).toHaveLength(20)
    }))
})
