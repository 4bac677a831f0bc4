/**
 * The operation `nftOwners`: lists the owners of an NFT.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { type InputSchema, inputSchema, withDescription } from "../InputSchema.ts"
import {
  chain,
  type ChainParameter,
  cursor,
  limit,
  media_items,
  type NftContentParameters,
  normalizeMetadata,
  type PageParameters,
  passthroughFormat,
  type TokenIdFormatParameter
} from "../internal/commonParameters.ts"
import { nullable } from "../internal/nullable.ts"
import { OwnedNft, SyncStatus } from "../model/Nft.ts"
import { list } from "../Operation.ts"
import { pageFields } from "../Page.ts"
import { TokenId } from "../TokenId.ts"
import { noStoreWhileSyncing } from "../Ttl.ts"

const fields = {
  address: withDescription(Address, "Address of the NFT contract"),
  token_id: withDescription(TokenId, "Token ID, in decimal or in hexadecimal with 0x"),
  chain,
  format: passthroughFormat,
  limit,
  cursor,
  normalizeMetadata,
  media_items
}

/**
 * The input of `nftOwners`.
 *
 * @since 0.1.0
 * @category models
 */
export interface NftOwnersInput
  extends ChainParameter, TokenIdFormatParameter, PageParameters, NftContentParameters
{
  /** Address of the NFT contract */
  readonly address: string
  /** Token ID, in decimal or in hexadecimal with 0x */
  readonly token_id: string | bigint
}

const input: InputSchema<Schema.Struct.Type<typeof fields>, NftOwnersInput> = inputSchema(fields)

const page = Schema.Struct({
  ...pageFields(OwnedNft),
  /** `SYNCING` while the collection is being indexed. Null if the upstream does not return it. */
  status: nullable(SyncStatus)
})

/**
 * A page of the owners of an NFT: one record for each owner, with the amount that the owner holds.
 *
 * @since 0.1.0
 * @category models
 */
export interface NftOwnersPage extends Schema.Schema.Type<typeof page> {}

/**
 * An encoded `NftOwnersPage`.
 *
 * @since 0.1.0
 * @category models
 */
export interface NftOwnersPageEncoded extends Schema.Schema.Encoded<typeof page> {}

const output: Schema.Schema<NftOwnersPage, NftOwnersPageEncoded> = page.annotations({
  identifier: "NftOwnersPage"
})

/**
 * Lists the owners of an NFT.
 *
 * @since 0.1.0
 * @category operations
 */
export const nftOwners = list({
  id: "nftOwners",
  api: "data",
  path: "/nft/:address/:token_id/owners",
  input,
  output,
  ttl: noStoreWhileSyncing,
  cacheNotFound: false,
  cost: 5,
  docs: {
    summary: "List the owners of an NFT",
    knownIssue:
      "The first request for a collection starts its indexing. Pages are incomplete until its status is SYNCED."
  }
})
