/**
 * The records that operations return: plain objects. Amounts are `bigint`, times are `Date`, exact decimals are strings of
 * digits, and absent values are null.
 *
 * `test/types.test.ts` checks that these types are those of the models of `@blockquarry/core`.
 *
 * @since 0.1.0
 */
import * as CoreErc20Transfer from "@blockquarry/core/model/Erc20Transfer"
import * as CoreLedgerTransaction from "@blockquarry/core/model/LedgerTransaction"
import * as CoreNft from "@blockquarry/core/model/Nft"
import * as CoreNftTrade from "@blockquarry/core/model/NftTrade"
import * as CoreStreamRecord from "@blockquarry/core/model/StreamRecord"
import * as CoreTokenOwner from "@blockquarry/core/model/TokenOwner"
import * as CoreTokenPrice from "@blockquarry/core/model/TokenPrice"
import * as CoreWalletChains from "@blockquarry/core/model/WalletChains"
import type { ChainName } from "./Chain.ts"
import { makeModel } from "./internal/makeModel.ts"
import type { Hex, JsonValue, OpenEnum } from "./Values.ts"

/**
 * A model: how to decode and make its records.
 *
 * @since 0.1.0
 * @category models
 */
export interface Model<Record, Example extends Record = Record> {
  /**
   * Decodes a record: JSON that `encode` returned, or a record of a response of the API. Throws an `InvalidRecordError` if
   * the value is not a record of this model.
   */
  readonly decode: (json: unknown) => Record
  /** Returns an example record, for tests. `fields` replace those of the example. */
  readonly example: (fields?: Partial<Example>) => Example
}

/**
 * A transfer of an ERC20 token.
 *
 * @since 0.1.0
 * @category models
 */
export interface Erc20Transfer {
  readonly token_name: string | null
  readonly token_symbol: string | null
  readonly token_logo: string | null
  readonly token_decimals: number | null
  readonly transaction_hash: Hex
  /** Address of the token contract. */
  readonly address: Hex | null
  readonly block_timestamp: Date | null
  readonly block_number: number
  readonly block_hash: Hex | null
  readonly to_address: Hex | null
  readonly to_address_entity: string | null
  readonly to_address_entity_logo: string | null
  readonly to_address_label: string | null
  readonly from_address: Hex | null
  readonly from_address_entity: string | null
  readonly from_address_entity_logo: string | null
  readonly from_address_label: string | null
  /** In the token's smallest unit; format it with `formatUnits` and `token_decimals`. */
  readonly value: bigint | null
  readonly transaction_index: number | null
  readonly log_index: number | null
  readonly possible_spam: boolean | null
  readonly verified_collection: boolean | null
  /** Some upstreams return this in addition to or instead of `verified_collection`. */
  readonly verified_contract: boolean | null
}

/**
 * The model of `Erc20Transfer`.
 *
 * @since 0.1.0
 * @category models
 */
export const Erc20Transfer: Model<Erc20Transfer> = /* @__PURE__ */ makeModel(
  "Erc20Transfer",
  CoreErc20Transfer.Erc20Transfer,
  CoreErc20Transfer.example
)

/**
 * An NFT and one of its owners.
 *
 * @since 0.1.0
 * @category models
 */
export interface OwnedNft {
  readonly token_address: Hex
  readonly token_id: bigint
  readonly owner_of: Hex | null
  readonly token_hash: string | null
  readonly block_number: number | null
  readonly block_number_minted: number | null
  readonly contract_type: OpenEnum<"ERC721" | "ERC1155"> | null
  readonly token_uri: string | null
  /** Usually a JSON document, sometimes plain text. */
  readonly metadata: string | null
  readonly normalized_metadata: JsonValue
  readonly media: JsonValue
  readonly last_token_uri_sync: Date | null
  readonly last_metadata_sync: Date | null
  /** The amount that the owner holds; 1 for ERC721. */
  readonly amount: bigint | null
  readonly name: string | null
  readonly symbol: string | null
  readonly possible_spam: boolean | null
  readonly verified_collection: boolean | null
  readonly rarity_rank: number | null
  readonly rarity_label: string | null
  readonly rarity_percentage: number | null
}

/**
 * The model of `OwnedNft`.
 *
 * @since 0.1.0
 * @category models
 */
