/** Tests the reported health of base URLs and API keys. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { upstreamHealth } from "../../../src/gateway/Engine.ts"
import { minimalOptions, priceReply, throttledReply } from "../../support/PriceCalls.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TelemetryRecorder from "../../support/TelemetryRecorder.ts"
import { engineHarness, keysOf, labelOf, secretOf } from "../../support/TestEngine.ts"
import { whileTimePasses } from "../../support/TestTime.ts"

const readyKey = (label: string) => ({ label, state: "ready", reason: null, cooldownUntil: null })

describe("health", () => {
  it.effect("contains the cooldown of each key, its reason and end, but never the key", () =>
    Effect.gen(function*() {
      const labels = ["rejected", "spent", "throttled", "working"]
      let healthy = false
      const { send, engine } = yield* engineHarness((requests) => {
        if (healthy) return priceReply
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
      for (let time = 0; time < 4; time += 1) yield* send(time)
      const [report] = yield* upstreamHealth(engine)
      expect(report?.keys).toEqual([
        { label: "rejected", state: "cooldown", reason: "rejected", cooldownUntil: 1500 },
        { label: "spent", state: "cooldown", reason: "quota-exceeded", cooldownUntil: 1500 },
        { label: "throttled", state: "cooldown", reason: "throttled", cooldownUntil: 30_500 },
        readyKey("working")
      ])
      for (const label of labels) expect(TelemetryRecorder.inspectDeep(report)).not.toContain(secretOf(label))
      // The cooldowns are over, but the keys have not been used since.
      yield* TestClock.adjust(1000)
      expect((yield* upstreamHealth(engine))[0]?.keys[0]).toEqual({
        label: "rejected",
        state: "ready",
        reason: "rejected",
        cooldownUntil: null
      })
      healthy = true
      yield* TestClock.adjust(60_000)
      for (let time = 0; time < 8; time += 1) yield* whileTimePasses(send(time))
      expect((yield* upstreamHealth(engine))[0]?.keys).toEqual(labels.map(readyKey))
    }))
})
