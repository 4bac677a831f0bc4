/** Tests the source and times of responses, and whether they were coalesced. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { cachingOptions, numberedPrice } from "../support/CacheFixtures.ts"
import { minimalOptions, priceReply } from "../support/PriceCalls.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import { engineHarness } from "../support/TestEngine.ts"
import { runPendingWork } from "../support/TestTime.ts"

const fromUpstream = { source: "upstream", storedAt: null, freshUntil: null }

/** Each response takes a second, so that calls can be concurrent. */
const delayedPrice: ScriptedClient.Script = (requests, number) =>
  ScriptedClient.delayed("1 second", numberedPrice(requests, number))

describe("a response", () => {
  it.effect("of the upstream has no cache times", () =>
    Effect.gen(function*() {
      for (const options of [minimalOptions, cachingOptions]) {
        const { send } = yield* engineHarness(() => priceReply, options)
        expect(yield* send(1)).toMatchObject({ ...fromUpstream, coalesced: false })
      }
    }))

  it.effect("of the cache has the time of storage and the end of its TTL, also when stale", () =>
    Effect.gen(function*() {
      const { send } = yield* engineHarness(numberedPrice, cachingOptions)
      yield* TestClock.adjust(1000)
      yield* send(1)
      yield* TestClock.adjust(3000)
      const cached = { storedAt: 1000, freshUntil: 6000, coalesced: false }
      expect(yield* send(1)).toMatchObject({ ...cached, source: "cache" })
      yield* TestClock.adjust(2000)
      expect(yield* send(1)).toMatchObject({ ...cached, source: "stale" })
    }))

  it.effect("is coalesced for callers that joined a request, and not for the one that started it", () =>
    Effect.gen(function*() {
      const { send, requests } = yield* engineHarness(delayedPrice, cachingOptions)
      const fibers = yield* Effect.forEach(
        [1, 1, 1, 2],
        (number) => Effect.zipLeft(Effect.fork(send(number)), runPendingWork)
      )
      yield* TestClock.adjust(1000)
      const served = yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
      expect(served.map(({ coalesced }) => coalesced)).toEqual([false, true, true, false])
      for (const engineResponse of served) expect(engineResponse).toMatchObject(fromUpstream)
      expect(requests).toHaveLength(2)
    }))

  it.effect("is not coalesced if the joined request timed out and the call sent another one", () =>
    Effect.gen(function*() {
      const { send, requests } = yield* engineHarness(
        (_, number) => ScriptedClient.delayed(number === 1 ? "1 hour" : "1 second", priceReply),
        { ...cachingOptions, timeouts: { attempt: "9 seconds", call: 2500 } }
      )
      const first = yield* Effect.fork(Effect.exit(send(1)))
      yield* TestClock.adjust(2000)
      const second = yield* Effect.fork(send(1))
      yield* TestClock.adjust(2000)
      yield* Fiber.join(first)
      expect(yield* Fiber.join(second)).toMatchObject({ ...fromUpstream, coalesced: false })
      expect(requests).toHaveLength(2)
    }))
})