export const OwnedNft: Model<OwnedNft> = /* @__PURE__ */ makeModel(
  "OwnedNft",
  CoreNft.OwnedNft,
  CoreNft.ownedExample
)

/**
 * An NFT of a contract.
 *
 * @since 0.1.0
 * @category models
 */
export interface Nft extends OwnedNft {
  /** An address, or plain text if there is no single minter. */
  readonly minter_address: string | null
  readonly last_sale: {
    readonly transaction_hash: Hex | null
    readonly block_timestamp: Date | null
    readonly buyer_address: Hex | null
    readonly seller_address: Hex | null
    /** In the payment token's smallest unit. */
    readonly price: bigint | null
    /** In whole tokens. */
    readonly price_formatted: string | null
    readonly usd_price_at_sale: string | null
    readonly current_usd_value: string | null
    readonly token_id: bigint | null
    readonly payment_token: {
      readonly token_name: string | null
      readonly token_symbol: string | null
      readonly token_logo: string | null
      readonly token_decimals: number | null
      readonly token_address: Hex | null
    } | null
  } | null
}

/**
 * The model of `Nft`.
 *
 * @since 0.1.0
 * @category models
 */
export const Nft: Model<Nft> = /* @__PURE__ */ makeModel("Nft", CoreNft.Nft, CoreNft.example)

/**
 * A trade of NFTs.
 *
 * @since 0.1.0
 * @category models
 */
export interface NftTrade {
  readonly transaction_hash: Hex
  readonly transaction_index: number | null
  /** May contain a token more than once. */
  readonly token_ids: ReadonlyArray<bigint> | null
  readonly seller_address: Hex | null
  readonly buyer_address: Hex | null
  readonly token_address: Hex | null
  readonly marketplace_address: Hex | null
  readonly price_token_address: Hex | null
  /** In the smallest unit of the token at `price_token_address`. */
  readonly price: bigint | null
  readonly block_timestamp: Date | null
  readonly block_number: number
  readonly block_hash: Hex | null
}

/**
 * The model of `NftTrade`.
 *
 * @since 0.1.0
 * @category models
 */
export const NftTrade: Model<NftTrade> = /* @__PURE__ */ makeModel(
  "NftTrade",
  CoreNftTrade.NftTrade,
  CoreNftTrade.example
)

/**
 * A holder of an ERC20 token.
 *
 * @since 0.1.0
 * @category models
 */
export interface TokenOwner {
  readonly owner_address: Hex
  readonly owner_address_label: string | null
  /** In the token's smallest unit. */
  readonly balance: bigint | null
  /** In whole tokens. */
  readonly balance_formatted: string | null
  readonly usd_value: string | null
  readonly is_contract: boolean | null
  /** From 0 to 100. */
  readonly percentage_relative_to_total_supply: string | null
}

/**
 * The model of `TokenOwner`.
 *
 * @since 0.1.0
 * @category models
 */
export const TokenOwner: Model<TokenOwner> = /* @__PURE__ */ makeModel(
  "TokenOwner",
  CoreTokenOwner.TokenOwner,
  CoreTokenOwner.example
)

/**
 * The price of an ERC20 token.
 *
 * @since 0.1.0
 * @category models
 */
export interface TokenPrice {
  readonly tokenName: string | null
  readonly tokenSymbol: string | null
  readonly tokenLogo: string | null
  readonly tokenDecimals: number | null
  /** The price in the chain's native token. */
  readonly nativePrice: {
    /** In the native token's smallest unit. */
    readonly value: bigint | null
    readonly decimals: number | null
    readonly name: string | null
    readonly symbol: string | null
    readonly address: Hex | null
  } | null
  /** US dollars for one whole token. */
  readonly usdPrice: number
  readonly usdPriceFormatted: string | null
  /** Returned with `include: "percent_change"`. */
  readonly "24hrPercentChange": string | null
  readonly exchangeAddress: Hex | null
  readonly exchangeName: string | null
  readonly tokenAddress: Hex | null
  /** The block at which the price was evaluated. */
  readonly toBlock: number | null
  readonly possibleSpam: boolean | null
  readonly verifiedContract: boolean | null
  readonly pairAddress: Hex | null
  readonly pairTotalLiquidityUsd: string | null
}

/**
 * The model of `TokenPrice`.
 *
 * @since 0.1.0
 * @category models
 */
