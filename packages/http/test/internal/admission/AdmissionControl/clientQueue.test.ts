/** Tests the order in which a gateway's clients are served. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import type { CallClient } from "../../../../src/CallClient.ts"
import { client, type Ended, startCall } from "../../../support/ClientCalls.ts"
import { callNumberOf, indices, minimalOptions, priceReply } from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import { slowStore } from "../../../support/SlowRateLimitStore.ts"
import { engineHarness } from "../../../support/TestEngine.ts"
import { runPendingWork } from "../../../support/TestTime.ts"

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
      })
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
