/** Calls with the API keys of tenants, on one layer. The timelines show what tenants do not share. */
import * as CallOptions from "@blockquarry/http/CallOptions"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { failureOf } from "./support/Failures.ts"
import { addressOf, priceReply } from "./support/PriceCalls.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import * as TestClients from "./support/TestClients.ts"
import { engineHarness, labelOf, secretOf } from "./support/TestEngine.ts"

const as = (tenant: string) => CallOptions.withCallOptions({ apiKey: Redacted.make(secretOf(tenant)) })

describe("two tenants", () => {
  it.effect("are told apart by any call of a region or stream, and by a call alone", () =>
    Effect.gen(function*() {
      const { data, requests } = yield* TestClients.harness(
        () => ScriptedClient.json({ result: [], cursor: null }),
        { apiKey: Redacted.make(secretOf("layer")) }
      )
      const address = addressOf(1)
      const transfers = data.walletTransfers.items({ address })
      const apiKey = Redacted.make(secretOf("c"))
      yield* transfers.pipe(
        CallOptions.streamWithCallOptions({ apiKey: Redacted.make(secretOf("a")) }),
        Stream.runDrain
      )
      yield* Stream.runDrain(transfers).pipe(
        CallOptions.withCallOptions({ timeouts: { call: "1 second" } }),
        as("b")
      )
      yield* data.walletTransfers({ address }, { apiKey }).pipe(as("b"))
      yield* Stream.runDrain(transfers)
      expect(requests.map(labelOf)).toEqual(["a", "b", "c", "layer"])
      for (const key of ["a\nb", ""]) {
        const error = yield* failureOf(data.walletTransfers({ address }, { apiKey: Redacted.make(key) }))
        expect(error).toMatchObject({ _tag: "InvalidInputError", issues: [{ parameter: "apiKey" }] })
      }
    }))

  it.effect("have names in the health that do not reveal their keys", () =>
    Effect.gen(function*() {
      const { engine, send } = yield* engineHarness(() => priceReply)
      for (const name of ["a", "b"]) yield* send(1).pipe(as(name))
      const [health] = yield* engine.health
      const name = expect.stringMatching(/^tenant [0-9a-f]{32}$/)
      expect(health?.keys.map(({ label }) => label)).toEqual([name, name])
    }))
})
