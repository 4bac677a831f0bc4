/** Tests the laws of admission through the engine: slots, shares, units and order, whichever calls fail or are interrupted. */
import * as CallUsage from "@blockquarry/http/CallUsage"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { CurrentClient } from "../../../src/gateway/CallContext.ts"
import { callNumberOf, fetchPrice, indices, minimalOptions, priceReply } from "../../support/PriceCalls.ts"
import { maxInWindow } from "../../support/RateWindow.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"
import { engineHarness } from "../../support/TestEngine.ts"
import { fewRuns, runPendingWork } from "../../support/TestTime.ts"

/** An engine whose store of rate limits takes some time, and the permits that the store granted, delayed and took back. */
const withSlowStore = (millis: number, script: ScriptedClient.Script, options: TestClients.HarnessOptions) =>
  Effect.gen(function*() {
    const store = yield* RateLimitStore.memory
    const permits = { granted: 0, delayed: 0, released: 0, refunded: 0 }
    const harness = yield* engineHarness(script, options).pipe(
      Effect.provideService(RateLimitStore.RateLimitStore, {
        ...store,
        acquire: (...args) =>
          Effect.tap(
            Effect.delay(store.acquire(...args), millis),
            ({ _tag }) => Effect.sync(() => _tag === "Granted" ? permits.granted += 1 : permits.delayed += 1)
          ),
        release: (...args) =>
          Effect.tap(store.release(...args), () => Effect.sync(() => permits.released += 1)),
        refund: (...args) => Effect.tap(store.refund(...args), () => Effect.sync(() => permits.refunded += 1))
      })
    )
    return { ...harness, permits }
  })

