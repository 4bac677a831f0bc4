/** Tests the types of the clients: inputs, outputs, errors, and rejected misuse. */
import { Amount } from "@blockquarry/core/Amount"
import type { JsonPage } from "@blockquarry/core/ApiRequest"
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import type { Erc20Transfer } from "@blockquarry/core/model/Erc20Transfer"
import type { Nft } from "@blockquarry/core/model/Nft"
import type { StreamRecord } from "@blockquarry/core/model/StreamRecord"
import type { TokenOwner } from "@blockquarry/core/model/TokenOwner"
import type { TokenPrice } from "@blockquarry/core/model/TokenPrice"
import type { ListOperationError, OperationError } from "@blockquarry/core/OperationError"
import type { CollectionPage, Page } from "@blockquarry/core/Page"
import * as Api from "@blockquarry/http/Api"
import type * as ApiClient from "@blockquarry/http/ApiClient"
import { DataApi, type DataApiService } from "@blockquarry/http/DataApi"
import type { LedgerApiService } from "@blockquarry/http/LedgerApi"
import type { StreamsApiService } from "@blockquarry/http/StreamsApi"
import { describe, expectTypeOf, it } from "@effect/vitest"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { address } from "./support/Examples.ts"

type Input<K extends keyof DataApiService> = Parameters<DataApiService[K]>[0]

/** Type-checked, never run. */
export const misuses = (data: DataApiService, streams: StreamsApiService) => [
  // @ts-expect-error -- a price is not a list
  data.tokenPrice.pages,
  // @ts-expect-error -- an update is not a list
  streams.updateStreamStatus.pages,
  // @ts-expect-error -- a lower bound is either a block or a date
  data.walletTransfers({ address, from_block: 1, from_date: "2024-01-01" }),
  // @ts-expect-error -- an upper bound is either a block or a date
  data.tokenTransfers.items({ address, to_block: 1, to_date: "2024-01-01" }),
  // @ts-expect-error -- a chain is a text
  data.walletTransfers({ address, chain: 1 }),
  // @ts-expect-error -- missing address
  data.walletTransfers({ chain: "eth" }),
  // @ts-expect-error -- the parameter is called token_address
  data.tokenOwners({ address }),
  // @ts-expect-error -- an order is ASC or DESC
  data.tokenOwners({ token_address: address, order: "ascending" }),
  // @ts-expect-error -- the only value is percent_change
  data.tokenPrice({ address, include: "everything" }),
  // @ts-expect-error -- prices have no dates
  data.tokenPrice({ address, to_date: "2024-01-01" }),
  // @ts-expect-error -- transfers take dates; epoch seconds are for trades
  data.walletTransfers({ address, from_date: 1_700_000_000 }),
  // @ts-expect-error -- unknown stream status
  streams.updateStreamStatus({ id: "s", status: "stopped" }),
  // @ts-expect-error -- unknown pagination option
  data.walletTransfers.items({ address }, { pageSize: 5 }),
  // @ts-expect-error -- one call has no pagination options
  data.walletTransfers({ address }, { maxPages: 1 }),
  // @ts-expect-error -- limits are options of the layer
  data.tokenPrice({ address }, { concurrency: { limit: 1, maxQueue: 1 } }),
  // @ts-expect-error -- the index of a callback is not an option
  [{ address }].map(data.tokenPrice),
  // @ts-expect-error -- a parameter is no object
  data.tokenPrice({ address }, { query: { fresh: {} } }),
  // @ts-expect-error -- without a schema, the output is JSON
  data.request({ path: "/x" }) satisfies Effect.Effect<string, OperationError>,
  // @ts-expect-error -- unknown method
  data.request({ path: "/x", method: "HEAD" }),
  // @ts-expect-error -- a page has a result
  data.request.items({ path: "/x", output: Schema.Struct({ cursor: Schema.String }) }),
  // @ts-expect-error -- `request` is the function for other requests
  Api.Tag<never>()("my-app/Api", { operations: { request: DataApi.operations.tokenPrice } }),
  // @ts-expect-error -- metadata takes decimal or hex
  data.nftMetadata({ address, token_id: "1", format: "octal" })
]

