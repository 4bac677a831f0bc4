/** What an answer says of itself: from where it comes, how old it is, and who asked for it. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { cachingOptions, numberedPrice } from "../../../support/CacheFixtures.ts"
import { minimalOptions, priceReply } from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import { engineHarness } from "../../../support/TestEngine.ts"
import { runPendingWork } from "../../../support/TestTime.ts"

const fromUpstream = { source: "upstream", storedAt: null, freshUntil: null }

/** The script of tests in which two ask at the same time. */
const delayedPrice: ScriptedClient.Script = (requests, number) =>
  ScriptedClient.delayed("1 second", numberedPrice(requests, number))

describe("an answer", () => {
  it.effect("from the service has no time of its own", () =>
    Effect.gen(function*() {
      for (const options of [minimalOptions, cachingOptions]) {
        const { send: ask } = yield* engineHarness(() => priceReply, options)
        expect(yield* ask(1)).toMatchObject({ ...fromUpstream, collapsed: false })
      }
    }))

  it.effect("that was kept says since when, and until when it is fresh; a stale one too", () =>
    Effect.gen(function*() {
      const { send: ask } = yield* engineHarness(numberedPrice, cachingOptions)
      yield* TestClock.adjust(1000)
      yield* ask(1)
      yield* TestClock.adjust(3000)
      const kept = { storedAt: 1000, freshUntil: 6000, collapsed: false }
      expect(yield* ask(1)).toMatchObject({ ...kept, source: "cache" })
      yield* TestClock.adjust(2000)
      expect(yield* ask(1)).toMatchObject({ ...kept, source: "stale" })
    }))

  it.effect("to those who joined a flight is collapsed, and to the one who began it is not", () =>
    Effect.gen(function*() {
      const { send: ask, requests } = yield* engineHarness(delayedPrice, cachingOptions)
      const fibers = yield* Effect.forEach(
        [1, 1, 1, 2],
        (number) => Effect.zipLeft(Effect.fork(ask(number)), runPendingWork)
      )
      yield* TestClock.adjust(1000)
      const served = yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
      expect(served.map(({ collapsed }) => collapsed)).toEqual([false, true, true, false])
      for (const one of served) expect(one).toMatchObject(fromUpstream)
      expect(requests).toHaveLength(2)
    }))

  it.effect("that was asked for anew since the flight of someone with less time had ended is not collapsed", () =>
    Effect.gen(function*() {
      const { send: ask, requests } = yield* engineHarness(
        (_, number) => ScriptedClient.delayed(number === 1 ? "1 hour" : "1 second", priceReply),
        { ...cachingOptions, timeouts: { attempt: "9 seconds", call: 2500 } }
      )
      const first = yield* Effect.fork(Effect.exit(ask(1)))
      yield* TestClock.adjust(2000)
      const second = yield* Effect.fork(ask(1))
      yield* TestClock.adjust(2000)
      yield* Fiber.join(first)
      expect(yield* Fiber.join(second)).toMatchObject({ ...fromUpstream, collapsed: false })
      expect(requests).toHaveLength(2)
    }))
})