export const TokenPrice: Model<TokenPrice> = /* @__PURE__ */ makeModel(
  "TokenPrice",
  CoreTokenPrice.TokenPrice,
  CoreTokenPrice.example
)

/**
 * The first or last transaction of a wallet on a chain.
 *
 * @since 0.1.0
 * @category models
 */
export interface ChainTransaction {
  readonly block_number: number | null
  readonly block_timestamp: Date | null
  readonly transaction_hash: Hex | null
}

/**
 * The activity of a wallet on a chain.
 *
 * @since 0.1.0
 * @category models
 */
export interface ActiveChain {
  readonly chain: OpenEnum<ChainName> | null
  /** Hexadecimal chain ID. */
  readonly chain_id: string | null
  /** Null if the wallet was never active on the chain. */
  readonly first_transaction: ChainTransaction | null
  readonly last_transaction: ChainTransaction | null
}

/**
 * The chains on which a wallet is active.
 *
 * @since 0.1.0
 * @category models
 */
export interface WalletChains {
  readonly address: Hex
  readonly active_chains: ReadonlyArray<ActiveChain>
}

/**
 * The model of `WalletChains`.
 *
 * @since 0.1.0
 * @category models
 */
export const WalletChains: Model<WalletChains> = /* @__PURE__ */ makeModel(
  "WalletChains",
  CoreWalletChains.WalletChains,
  CoreWalletChains.example
)

/**
 * A parameter of a contract function or event.
 *
 * @since 0.1.0
 * @category models
 */
export interface AbiParameter {
  readonly name: string | null
  readonly type: string | null
  readonly indexed: boolean | null
  readonly components: JsonValue
  readonly internalType: string | null
}

/**
 * A function or event of a contract.
 *
 * @since 0.1.0
 * @category models
 */
export interface AbiItem {
  readonly anonymous: boolean | null
  readonly constant: boolean | null
  readonly inputs: ReadonlyArray<AbiParameter | null> | null
  readonly name: string | null
  readonly outputs: ReadonlyArray<AbiParameter | null> | null
  readonly payable: boolean | null
  readonly stateMutability: string | null
  readonly type: string | null
  readonly gas: number | null
}

/**
 * A stream: events of addresses that the API sends to a webhook.
 *
 * @since 0.1.0
 * @category models
 */
export interface StreamRecord {
  readonly webhookUrl: string | null
  readonly description: string | null
  readonly tag: string | null
  readonly topic0: ReadonlyArray<string> | null
  readonly allAddresses: boolean | null
  readonly includeNativeTxs: boolean | null
  readonly includeContractLogs: boolean | null
  readonly includeInternalTxs: boolean | null
  readonly includeAllTxLogs: boolean | null
  readonly getNativeBalances:
    | ReadonlyArray<{
      readonly selectors: ReadonlyArray<string> | null
      readonly type: string | null
    }>
    | null
  readonly abi: ReadonlyArray<AbiItem> | null
  readonly advancedOptions:
    | ReadonlyArray<{
      readonly topic0: string | null
      readonly filter: JsonValue
      readonly includeNativeTxs: boolean | null
    }>
    | null
  /** Hexadecimal chain IDs. */
  readonly chainIds: ReadonlyArray<string> | null
  readonly demo: boolean | null
  readonly triggers:
    | ReadonlyArray<{
      readonly type: string | null
      readonly contractAddress: string | null
      readonly inputs: ReadonlyArray<JsonValue> | null
      readonly functionAbi: AbiItem | null
      readonly topic0: string | null
      readonly callFrom: string | null
    }>
    | null
  readonly id: string
  readonly status: OpenEnum<"active" | "paused" | "error" | "terminated">
  readonly statusMessage: string | null
}

/**
 * The model of `StreamRecord`.
 *
 * @since 0.1.0
 * @category models
 */
export const StreamRecord: Model<StreamRecord> = /* @__PURE__ */ makeModel(
  "StreamRecord",
  CoreStreamRecord.StreamRecord,
  CoreStreamRecord.example
)

