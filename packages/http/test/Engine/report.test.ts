/** How addresses and keys are doing, as people are told. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { bad, breaker, options } from "../support/Breaking.ts"
import { keysOf, labelOf, running, secretOf } from "../support/Engines.ts"
import { bare, fine, throttled } from "../support/Numbered.ts"
import { passing, settled } from "../support/Passing.ts"
import * as Scripted from "../support/Scripted.ts"
import * as Witness from "../support/Witness.ts"

const base = "host.test:8443"
const ready = (label: string) => ({ label, state: "ready", reason: null, until: null })

describe("the report", () => {
  it.effect("is empty before anything was asked, and names an address by host and port from then on", () =>
    Effect.gen(function*() {
      const { ask, engine } = yield* running(() => fine, bare)
      expect(yield* engine.report).toEqual([])
      yield* ask(1)
      expect(yield* engine.report).toEqual([{
        base,
        breaker: "closed",
        retryAt: null,
        keys: [ready("default")]
      }])
    }))

  it.effect("tells of a breaker that is open, and of one that is being tried", () =>
    Effect.gen(function*() {
      const { ask, engine } = yield* running(
        (_, number) => number <= 3 ? bad : Scripted.late("1 second", fine),
        { ...options, breaker }
      )
      for (let time = 0; time < 3; time += 1) yield* ask(time)
      expect(yield* engine.report).toMatchObject([{ base, breaker: "open", retryAt: 5000 }])
      yield* TestClock.adjust(5000)
      yield* Effect.fork(ask(1))
      yield* settled
      expect(yield* engine.report).toMatchObject([{ base, breaker: "half-open", retryAt: null }])
      yield* TestClock.adjust(1000)
      expect(yield* engine.report).toMatchObject([{ base, breaker: "closed", retryAt: null }])
    }))

  it.effect("tells of each key whether it rests, why and until when, and never the key", () =>
    Effect.gen(function*() {
      const labels = ["refused", "spent", "throttled", "well"]
      let everything = false
      const { ask, engine } = yield* running((asked) => {
        if (everything) return fine
        switch (labelOf(asked)) {
          case "refused":
            return Scripted.answer(401)
          case "spent":
            return Scripted.answer(402)
          case "throttled":
            return throttled("30")
          default:
            return fine
        }
      }, { ...bare, apiKey: keysOf(...labels) })
      yield* TestClock.adjust(500)
      for (let time = 0; time < 4; time += 1) yield* ask(time)
      const [report] = yield* engine.report
      expect(report?.keys).toEqual([
        { label: "refused", state: "resting", reason: "refused", until: 1500 },
        { label: "spent", state: "resting", reason: "exhausted", until: 1500 },
        { label: "throttled", state: "resting", reason: "throttled", until: 30_500 },
        ready("well")
      ])
      for (const label of labels) expect(Witness.seen(report)).not.toContain(secretOf(label))
      // The rest is over, and nobody knows yet whether it helped.
      yield* TestClock.adjust(1000)
      expect((yield* engine.report)[0]?.keys[0]).toEqual({
        label: "refused",
        state: "ready",
        reason: "refused",
        until: null
      })
      everything = true
      yield* TestClock.adjust(60_000)
      for (let time = 0; time < 8; time += 1) yield* passing(ask(time))
      expect((yield* engine.report)[0]?.keys).toEqual(labels.map(ready))
    }))

  it.effect("tells of a key that comes alone why it does not work, though it goes on being used", () =>
    Effect.gen(function*() {
      const { ask, engine } = yield* running(
        (_, number) => number === 1 ? Scripted.answer(401) : number === 2 ? throttled("7") : fine,
        { ...bare, rateLimit: { ...RateLimit.none, maxWait: "1 day" } }
      )
      const first = () => Effect.map(engine.report, ([report]) => report?.keys[0])
      yield* ask(1)
      expect(yield* first()).toMatchObject({ state: "ready", reason: "refused", until: null })
      yield* ask(1)
      expect(yield* first()).toMatchObject({ state: "resting", reason: "throttled", until: 7000 })
      yield* passing(ask(1), "7 seconds")
      expect(yield* first()).toEqual(ready("default"))
    }))
})