const step = FastCheck.oneof(
  {
    weight: 6,
    arbitrary: FastCheck.record({
      _tag: FastCheck.constant("call" as const),
      client: FastCheck.nat(2),
      duration: FastCheck.nat(300),
      reply: FastCheck.constantFrom(
        ScriptedClient.respond(404),
        ScriptedClient.respond(500),
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
  "slots, shares and the rate limit are never exceeded, every call is served, and no slot or unit is lost",
  {
    limit: FastCheck.integer({ min: 1, max: 8 }),
    share: FastCheck.constantFrom(0.25, 0.5, 1),
    rate: FastCheck.record({
      limit: FastCheck.constantFrom(5, 20),
      burst: FastCheck.integer({ min: 1, max: 5 })
    }),
    storeMillis: FastCheck.constantFrom(0, 20),
    steps: FastCheck.array(step, { minLength: 1, maxLength: 25 })
  },
  ({ limit, rate, share, steps, storeMillis }) =>
    Effect.gen(function*() {
      const calls: Array<
        { readonly client: number; readonly duration: number; readonly reply: ScriptedClient.ScriptedReply }
      > = []
      const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
      const interrupted = new Set<number>()
      const ofCall = (request: ScriptedClient.RecordedRequest) => calls[callNumberOf(request)]
      const harness = yield* withSlowStore(storeMillis, (request) => {
        const call = ofCall(request)
        return call === undefined ? ScriptedClient.Hang() : ScriptedClient.delayed(call.duration, call.reply)
      }, {
        ...minimalOptions,
        rateLimit: { ...rate, window: "1 second", cost: 1, price: 1, dailyQuota: 1000, maxWait: "1 day" },
        concurrency: { limit, maxQueue: 1000 }
      })
      const start = (client: number, number: number) =>
        harness.send(number).pipe(
          Effect.provideService(CurrentClient, { name: `client ${client}`, weight: 1 + client, share }),
          Effect.exit,
          Effect.fork
        )
      for (const step of steps) {
        if (step._tag === "call") {
          calls.push(step)
          fibers.push(yield* start(step.client, fibers.length))
        } else if (step._tag === "interrupt") {
          const index = step.index % Math.max(1, fibers.length)
          if (fibers[index] === undefined) continue
          interrupted.add(index)
          yield* Fiber.interruptFork(fibers[index])
        } else yield* TestClock.adjust(step.millis)
        yield* runPendingWork
        const now = yield* TestClock.currentTimeMillis
        const inFlight = harness.requests.filter((request) =>
          !interrupted.has(callNumberOf(request)) && now < request.at + (ofCall(request)?.duration ?? 0)
        )
        expect(inFlight.length).toBeLessThanOrEqual(limit)
        for (const client of indices(3)) {
          expect(inFlight.filter((request) => ofCall(request)?.client === client).length)
            .toBeLessThanOrEqual(Math.max(1, Math.floor(share * limit)))
        }
      }
      yield* TestClock.adjust("20 seconds")
      yield* Effect.forEach(fibers, (fiber) => Fiber.await(fiber))
      const sent = harness.requests.map(callNumberOf)
      expect(indices(calls.length).filter((number) => !sent.includes(number) && !interrupted.has(number)))
        .toEqual([])
      // What was not sent is given back.
      expect(harness.permits.granted - harness.permits.released).toBe(sent.length)
      expect(yield* harness.dailyQuotas).toMatchObject([
        { remaining: 1000 - sent.length }
      ])
      if (storeMillis === 0) {
        const units = harness.requests.map(({ at }) => ({ at, cost: 1 }))
        expect(maxInWindow(units, 1000)).toBeLessThanOrEqual(rate.limit + rate.burst + 1e-6)
        // The calls of a client are sent in the order of arrival.
        for (const client of indices(3)) {
          const order = sent.filter((number) => calls[number]?.client === client)
          expect(order).toEqual(order.toSorted((a, b) => a - b))
        }
      }
      // With a slot lost, not all of these would be sent.
      for (const number of indices(limit)) yield* start(0, 1000 + number)
      yield* TestClock.adjust("5 seconds")
      expect(harness.requests.length - sent.length).toBe(Math.max(1, Math.floor(share * limit)))
    }),
  fewRuns
)

it.effect("the store gets few requests beyond the rate limit, and no slot is idle while it allows calls", () =>
  Effect.gen(function*() {
    const reply = ScriptedClient.delayed("20 millis", priceReply)
    const { permits, requests, send } = yield* withSlowStore(20, () => reply, {
      ...minimalOptions,
      rateLimit: RateLimit.make({ limit: 10, window: "1 second", burst: 40, cost: 1, maxWait: "1 minute" }),
      concurrency: { limit: 8, maxQueue: 100 }
    })
    for (const number of indices(80)) yield* Effect.fork(send(number))
    // Eight at a time, each of which holds a slot for 40 ms
    yield* TestClock.adjust(5 * 40)
    expect(requests.length).toBeGreaterThanOrEqual(40)
    yield* TestClock.adjust("6 seconds")
    expect([requests.length, permits.granted]).toEqual([80, 80])
    expect(permits.delayed).toBeLessThanOrEqual(40)
  }))

it.effect("a call that is interrupted before its permit is granted costs nothing", () =>
  Effect.gen(function*() {
    const rateLimit = RateLimit.make({ limit: 10, window: "1 second", cost: 1, price: 3, dailyQuota: 100 })
    const harness = yield* withSlowStore(20, () => priceReply, { ...minimalOptions, rateLimit })
    const call = yield* Effect.fork(harness.send(0))
    yield* runPendingWork
    yield* Fiber.interruptFork(call)
    yield* TestClock.adjust(20)
    yield* Fiber.await(call)
    expect(harness.requests).toHaveLength(0)
    expect(harness.permits).toMatchObject({ granted: 1, released: 1, refunded: 1 })
    expect(yield* harness.dailyQuotas).toMatchObject([{ remaining: 100 }])
  }))

it.effect("no slot is lost if an observer of the usage throws, with and without a wait", () =>
  Effect.gen(function*() {
    const harness = yield* TestClients.harness(() => ScriptedClient.delayed("1 second", priceReply), {
      ...minimalOptions,
      concurrency: { limit: 1, maxQueue: 9 }
    })
    const throwing = CallUsage.observeUsage(fetchPrice(harness, 1), ({ cost, waitMillis }) => {
      if (cost > 0 || waitMillis > 0) throw new Error("a bug")
    })
    const fibers = yield* Effect.replicateEffect(Effect.zipLeft(Effect.fork(throwing), runPendingWork), 2)
    yield* TestClock.adjust("2 seconds")
    for (const fiber of fibers) expect(fiber.unsafePoll()).toMatchObject({ _tag: "Failure" })
    const next = yield* Effect.fork(fetchPrice(harness, 1))
    yield* TestClock.adjust("1 second")
    expect(next.unsafePoll()).toMatchObject({ _tag: "Success" })
  }))
