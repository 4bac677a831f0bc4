/** How addresses and keys are doing, as people are told. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { breaker, failingReply, options } from "../../../support/CircuitFixtures.ts"
import { minimalOptions, priceReply, throttledReply } from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TelemetryRecorder from "../../../support/TelemetryRecorder.ts"
import { engineHarness, keysOf, labelOf, secretOf } from "../../../support/TestEngine.ts"
import { runPendingWork, whileTimePasses } from "../../../support/TestTime.ts"

const base = "host.test:8443"
const readyKey = (label: string) => ({ label, state: "ready", reason: null, cooldownUntil: null })

describe("the report", () => {
  it.effect("is empty before anything was asked, and names an address by host and port from then on", () =>
    Effect.gen(function*() {
      const { send: ask, engine } = yield* engineHarness(() => priceReply, minimalOptions)
      expect(yield* engine.health).toEqual([])
      yield* ask(1)
      expect(yield* engine.health).toEqual([{
        host: base,
        breaker: "closed",
        retryAt: null,
        keys: [readyKey("default")]
      }])
    }))

  it.effect("tells of a breaker that is open, and of one that is being tried", () =>
    Effect.gen(function*() {
      const { send: ask, engine } = yield* engineHarness(
        (_, number) => number <= 3 ? failingReply : ScriptedClient.delayed("1 second", priceReply),
        { ...options, breaker }
      )
      for (let time = 0; time < 3; time += 1) yield* ask(time)
      expect(yield* engine.health).toMatchObject([{ host: base, breaker: "open", retryAt: 5000 }])
      yield* TestClock.adjust(5000)
      yield* Effect.fork(ask(1))
      yield* runPendingWork
      expect(yield* engine.health).toMatchObject([{ host: base, breaker: "half-open", retryAt: null }])
      yield* TestClock.adjust(1000)
      expect(yield* engine.health).toMatchObject([{ host: base, breaker: "closed", retryAt: null }])
    }))

  it.effect("tells of each key whether it rests, why and until when, and never the key", () =>
    Effect.gen(function*() {
      const labels = ["rejected", "spent", "throttled", "well"]
      let everything = false
      const { send: ask, engine } = yield* engineHarness((requests) => {
        if (everything) return priceReply
        switch (labelOf(requests)) {
          case "rejected":
            return ScriptedClient.respond(401)
          case "spent":
            return ScriptedClient.respond(402)
          case "throttled":
            return throttledReply("30")
          default:
            return priceReply
        }
      }, { ...minimalOptions, apiKey: keysOf(...labels) })
      yield* TestClock.adjust(500)
      for (let time = 0; time < 4; time += 1) yield* ask(time)
      const [report] = yield* engine.health
      expect(report?.keys).toEqual([
        { label: "rejected", state: "cooldown", reason: "rejected", cooldownUntil: 1500 },
        { label: "spent", state: "cooldown", reason: "quota-exceeded", cooldownUntil: 1500 },
        { label: "throttled", state: "cooldown", reason: "throttled", cooldownUntil: 30_500 },
        readyKey("well")
      ])
      for (const label of labels) expect(TelemetryRecorder.inspectDeep(report)).not.toContain(secretOf(label))
      // The rest is over, and nobody knows yet whether it helped.
      yield* TestClock.adjust(1000)
      expect((yield* engine.health)[0]?.keys[0]).toEqual({
        label: "rejected",
        state: "ready",
        reason: "rejected",
        cooldownUntil: null
      })
      everything = true
      yield* TestClock.adjust(60_000)
      for (let time = 0; time < 8; time += 1) yield* whileTimePasses(ask(time))
      expect((yield* engine.health)[0]?.keys).toEqual(labels.map(readyKey))
    }))

  it.effect("tells of a key that comes alone why it does not work, though it goes on being used", () =>
    Effect.gen(function*() {
      const { send: ask, engine } = yield* engineHarness(
        (_, number) =>
          number === 1 ? ScriptedClient.respond(401) : number === 2 ? throttledReply("7") : priceReply,
        { ...minimalOptions, rateLimit: { ...RateLimit.none, maxWait: "1 day" } }
      )
      const first = () => Effect.map(engine.health, ([report]) => report?.keys[0])
      yield* ask(1)
      expect(yield* first()).toMatchObject({ state: "ready", reason: "rejected", cooldownUntil: null })
      yield* ask(1)
      expect(yield* first()).toMatchObject({ state: "cooldown", reason: "throttled", cooldownUntil: 7000 })
      yield* whileTimePasses(ask(1), "7 seconds")
      expect(yield* first()).toEqual(readyKey("default"))
    }))
})