/** Type-checked, never run. All of these are valid. */
export const uses = (data: DataApiService) => [
  data.walletTransfers({ address, chain: undefined, limit: undefined, from_date: undefined }),
  data.walletTransfers.pages({ address }, { maxPages: 2, prefetch: 1, cursor: undefined }),
  data.walletTransfers.items({ address }, { maxItems: 2, cacheMode: "no-store", retry: undefined }),
  data.nftMetadata({ address, token_id: 5n, format: "hex" }),
  data.nftOwners({ address, token_id: "0x5", format: "anything" }),
  data.tokenPrice({ address, chain: "fantom", exchange: "an exchange that is new" }),
  data.tokenPrice({ address }, { query: { fresh: [1, 2n, "3", true], none: undefined } }),
  data.request({ path: "/x", method: "PUT", body: [1n], query: { fresh: 1 } }, { timeouts: { call: 5 } })
]

describe("the types of the clients", () => {
  it("return models, never any", () => {
    expectTypeOf<ReturnType<DataApiService["tokenPrice"]>>().toEqualTypeOf<
      Effect.Effect<TokenPrice, OperationError>
    >()
    expectTypeOf<ReturnType<DataApiService["nftMetadata"]>>().toEqualTypeOf<
      Effect.Effect<Nft, OperationError>
    >()
    expectTypeOf<ReturnType<DataApiService["contractNfts"]>>()
      .toEqualTypeOf<Effect.Effect<CollectionPage<Nft>, OperationError>>()
    expectTypeOf<ReturnType<StreamsApiService["updateStreamStatus"]>>()
      .toEqualTypeOf<Effect.Effect<StreamRecord, OperationError>>()
    type Any<A> = 0 extends 1 & A ? true : false
    type Success<K extends keyof DataApiService> = Effect.Effect.Success<ReturnType<DataApiService[K]>>
    expectTypeOf<{ [K in keyof DataApiService]: Any<Input<K>> | Any<Success<K>> }[keyof DataApiService]>()
      .toEqualTypeOf<false>()
    expectTypeOf<Any<Parameters<LedgerApiService["ledgerTransaction"]>[0]>>().toEqualTypeOf<false>()
    expectTypeOf<Any<Effect.Effect.Success<ReturnType<LedgerApiService["ledgerTransaction"]>>>>()
      .toEqualTypeOf<false>()
  })

  it("return the output of a request, or JSON", () => {
    const types = ({ request }: DataApiService) => {
      const output = Schema.Struct({ cursor: Schema.NullOr(Schema.String), result: Schema.Array(Amount) })
      expectTypeOf(request({ path: "/x" })).toEqualTypeOf<Effect.Effect<JsonValue, OperationError>>()
      expectTypeOf(request({ path: "/x", output: Amount })).toEqualTypeOf<
        Effect.Effect<bigint, OperationError>
      >()
      expectTypeOf(request.pages({ path: "/x" })).toEqualTypeOf<Stream.Stream<JsonPage, ListOperationError>>()
      expectTypeOf(request.items({ path: "/x", output })).toEqualTypeOf<
        Stream.Stream<bigint, ListOperationError>
      >()
    }
    expectTypeOf(types).toBeFunction()
  })

  it("return streams of pages and of records for lists", () => {
    expectTypeOf<ReturnType<DataApiService["walletTransfers"]["pages"]>>()
      .toEqualTypeOf<Stream.Stream<Page<Erc20Transfer>, ListOperationError>>()
    expectTypeOf<ReturnType<DataApiService["tokenOwners"]["items"]>>()
      .toEqualTypeOf<Stream.Stream<TokenOwner, ListOperationError>>()
    expectTypeOf<ReturnType<DataApiService["contractNfts"]["items"]>>().toEqualTypeOf<
      Stream.Stream<Nft, ListOperationError>
    >()
    expectTypeOf<DataApiService["tokenOwners"]>().toExtend<
      ApiClient.OperationFunction<{ readonly token_address: string }, unknown>
    >()
  })
})
