/** Tests rate limits: units per window, and the order of calls. The timelines show costs, rejections and more. */
import { describe, expect, it } from "@effect/vitest"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { makeClock } from "../../../faults/support/CustomClock.ts"
import {
  addressOf,
  callNumberOf,
  fetchPrice,
  minimalOptions,
  sentAtSeconds
} from "../../../support/PriceCalls.ts"
import { maxInWindow } from "../../../support/RateWindow.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { runPendingWork } from "../../../support/TestTime.ts"

const longWaitLimit = { maxWait: "1000 days", maxQueue: 10_000, dailyQuota: null } as const

type Step =
  | { readonly _tag: "call"; readonly expensive: boolean }
  | { readonly _tag: "interrupt"; readonly index: number }
  | { readonly _tag: "time"; readonly millis: number }

const tag = <T extends string>(tag: T) => FastCheck.constant(tag)

const steps: FastCheck.Arbitrary<ReadonlyArray<Step>> = FastCheck.array(
  FastCheck.oneof(
    { weight: 6, arbitrary: FastCheck.record({ _tag: tag("call"), expensive: FastCheck.boolean() }) },
    { weight: 1, arbitrary: FastCheck.record({ _tag: tag("interrupt"), index: FastCheck.nat() }) },
    {
      weight: 3,
      arbitrary: FastCheck.record({
        _tag: tag("time"),
        millis: FastCheck.oneof(FastCheck.nat(30), FastCheck.nat(2000))
      })
    }
  ),
  { minLength: 1, maxLength: 30 }
)

const rules = FastCheck.record({
  limit: FastCheck.integer({ min: 1, max: 40 }),
  window: FastCheck.constantFrom(20, 1000, 3000),
  burst: FastCheck.integer({ min: 1, max: 40 })
})

/** Runs the steps, then waits until all calls have ended. */
const run = (clients: TestClients.Clients, steps: ReadonlyArray<Step>) =>
  Effect.gen(function*() {
    const fibers: Array<Fiber.RuntimeFiber<unknown, unknown>> = []
    const requestedAt: Array<number> = []
    let now = 0
    for (const step of steps) {
      switch (step._tag) {
        case "call": {
          const address = addressOf(fibers.length)
          requestedAt.push(now)
          const call: Effect.Effect<unknown, unknown> = step.expensive
            ? clients.data.walletChains({ address })
            : clients.data.tokenPrice({ address })
          fibers.push(yield* Effect.fork(call))
          yield* runPendingWork
          break
        }
        case "interrupt": {
          const fiber = fibers[step.index % Math.max(1, fibers.length)]
          if (fiber !== undefined) yield* Fiber.interrupt(fiber)
          break
        }
        case "time":
          now += step.millis
          yield* TestClock.adjust(step.millis)
      }
    }
    yield* TestClock.adjust("10 days")
    const exits = yield* Effect.forEach(fibers, (fiber) => Fiber.await(fiber))
    return {
      requestedAt,
      interrupted: exits.map((exit) => Exit.isInterrupted(exit))
    }
  })

/** A response that needs no decoding. */
const notFound = () => ScriptedClient.respond(404)

const ascending = (numbers: ReadonlyArray<number>) => numbers.toSorted((a, b) => a - b)

describe("the rate limit", () => {
  it.effect("applies by a clock that sleeps synchronously", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(notFound, {
        ...minimalOptions,
        rateLimit: { limit: 1, window: "10 seconds", burst: 1, cost: 1, ...longWaitLimit }
      })
      let now = 0
      const clock: Clock.Clock = {
        ...makeClock(() => now, () => () => {}),
        sleep: (duration) =>
          Effect.sync(() => {
            now += Duration.toMillis(duration)
          })
      }
      const calls = Effect.forEach([0, 1, 2], (number) => Effect.exit(fetchPrice(harness, number)))
      yield* Effect.withClock(calls, clock)
      expect(sentAtSeconds(harness.requests)).toEqual([0, 10, 20])
    }))

  it.effect.prop(
    "sends at most limit + burst units in any window, in arrival order, with interruptions",
    {
      rule: rules,
      steps,
      cost: FastCheck.record({
        tokenPrice: FastCheck.integer({ min: 1, max: 5 }),
        walletChains: FastCheck.integer({ min: 1, max: 50 })
      })
    },
    ({ cost, rule, steps }) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness(notFound, {
          ...minimalOptions,
          rateLimit: { ...rule, cost, ...longWaitLimit }
        })
        const { interrupted } = yield* run(harness, steps)
        const sent = harness.requests.map(({ at, url }) => ({
          at,
          cost: url.pathname.endsWith("/price") ? cost.tokenPrice : cost.walletChains
        }))
        const maxUnits = rule.limit + Math.max(rule.burst, cost.tokenPrice, cost.walletChains)
        expect(maxInWindow(sent, rule.window)).toBeLessThanOrEqual(maxUnits + 1e-6)
        const order = harness.requests.map(callNumberOf)
        expect(order).toEqual(ascending(order))
        // All calls are sent except those that were interrupted in the queue.
        expect(interrupted.flatMap((wasInterrupted, number) =>
          wasInterrupted || order.includes(number) ? [] : [number]
        )).toEqual(
          []
        )
      })
  )

  it.effect.prop(
    "sends each call as soon as possible after the remaining earlier ones: interrupted calls delay no other",
    { rule: rules, steps },
    ({ rule, steps }) =>
      Effect.gen(function*() {
        const rateLimit = { ...rule, cost: 1, ...longWaitLimit }
        const harness = yield* TestClients.harness(notFound, { ...minimalOptions, rateLimit })
        const { requestedAt } = yield* run(harness, steps)
        for (const [index, request] of harness.requests.entries()) {
          const free = (harness.requests[index - 1]?.at ?? 0) + rule.window / rule.limit
          const arrived = requestedAt[callNumberOf(request)] ?? Number.NaN
          expect(request.at).toBeLessThanOrEqual(Math.max(arrived, free + 1))
        }
      })
  )
})
