/** Four ways to test a program: with a test double, with the sandbox, with faults, and with a rejected API key. */
import { Address } from "@blockquarry/core/Address"
import * as Erc20Transfer from "@blockquarry/core/model/Erc20Transfer"
import * as Page from "@blockquarry/core/Page"
import * as DataApi from "@blockquarry/http/DataApi"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { describe, expect, it, layer } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { holdings } from "../src/Holdings.ts"

const address = Schema.decodeSync(Address)
const wallet = address("0x00000000000000000000000000000000000000aa")
const token = address("0x00000000000000000000000000000000000000bb")

/** A client of the sandbox. `provideMerge` gives the sandbox to the tests too. */
const sandbox = (apiKey: string) =>
  DataApi.layer({ baseUrl: Sandbox.baseUrls.data, apiKey: Redacted.make(apiKey) }).pipe(
    Layer.provideMerge(Sandbox.layer({ scale: 500 }))
  )

describe("with a test double", () => {
  it.effect("subtracts what was sent from what was received", () =>
    Effect.gen(function*() {
      expect([...(yield* holdings(wallet))]).toEqual([[token, 7n]])
    }).pipe(
      Effect.provide(DataApi.layerTest({
        walletTransfers: () =>
          Effect.succeed(Page.example([
            Erc20Transfer.example({ address: token, to_address: wallet, value: 10n }),
            Erc20Transfer.example({ address: token, from_address: wallet, value: 3n })
          ]))
      }))
    ))
})

layer(sandbox(Sandbox.apiKey))("with the sandbox", (it) => {
  it.effect("reads all pages: the balances are those of the token's owners", () =>
    Effect.gen(function*() {
      const { ledger: { examples } } = yield* Sandbox.Sandbox
      const data = yield* DataApi.DataApi
      const { result: [largest] } = yield* data.tokenOwners({ token_address: examples.token, chain: "eth" })
      const balances = yield* holdings(largest?.owner_address ?? "")
      expect(balances.get(examples.token)).toBe(largest?.balance)
    }))

  it.effect("returns the same result when requests fail", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox.Sandbox
      const { busyWallet } = sandbox.ledger.examples
      const expected = yield* holdings(busyWallet)
      yield* sandbox.clearRecordedRequests
      yield* sandbox.queueFaults({ status: 503, "retry-after": "5" }, { kind: "reset" }, { kind: "truncate" })
      const fiber = yield* Effect.fork(holdings(busyWallet))
      // The clock stands still in tests: waits between attempts end when it is moved.
      yield* TestClock.adjust(Duration.minutes(1))
      expect(yield* Fiber.join(fiber)).toEqual(expected)
      expect((yield* sandbox.recordedRequests).length).toBeGreaterThan(3)
    }))
})

layer(sandbox(Sandbox.revokedApiKey))("with a revoked API key", (it) => {
  it.effect("fails with a typed error", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(holdings(wallet))
      expect(error).toMatchObject({ _tag: "AuthenticationError", retryable: false })
    }))
})
