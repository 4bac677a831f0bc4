/** NFTs with one of their owners. */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { Amount } from "../Amount.ts"
import { BooleanLike } from "../BooleanLike.ts"
import { Float } from "../Decimal.ts"
import { Integer } from "../Integer.ts"
import { exampleAddresses, exampleBlock, makeExample } from "../internal/example.ts"
import { describing, nullable } from "../internal/nullable.ts"
import { Json } from "../Json.ts"
import type { Model } from "../Model.ts"
import { openEnum } from "../OpenEnum.ts"
import { Time } from "../Time.ts"
import { TokenId } from "../TokenId.ts"

const struct = Schema.Struct({
  token_address: Address,
  token_id: TokenId,
  owner_of: nullable(Address),
  token_hash: nullable(Schema.String),
  block_number: nullable(Integer),
  block_number_minted: nullable(Integer),
  contract_type: describing(openEnum("ERC721", "ERC1155")),
  token_uri: describing(Schema.String),
  /** Usually a JSON document, sometimes plain text. */
  metadata: describing(Schema.String),
  normalized_metadata: describing(Json),
  media: describing(Json),
  last_token_uri_sync: describing(Time),
  last_metadata_sync: describing(Time),
  /** The amount that the owner holds; 1 for ERC721. */
  amount: nullable(Amount),
  name: describing(Schema.String),
  symbol: describing(Schema.String),
  possible_spam: describing(BooleanLike),
  verified_collection: describing(BooleanLike),
  rarity_rank: describing(Integer),
  rarity_label: describing(Schema.String),
  rarity_percentage: describing(Float)
}).annotations({ identifier: "OwnedNft" })

/** An NFT and one of its owners: an `Nft` without minter and last sale. */
export interface OwnedNft extends Schema.Schema.Type<typeof struct> {}

export interface OwnedNftEncoded extends Schema.Schema.Encoded<typeof struct> {}

/** The schema of `OwnedNft`. */
export const OwnedNft: Model<OwnedNft, OwnedNftEncoded, typeof struct.fields> = struct

/** Returns an example NFT of an owner, for tests. `fields` replace those of the example. */
export const example = (fields: Partial<OwnedNft> = {}): OwnedNft =>
  makeExample(OwnedNft, {
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
  }, fields)
