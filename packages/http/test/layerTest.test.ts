/** Clients of test doubles. */
import * as Erc20Transfer from "@blockquarry/core/model/Erc20Transfer"
import * as LedgerTransaction from "@blockquarry/core/model/LedgerTransaction"
import * as Nft from "@blockquarry/core/model/Nft"
import * as StreamRecord from "@blockquarry/core/model/StreamRecord"
import * as TokenPrice from "@blockquarry/core/model/TokenPrice"
import { InvalidInputError } from "@blockquarry/core/OperationError"
import * as Page from "@blockquarry/core/Page"
import * as DataApi from "@blockquarry/http/DataApi"
import * as LedgerApi from "@blockquarry/http/LedgerApi"
import * as LedgerTestnetApi from "@blockquarry/http/LedgerTestnetApi"
import * as StreamsApi from "@blockquarry/http/StreamsApi"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { address, contract, examples, hash } from "./support/Examples.ts"
import { failureOf } from "./support/Failures.ts"

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

  it.effect("replaces the other APIs too", () =>
    Effect.gen(function*() {
      const streams = yield* StreamsApi.StreamsApi
      const ledger = yield* LedgerApi.LedgerApi
      const testnet = yield* LedgerTestnetApi.LedgerTestnetApi
      expect((yield* streams.updateStreamStatus({ id: "s", status: "paused" })).status).toBe("paused")
      expect(yield* ledger.ledgerTransaction({ txn_hash: hash })).toEqual(LedgerTransaction.example())
      expect((yield* failureOf(testnet.ledgerTransaction({ txn_hash: hash })))._tag).toBe("InvalidInputError")
    }).pipe(Effect.provide(Layer.mergeAll(
      StreamsApi.layerTest({
        updateStreamStatus: ({ status }) => Effect.succeed(StreamRecord.example({ status }))
      }),
      LedgerApi.layerTest({ ledgerTransaction: () => Effect.succeed(LedgerTransaction.example()) }),
      LedgerTestnetApi.layerTest({})
    ))))

  it.effect("fails operations without a test double, and names them", () =>
    Effect.gen(function*() {
      const clients = {
        data: yield* DataApi.DataApi,
        streams: yield* StreamsApi.StreamsApi,
        ledger: yield* LedgerApi.LedgerApi,
        ledgerTestnet: yield* LedgerTestnetApi.LedgerTestnetApi
      }
      for (const { call, id } of examples) {
        const error = yield* failureOf(call(clients))
        expect(error).toMatchObject({ _tag: "InvalidInputError", operation: id })
        expect(error.message).toContain(`no test double for ${id}; pass one to layerTest({ ${id}: … })`)
      }
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
            : Page.example([Erc20Transfer.example({ value: 2n })])
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

  it.effect("rejects invalid records of a test double", () =>
    Effect.gen(function*() {
      const data = yield* DataApi.DataApi
      const error = yield* failureOf(data.walletTransfers({ address }))
      expect(error).toMatchObject({ _tag: "InvalidInputError", operation: "walletTransfers" })
      expect(error.message).toContain("the test double returned an invalid output")
      expect(error.message).toContain("value")
    }).pipe(Effect.provide(DataApi.layerTest({
      walletTransfers: () => Effect.succeed(Page.example([Erc20Transfer.example({ value: -5n })]))
    }))))
})
