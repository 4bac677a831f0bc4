/** What the compiler says of the clients: short inputs, exact answers, misuse refused. */
import type { Nft } from "@blockquarry/core/model/Nft"
import type { StreamRecord } from "@blockquarry/core/model/StreamRecord"
import type { TokenOwner } from "@blockquarry/core/model/TokenOwner"
import type { TokenPrice } from "@blockquarry/core/model/TokenPrice"
import type { ListOperationError, OperationError } from "@blockquarry/core/OperationError"
import type { ContractNftsPage } from "@blockquarry/core/operations/contractNfts"
import type { WalletTransfersPage } from "@blockquarry/core/operations/walletTransfers"
import type * as ApiClient from "@blockquarry/http/ApiClient"
import type { DataApiService } from "@blockquarry/http/DataApi"
import type { LedgerApiService } from "@blockquarry/http/LedgerApi"
import type { StreamsApiService } from "@blockquarry/http/StreamsApi"
import { describe, expectTypeOf, it } from "@effect/vitest"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { address, hash } from "./support/Examples.ts"

type Input<K extends keyof DataApiService> = Parameters<DataApiService[K]>[0]

/** Compiled, never run. */
export const misuses = (data: DataApiService, streams: StreamsApiService, ledger: LedgerApiService) => [
  // @ts-expect-error -- a price is no list
  data.tokenPrice.pages,
  // @ts-expect-error -- metadata is no list
  data.nftMetadata.items,
  // @ts-expect-error -- an activity is no list
  data.walletChains.pages,
  // @ts-expect-error -- an update is no list
  streams.updateStreamStatus.pages,
  // @ts-expect-error -- a transaction is no list
  ledger.ledgerTransaction.items,
  // @ts-expect-error -- a lower bound is a block or a date
  data.walletTransfers({ address, from_block: 1, from_date: "2024-01-01" }),
  // @ts-expect-error -- an upper bound is a block or a date
  data.tokenTransfers.items({ address, to_block: 1, to_date: "2024-01-01" }),
  // @ts-expect-error -- fantom has prices, and no trades
  data.walletNftTrades({ address, chain: "fantom" }),
  // @ts-expect-error -- a test network has no prices
  data.tokenPrice({ address, chain: "sepolia" }),
  // @ts-expect-error -- its id has none either
  data.tokenPrice({ address, chain: "0xaa36a7" }),
  // @ts-expect-error -- nobody knows this chain
  data.walletTransfers({ address, chain: "etherium" }),
  // @ts-expect-error -- the address is missing
  data.walletTransfers({ chain: "eth" }),
  // @ts-expect-error -- the address goes by another name here
  data.tokenOwners({ address }),
  // @ts-expect-error -- an order is ASC or DESC
  data.tokenOwners({ token_address: address, order: "ascending" }),
  // @ts-expect-error -- there is one thing to include
  data.tokenPrice({ address, include: "everything" }),
  // @ts-expect-error -- prices go by blocks
  data.tokenPrice({ address, to_date: "2024-01-01" }),
  // @ts-expect-error -- transfers go by dates; epoch seconds are for trades
  data.walletTransfers({ address, from_date: 1_700_000_000 }),
  // @ts-expect-error -- a stream has four states
  streams.updateStreamStatus({ id: "s", status: "stopped" }),
  // @ts-expect-error -- walks have no such option
  data.walletTransfers.items({ address }, { pageSize: 5 }),
  // @ts-expect-error -- metadata takes decimal or hex
  data.nftMetadata({ address, token_id: "1", format: "octal" })
]

/** Compiled, never run: everything here must be accepted. */
export const uses = (data: DataApiService, streams: StreamsApiService, ledger: LedgerApiService) => [
  data.walletTransfers({ address }),
  data.walletTransfers({ address, chain: "polygon amoy", from_block: 1, to_date: new Date(0) }),
  data.walletTransfers({ address, chain: undefined, limit: undefined, from_date: undefined }),
  data.walletTransfers.pages({ address }, { maxPages: 2, prefetch: 1, cursor: undefined }),
  data.walletNftTrades({ address, chain: "0xa4b1", from_date: 1_700_000_000 }),
  data.nftMetadata({ address, token_id: 5n, format: "hex" }),
  data.nftOwners({ address, token_id: "0x5", format: "anything" }),
  data.tokenPrice({ address, chain: "fantom", exchange: "an exchange that is new" }),
  data.walletChains({ address, chains: ["eth", "0x89"] }),
  streams.updateStreamStatus({ id: "s", status: "active" }),
  ledger.ledgerTransaction({ txn_hash: hash })
]

describe("the clients' types", () => {
  it("ask for little", () => {
    expectTypeOf<{ address: string }>().toExtend<Input<"walletTransfers">>()
    expectTypeOf<{ address: string }>().toExtend<Input<"tokenTransfers">>()
    expectTypeOf<{ address: string }>().toExtend<Input<"contractNfts">>()
    expectTypeOf<{ address: string; token_id: string }>().toExtend<Input<"nftOwners">>()
    expectTypeOf<{ address: string; token_id: bigint }>().toExtend<Input<"nftMetadata">>()
    expectTypeOf<{ address: string }>().toExtend<Input<"walletNftTrades">>()
    expectTypeOf<{ token_address: string }>().toExtend<Input<"tokenOwners">>()
    expectTypeOf<{ address: string }>().toExtend<Input<"tokenPrice">>()
    expectTypeOf<{ address: string }>().toExtend<Input<"walletChains">>()
    expectTypeOf<Input<"tokenPrice">["to_block"]>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Input<"contractNfts">["address"]>().toEqualTypeOf<string>()
  })

  it("answer with models, never with any", () => {
    expectTypeOf<ReturnType<DataApiService["tokenPrice"]>>().toEqualTypeOf<
      Effect.Effect<TokenPrice, OperationError>
    >()
    expectTypeOf<ReturnType<DataApiService["nftMetadata"]>>().toEqualTypeOf<
      Effect.Effect<Nft, OperationError>
    >()
    expectTypeOf<ReturnType<DataApiService["contractNfts"]>>()
      .toEqualTypeOf<Effect.Effect<ContractNftsPage, OperationError>>()
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

  it("walk lists of pages and of records", () => {
    expectTypeOf<ReturnType<DataApiService["walletTransfers"]["pages"]>>()
      .toEqualTypeOf<Stream.Stream<WalletTransfersPage, ListOperationError>>()
    expectTypeOf<ReturnType<DataApiService["tokenOwners"]["items"]>>()
      .toEqualTypeOf<Stream.Stream<TokenOwner, ListOperationError>>()
    expectTypeOf<ReturnType<DataApiService["contractNfts"]["items"]>>().toEqualTypeOf<
      Stream.Stream<Nft, ListOperationError>
    >()
    expectTypeOf<DataApiService["tokenOwners"]>().toExtend<
      ApiClient.OperationFunction<{ readonly token_address: string }, unknown>
    >()
  })

  it("name each failure, so that catchTag can take it", () => {
    expectTypeOf<ListOperationError["_tag"]>().toEqualTypeOf<
      | "InvalidInputError"
      | "RequestRejectedError"
      | "NotFoundError"
      | "AuthenticationError"
      | "PermissionDeniedError"
      | "PlanQuotaExceededError"
      | "RateLimitError"
      | "LocalLimitError"
      | "ServerError"
      | "CircuitOpenError"
      | "InvalidResponseError"
      | "PaginationError"
      | "NetworkError"
      | "TimeoutError"
    >()
  })
})