/** What transactions have that a user submitted. */
interface SubmittedTransaction {
  readonly hash: Hex
  readonly sender: string | null
  readonly sequence_number: bigint | null
  readonly max_gas_amount: bigint | null
  readonly gas_unit_price: bigint | null
  readonly expiration_timestamp_secs: bigint | null
  readonly payload: {
    readonly type: string | null
    readonly function: string | null
    readonly type_arguments: ReadonlyArray<string> | null
    /** The submitted arguments: strings, and for some payloads objects and nested arrays. */
    readonly arguments: ReadonlyArray<JsonValue> | null
  } | null
  readonly signature: {
    readonly type: string | null
    readonly signature: JsonValue
    readonly public_key: JsonValue
  } | null
}

/** What committed transactions have. */
interface CommittedTransaction {
  readonly hash: Hex
  readonly version: bigint | null
  readonly state_change_hash: string | null
  readonly event_root_hash: string | null
  readonly state_checkpoint_hash: string | null
  readonly gas_used: bigint | null
  readonly success: boolean | null
  readonly vm_status: string | null
  readonly accumulator_root_hash: string | null
  readonly changes: ReadonlyArray<JsonValue> | null
  /** Microseconds since 1970. */
  readonly timestamp: bigint | null
}

/**
 * A transaction that is submitted but not yet committed.
 *
 * @since 0.1.0
 * @category models
 */
export interface PendingTransaction extends SubmittedTransaction {
  readonly type: "pending_transaction"
}

/**
 * A committed user transaction.
 *
 * @since 0.1.0
 * @category models
 */
export interface UserTransaction extends CommittedTransaction, SubmittedTransaction {
  readonly type: "user_transaction"
  readonly events: ReadonlyArray<JsonValue> | null
}

/**
 * The first transaction of a ledger.
 *
 * @since 0.1.0
 * @category models
 */
export interface GenesisTransaction extends CommittedTransaction {
  readonly type: "genesis_transaction"
  readonly payload: JsonValue
  readonly events: ReadonlyArray<JsonValue> | null
}

/**
 * The transaction that starts a block.
 *
 * @since 0.1.0
 * @category models
 */
export interface BlockMetadataTransaction extends CommittedTransaction {
  readonly type: "block_metadata_transaction"
  readonly id: string | null
  readonly epoch: bigint | null
  readonly round: bigint | null
  readonly events: ReadonlyArray<JsonValue> | null
  readonly previous_block_votes_bitvec: JsonValue
  readonly proposer: string | null
  readonly failed_proposer_indices: JsonValue
}

/**
 * A checkpoint of the ledger state.
 *
 * @since 0.1.0
 * @category models
 */
export interface StateCheckpointTransaction extends CommittedTransaction {
  readonly type: "state_checkpoint_transaction"
}

/**
 * A transaction of a validator.
 *
 * @since 0.1.0
 * @category models
 */
export interface ValidatorTransaction extends CommittedTransaction {
  readonly type: "validator_transaction"
  readonly events: ReadonlyArray<JsonValue> | null
}

/**
 * The transaction that ends a block.
 *
 * @since 0.1.0
 * @category models
 */
export interface BlockEpilogueTransaction extends CommittedTransaction {
  readonly type: "block_epilogue_transaction"
  readonly block_end_info: JsonValue
}

/**
 * A transaction of an unknown variant. `document` is the complete record, including its original `type`.
 *
 * @since 0.1.0
 * @category models
 */
export interface OtherTransaction {
  readonly type: "other"
  readonly hash: Hex
  readonly document: JsonValue
}

/**
 * A transaction of the ledger, discriminated by `type`.
 *
 * @since 0.1.0
 * @category models
 */
export type LedgerTransaction =
  | PendingTransaction
  | UserTransaction
  | GenesisTransaction
  | BlockMetadataTransaction
  | StateCheckpointTransaction
  | ValidatorTransaction
  | BlockEpilogueTransaction
  | OtherTransaction

/**
 * The model of `LedgerTransaction`.
 *
 * @since 0.1.0
 * @category models
 */
export const LedgerTransaction: Model<LedgerTransaction, UserTransaction> = /* @__PURE__ */ (() => {
  const model = makeModel(
    "LedgerTransaction",
    CoreLedgerTransaction.LedgerTransaction,
    CoreLedgerTransaction.example
  )
  return { ...model, decode: (json: unknown) => model.decode(originalDocument(json)) }
})()

/** Returns the document of an encoded `OtherTransaction`, from which it is decoded. */
const originalDocument = (json: unknown): unknown =>
  typeof json === "object" && json !== null && "type" in json && json.type === "other" && "document" in json
    ? json.document
    : json
