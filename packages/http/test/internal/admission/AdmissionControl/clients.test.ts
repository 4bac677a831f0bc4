/** Tests in which order a gateway's clients are served, and the limits that they share. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import type { CallClient } from "../../../../src/CallClient.ts"
import {
  client,
  type Ended,
  retryAfterOf,
  runLoad,
  startCall,
  succeeded,
  waitOf
} from "../../../support/ClientCalls.ts"
import {
  callNumberOf,
  indices,
  minimalOptions,
  priceReply,
  throttledReply
} from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import { slowStore } from "../../../support/SlowRateLimitStore.ts"
import { engineHarness } from "../../../support/TestEngine.ts"
import { runPendingWork, whileTimePasses } from "../../../support/TestTime.ts"

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

  it.effect("serves the clients by weight, and rejects the rest early with the time to wait", () =>
    Effect.gen(function*() {
      const demands = [{ client: light, calls: 2 }, { client: third, calls: 6 }, { client: heavy, calls: 2 }]
      const harness = yield* engineHarness(() => priceReply, {
        ...minimalOptions,
        rateLimit: fourPerSecond
      })
      const seconds = 20
      const ended = yield* runLoad(harness, demands, seconds)
      for (const caller of [light, third, heavy]) {
        const expected = caller.weight / 5 * 4 * seconds
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
    }))

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
      // Few trials reach the upstream, so most calls are rejected without an attempt.
      expect(harness.requests.filter(({ at }) => at < 8000).length).toBeLessThanOrEqual(6)
      expect(during.filter(({ error }) => error !== null).length).toBeGreaterThanOrEqual(during.length / 3)
      const after = ended.filter(({ startedAt }) => startedAt >= 16_000)
      expect(succeeded(after, heavy) / succeeded(after, light)).toBeGreaterThan(2.5)
      expect(succeeded(after, heavy) / succeeded(after, light)).toBeLessThan(3.5)
    }))
})

describe("the queue", () => {
  const step = FastCheck.oneof(
    {
      weight: 6,
      arbitrary: FastCheck.record({
        _tag: FastCheck.constant("call" as const),
        client: FastCheck.nat(2),
        duration: FastCheck.integer({ min: 0, max: 300 }),
        reply: FastCheck.constantFrom(
          ScriptedClient.respond(404),
          ScriptedClient.respond(500),
          throttledReply("0.1"),
          ScriptedClient.Disconnect({ code: "ECONNRESET" }),
          ScriptedClient.Defect({})
        )
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
        const calls: Array<{
          readonly caller: CallClient
          readonly duration: number
          readonly reply: ScriptedClient.ScriptedReply
        }> = []
        const { stats, store } = yield* slowStore(storeMillis)
        const harness = yield* engineHarness(
          (request) => {
            const call = calls[callNumberOf(request)]
            return call === undefined
              ? ScriptedClient.Hang()
              : ScriptedClient.delayed(call.duration, call.reply)
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
              calls.push({ caller, duration: step.duration, reply: step.reply })
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
        expect(ended.filter(({ error }) => error?._tag === "LocalLimitError")).toEqual([])
        // Permits are for requests, and no slot or place in the queue is left.
        expect(stats.granted).toBeGreaterThanOrEqual(harness.requests.length)
        expect(stats.granted).toBeLessThanOrEqual(harness.requests.length + interrupted.size)
        // Ends a cooldown
        calls.push({ caller: client("?"), duration: 0, reply: ScriptedClient.respond(404) })
        yield* whileTimePasses(
          Effect.flatMap(startCall(harness, client("?"), fibers.length, []), Fiber.join),
          "1 second"
        )
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
      })
  )
})
