/**
 * Owners of one NFT.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { inputSchema, withDescription } from "../InputSchema.ts"
import {
  chain,
  cursor,
  limit,
  media_items,
  normalizeMetadata,
  passthroughFormat
} from "../internal/commonParameters.ts"
import { nullable } from "../internal/nullable.ts"
import { OwnedNft, SyncStatus } from "../model/Nft.ts"
import { list } from "../Operation.ts"
import { pageFields } from "../Page.ts"
import { TokenId } from "../TokenId.ts"
import { noStoreWhileSyncing } from "../Ttl.ts"

const fields = {
  address: withDescription(Address, "NFT contract"),
  token_id: withDescription(TokenId, "token id, decimal or 0x-hexadecimal"),
  chain,
  format: passthroughFormat,
  limit,
  cursor,
  normalizeMetadata,
  media_items
}

/**
 * @since 0.1.0
 * @category models
 */
export interface NftOwnersInput extends Schema.Struct.Encoded<typeof fields> {}

const page = Schema.Struct({
  ...pageFields(OwnedNft),
  /** `SYNCING` while the collection is being indexed, where the service says so. */
  status: nullable(SyncStatus)
})

/**
 * One record for each owner, with the amount that the owner holds.
 *
 * @since 0.1.0
 * @category models
 */
export interface NftOwnersPage extends Schema.Schema.Type<typeof page> {}

/**
 * @since 0.1.0
 * @category models
 */
export interface NftOwnersPageEncoded extends Schema.Schema.Encoded<typeof page> {}

const output: Schema.Schema<NftOwnersPage, NftOwnersPageEncoded> = page.annotations({
  identifier: "NftOwnersPage"
})

/**
 * Owners of one NFT.
 *
 * @since 0.1.0
 * @category operations
 */
export const nftOwners = list({
  id: "nftOwners",
  api: "data",
  path: "/nft/:address/:token_id/owners",
  input: inputSchema(fields),
  output,
  ttl: (_, getOutput) => noStoreWhileSyncing(getOutput()),
  cacheNotFound: false,
  cost: 5,
  docs: {
    summary: "Owners of one NFT",
    knownIssue:
      "The first read of a collection starts its indexing: until it is SYNCED, pages are incomplete."
  }
})
