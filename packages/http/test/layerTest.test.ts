/** Clients of test doubles. */
import * as Erc20Transfer from "@blockquarry/core/model/Erc20Transfer"
import { allOperations } from "@blockquarry/core/Operations"
import * as Page from "@blockquarry/core/Page"
import * as DataApi from "@blockquarry/http/DataApi"
import * as LedgerApi from "@blockquarry/http/LedgerApi"
import * as LedgerTestnetApi from "@blockquarry/http/LedgerTestnetApi"
import * as StreamsApi from "@blockquarry/http/StreamsApi"
import { describe, expect, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { address, examples } from "./support/Examples.ts"

/** The defect of an effect. */
const defectOf = (effect: Effect.Effect<unknown, unknown>): Effect.Effect<Error> =>
  Effect.map(Effect.exit(effect), (exit) => {
    const defect = Exit.isFailure(exit) ? Option.getOrNull(Cause.dieOption(exit.cause)) : null
    return defect instanceof Error ? defect : new Error("there is no defect")
  })

describe("layerTest", () => {
  it.effect("dies if an operation has no test double, and shows how to provide one", () =>
    Effect.gen(function*() {
      const clients = {
        data: yield* DataApi.DataApi,
        streams: yield* StreamsApi.StreamsApi,
        ledger: yield* LedgerApi.LedgerApi,
        ledgerTestnet: yield* LedgerTestnetApi.LedgerTestnetApi
      }
      for (const { call, id } of examples) {
        const api = { data: "DataApi", streams: "StreamsApi", ledger: "LedgerApi" }[
          allOperations.find((operation) => operation.id === id)?.api ?? "data"
        ]
        expect((yield* defectOf(call(clients))).message).toBe(
          `no test double for ${id}. Provide one: ${api}.layerTest({ ${id}: () => Effect.succeed(…) })`
        )
      }
      expect((yield* defectOf(Stream.runDrain(clients.data.walletTransfers.items({ address })))).message)
        .toContain("no test double for walletTransfers")
    }).pipe(Effect.provide(Layer.mergeAll(
      DataApi.layerTest({}),
      StreamsApi.layerTest({}),
      LedgerApi.layerTest({}),
      LedgerTestnetApi.layerTest({})
    ))))

  it.effect("dies if the records of a test double are invalid", () =>
    Effect.gen(function*() {
      const data = yield* DataApi.DataApi
      expect((yield* defectOf(data.walletTransfers({ address }))).message).toMatch(
        /^the test double of walletTransfers in DataApi\.layerTest returned an invalid output at result\[0\]\.value: .{1,80}$/
      )
    }).pipe(Effect.provide(DataApi.layerTest({
      walletTransfers: () => Effect.succeed(Page.example([Erc20Transfer.example({ value: -5n })]))
    }))))
})
