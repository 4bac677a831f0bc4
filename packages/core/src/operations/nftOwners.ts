/**
 * Owners of one NFT.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { unlessSyncing } from "../Freshness.ts"
import { described, parameters } from "../Input.ts"
import { nullable } from "../internal/nullable.ts"
import { anyFormat, chain, cursor, limit, media_items, normalizeMetadata } from "../internal/parameters.ts"
import { OwnedNft, SyncStatus } from "../model/Nft.ts"
import { list } from "../Operation.ts"
import { pageFields } from "../Page.ts"
import { TokenId } from "../TokenId.ts"

const fields = {
  address: described(Address, "NFT contract"),
  token_id: described(TokenId, "token id, decimal or 0x-hexadecimal"),
  chain,
  format: anyFormat,
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
export interface NftOwnersPageWire extends Schema.Schema.Encoded<typeof page> {}

const output: Schema.Schema<NftOwnersPage, NftOwnersPageWire> = page.annotations({
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
  input: parameters(fields),
  output,
  freshness: (_, answer) => unlessSyncing(answer()),
  absenceLasts: false,
  cost: 5,
  docs: {
    summary: "Owners of one NFT",
    knownIssue:
      "The first read of a collection starts its indexing: until it is SYNCED, pages are incomplete."
  }
})
