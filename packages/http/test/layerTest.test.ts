/** Clients of test doubles, of built-in and own APIs. */
import { Amount } from "@blockquarry/core/Amount"
import * as Erc20Transfer from "@blockquarry/core/model/Erc20Transfer"
import { allOperations } from "@blockquarry/core/Operations"
import * as Page from "@blockquarry/core/Page"
import * as Api from "@blockquarry/http/Api"
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
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { address, examples } from "./support/Examples.ts"
import { TokensApi, walletTokens } from "./support/OwnOperations.ts"

class SameApi extends Api.Tag<SameApi>()("my-app/SameApi", { operations: { list: walletTokens } }) {}

/** The defect of an effect. */
const defectOf = <R>(effect: Effect.Effect<unknown, unknown, R>): Effect.Effect<Error, never, R> =>
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
      expect(examples.map(({ id }) => id).toSorted()).toEqual(allOperations.map(({ id }) => id).toSorted())
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

  const doubles = Api.layerTest(TokensApi, {
    walletTokens: () =>
      Effect.succeed(Page.example([{ symbol: "A", balance: Schema.decodeSync(Amount)("1") }]))
  })

  it.effect("calls test doubles by the names of the functions, also from another API", () =>
    Effect.gen(function*() {
      const { result } = yield* Effect.flatMap(SameApi, (api) => api.list({ address }))
      expect(result).toEqual([{ symbol: "A", balance: 1n }])
      const prices = Effect.flatMap(TokensApi, (api) => api.prices({ tokens: [{ token_address: address }] }))
      expect((yield* defectOf(prices)).message).toContain(
        "no test double for erc20Prices. Provide one: TokensApi.layerTest({ prices: () => Effect.succeed(…) })"
      )
    }).pipe(Effect.provide(Layer.provideMerge(Api.layerOn(SameApi, TokensApi), doubles))))

  it.effect("has test doubles of requests, which return documents", () =>
    Effect.gen(function*() {
      const data = yield* DataApi.DataApi
      const tokens = yield* TokensApi
      const items = data.request.items({
        method: "POST",
        path: "/list",
        body: { a: 1n },
        output: Page.page(Amount)
      })
      expect(Chunk.toReadonlyArray(yield* Stream.runCollect(items))).toEqual([1n, 2n])
      expect(yield* tokens.request({ path: "/x", query: { a: 1 } })).toEqual({
        method: "GET",
        query: { a: 1 }
      })
      expect((yield* defectOf(tokens.request({ path: "/x", output: Amount }))).message).toContain(
        "the test double of request in TokensApi.layerTest returned an invalid output: expected an integer"
      )
    }).pipe(
      Effect.provide(DataApi.layerTest({
        request: ({ body }) =>
          Effect.succeed(
            Predicate.hasProperty(body, "cursor")
              ? { cursor: null, result: ["2"] }
              : { cursor: "next", result: [String(Object(body).a)] }
          )
      })),
      Effect.provide(Api.layerTest(TokensApi, {
        request: ({ method, query }) => Effect.succeed({ method, query: { a: Number(query["a"] ?? 0) } })
      }))
    ))
})
