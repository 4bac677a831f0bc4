/**
 * NFTs: their metadata, owners and last sale.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { Amount } from "../Amount.ts"
import { BooleanLike } from "../BooleanLike.ts"
import { Decimal, Float } from "../Decimal.ts"
import { type Encoder, encoder } from "../Decoder.ts"
import { Hash } from "../Hash.ts"
import { Integer } from "../Integer.ts"
import { exampleAddresses, exampleBlock, makeExample } from "../internal/example.ts"
import { describing, nullable, nullableInteger } from "../internal/nullable.ts"
import { Json } from "../Json.ts"
import { type JsonValue, parse } from "../LosslessJson.ts"
import { openEnum } from "../OpenEnum.ts"
import { Time } from "../Time.ts"
import { TokenId } from "../TokenId.ts"

const paymentToken = Schema.Struct({
  token_name: nullable(Schema.String),
  token_symbol: nullable(Schema.String),
  token_logo: nullable(Schema.String),
  token_decimals: nullableInteger,
  token_address: nullable(Address)
})

const lastSale = Schema.Struct({
  transaction_hash: nullable(Hash),
  block_timestamp: nullable(Time),
  buyer_address: nullable(Address),
  seller_address: nullable(Address),
  /** In the payment token's smallest unit. */
  price: nullable(Amount),
  price_formatted: describing(Decimal),
  usd_price_at_sale: describing(Decimal),
  current_usd_value: describing(Decimal),
  token_id: nullable(TokenId),
  payment_token: describing(paymentToken)
})

const ownedFields = {
  token_address: Address,
  token_id: TokenId,
  owner_of: nullable(Address),
  token_hash: nullable(Schema.String),
  block_number: nullableInteger,
  block_number_minted: nullableInteger,
  contract_type: nullable(openEnum("ERC721", "ERC1155")),
  token_uri: nullable(Schema.String),
  /** Usually a JSON document, sometimes plain text. Parse it with `metadataJson`. */
  metadata: nullable(Schema.String),
  normalized_metadata: nullable(Json),
  media: nullable(Json),
  last_token_uri_sync: describing(Time),
  last_metadata_sync: describing(Time),
  /** The amount that the owner holds; 1 for ERC721. */
  amount: nullable(Amount),
  name: nullable(Schema.String),
  symbol: nullable(Schema.String),
  possible_spam: nullable(BooleanLike),
  verified_collection: nullable(BooleanLike),
  rarity_rank: describing(Integer),
  rarity_label: nullable(Schema.String),
  rarity_percentage: describing(Float)
}

const ownedNft = Schema.Struct(ownedFields)

const nft = Schema.Struct({
  ...ownedFields,
  /** An address, or plain text if there is no single minter. */
  minter_address: nullable(Schema.String),
  last_sale: describing(lastSale)
})

/**
 * An NFT. `metadata` is the unparsed document that the token URI refers to.
 *
 * @since 0.1.0
 * @category models
 */
export interface Nft extends Schema.Schema.Type<typeof nft> {}

/**
 * An encoded `Nft`.
 *
 * @since 0.1.0
 * @category models
 */
export interface NftEncoded extends Schema.Schema.Encoded<typeof nft> {}

/**
 * The schema of `Nft`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Nft: Schema.Schema<Nft, NftEncoded> = nft.annotations({ identifier: "Nft" })

/**
 * An NFT and one of its owners: an `Nft` without minter and last sale.
 *
 * @since 0.1.0
 * @category models
 */
export interface OwnedNft extends Schema.Schema.Type<typeof ownedNft> {}

/**
 * An encoded `OwnedNft`.
 *
 * @since 0.1.0
 * @category models
 */
export interface OwnedNftEncoded extends Schema.Schema.Encoded<typeof ownedNft> {}

/**
 * The schema of `OwnedNft`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const OwnedNft: Schema.Schema<OwnedNft, OwnedNftEncoded> = ownedNft.annotations({
  identifier: "OwnedNft"
})

/**
 * The indexing status of a collection: `SYNCING` until the indexing that its first request started is complete.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SyncStatus = openEnum("SYNCING", "SYNCED")

/**
 * Parses the `metadata` of an NFT, twice if it was encoded twice. Returns null if it is absent or not JSON.
 *
 * @since 0.1.0
 * @category conversions
 */
export const metadataJson = (nft: { readonly metadata: string | null }): JsonValue | null => {
  if (nft.metadata === null) return null
  const parsed = Either.getOrNull(parse(nft.metadata))
  return typeof parsed === "string" ? Either.getOrNull(parse(parsed)) : parsed
}

const exampleNft = () => ({
  token_address: exampleAddresses.contract,
  token_id: "1",
  owner_of: exampleAddresses.wallet,
  block_number: exampleBlock.block_number,
  block_number_minted: exampleBlock.block_number,
  contract_type: "ERC721",
  amount: "1",
  name: "Quarry Stones",
  symbol: "STONE",
  possible_spam: false
})

/**
 * Returns an NFT as plain JSON: amounts and decimals are strings of digits, times are ISO 8601 in UTC.
 *
 * @example
 * import * as Nft from "@blockquarry/core/model/Nft"
 *
 * JSON.stringify(Nft.encode(Nft.example()))
 *
 * @since 0.1.0
 * @category encoding
 */
export const encode: Encoder<Nft, NftEncoded> = encoder(Nft)

/**
 * Returns an example NFT, for tests. `fields` replace those of the example.
 *
 * @example
 * import * as Nft from "@blockquarry/core/model/Nft"
 *
 * const record = Nft.example({ token_id: 5n })
 *
 * @since 0.1.0
 * @category testing
 */
export const example = (fields: Partial<Nft> = {}): Nft =>
  makeExample(Nft, {
    ...exampleNft(),
    minter_address: exampleAddresses.otherWallet
  }, fields)

/**
 * Returns an `OwnedNft` as plain JSON, as `encode` does.
 *
 * @since 0.1.0
 * @category encoding
 */
export const encodeOwned: Encoder<OwnedNft, OwnedNftEncoded> = encoder(OwnedNft)

/**
 * Returns an example NFT of an owner, for tests. `fields` replace those of the example.
 *
 * @example
 * import * as Nft from "@blockquarry/core/model/Nft"
 *
 * const record = Nft.ownedExample({ amount: 5n })
 *
 * @since 0.1.0
 * @category testing
 */
export const ownedExample = (fields: Partial<OwnedNft> = {}): OwnedNft =>
  makeExample(OwnedNft, exampleNft(), fields)
