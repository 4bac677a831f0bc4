/** Clients of test doubles. */
import * as Erc20Transfer from "@blockquarry/core/model/Erc20Transfer"
import * as Nft from "@blockquarry/core/model/Nft"
import * as TokenPrice from "@blockquarry/core/model/TokenPrice"
import { InvalidInputError } from "@blockquarry/core/OperationError"
import { allOperations } from "@blockquarry/core/Operations"
import * as Page from "@blockquarry/core/Page"
import * as DataApi from "@blockquarry/http/DataApi"
import * as LedgerApi from "@blockquarry/http/LedgerApi"
import * as LedgerTestnetApi from "@blockquarry/http/LedgerTestnetApi"
import * as StreamsApi from "@blockquarry/http/StreamsApi"
import { describe, expect, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { address, contract, examples } from "./support/Examples.ts"
import { failureOf } from "./support/Failures.ts"

/** The defect of an effect. */
const defectOf = (effect: Effect.Effect<unknown, unknown>): Effect.Effect<Error> =>
  Effect.map(Effect.exit(effect), (exit) => {
    const defect = Exit.isFailure(exit) ? Option.getOrNull(Cause.dieOption(exit.cause)) : null
    return defect instanceof Error ? defect : new Error("there is no defect")
  })

describe("layerTest", () => {
  it.effect("calls the test double with the decoded input", () =>
    Effect.gen(function*() {
      const data = yield* DataApi.DataApi
      expect(yield* data.tokenPrice({ address: address.toUpperCase().replace("0X", "0x"), chain: "0x1" }))
        .toEqual(TokenPrice.example({ usdPrice: 1.5, tokenName: `${address} eth` }))
    }).pipe(Effect.provide(DataApi.layerTest({
      tokenPrice: ({ address, chain }) =>
        Effect.succeed(TokenPrice.example({ usdPrice: 1.5, tokenName: `${address} ${chain}` }))
    }))))

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

  it.effect("paginates over the pages of a test double", () =>
    Effect.gen(function*() {
      const data = yield* DataApi.DataApi
      const items = yield* Stream.runCollect(data.walletTransfers.items({ address }))
      expect(Chunk.toReadonlyArray(items).map(({ value }) => value)).toEqual([1n, 2n])
      const pages = yield* Stream.runCollect(data.contractNfts.pages({ address: contract }))
      expect(Chunk.toReadonlyArray(pages).map(({ status }) => status)).toEqual(["SYNCED"])
    }).pipe(Effect.provide(DataApi.layerTest({
      walletTransfers: ({ cursor }) =>
        Effect.succeed(
          cursor === undefined
            ? Page.example([Erc20Transfer.example({ value: 1n })], "next")
            : Page.example([Erc20Transfer.example({ value: 2n, log_index: 1 })])
        ),
      contractNfts: () => Effect.succeed({ ...Page.example([Nft.example()]), status: "SYNCED" })
    }))))

  it.effect("passes on the errors of a test double, and validates inputs", () =>
    Effect.gen(function*() {
      const data = yield* DataApi.DataApi
      expect(yield* failureOf(data.tokenPrice({ address }))).toMatchObject({
        issues: [{ reason: "unlucky" }]
      })
      expect(yield* failureOf(data.tokenPrice({ address: "0x1" }))).toMatchObject({
        issues: [{ parameter: "address" }]
      })
    }).pipe(Effect.provide(DataApi.layerTest({
      tokenPrice: () =>
        new InvalidInputError({ operation: "tokenPrice", issues: [{ parameter: "x", reason: "unlucky" }] })
    }))))

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
