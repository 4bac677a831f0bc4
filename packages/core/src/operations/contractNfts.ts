/**
 * NFTs of a contract.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { inputSchema, optional, withDescription } from "../InputSchema.ts"
import { Integer, PositiveInteger } from "../Integer.ts"
import {
  chain,
  cursor,
  limit,
  media_items,
  normalizeMetadata,
  passthroughFormat
} from "../internal/commonParameters.ts"
import { nullable } from "../internal/nullable.ts"
import { Nft, SyncStatus } from "../model/Nft.ts"
import { list } from "../Operation.ts"
import { pageFields } from "../Page.ts"
import { noStoreWhileSyncing } from "../Ttl.ts"

const fields = {
  address: withDescription(Address, "NFT contract"),
  chain,
  format: passthroughFormat,
  limit,
  totalRanges: optional(withDescription(PositiveInteger, "number of subranges to split the list into")),
  range: optional(withDescription(Integer, "the subrange to read, counted from 1")),
  cursor,
  normalizeMetadata,
  media_items
}

/**
 * @since 0.1.0
 * @category models
 */
export interface ContractNftsInput extends Schema.Struct.Encoded<typeof fields> {}

const page = Schema.Struct({
  ...pageFields(Nft),
  /** `SYNCING` while the collection is being indexed, where the service says so. */
  status: nullable(SyncStatus)
})

/**
 * NFTs of one contract. The default page size is 100.
 *
 * @since 0.1.0
 * @category models
 */
export interface ContractNftsPage extends Schema.Schema.Type<typeof page> {}

/**
 * @since 0.1.0
 * @category models
 */
export interface ContractNftsPageEncoded extends Schema.Schema.Encoded<typeof page> {}

const output: Schema.Schema<ContractNftsPage, ContractNftsPageEncoded> = page.annotations({
  identifier: "ContractNftsPage"
})

/**
 * NFTs of a contract.
 *
 * @since 0.1.0
 * @category operations
 */
export const contractNfts = list({
  id: "contractNfts",
  api: "data",
  path: "/nft/:address",
  input: inputSchema(fields),
  output,
  ttl: (_, getOutput) => noStoreWhileSyncing(getOutput()),
  cacheNotFound: false,
  cost: 5,
  docs: {
    summary: "NFTs of a contract, with metadata where available",
    knownIssue:
      "The first read of a collection starts its indexing: until it is SYNCED, pages are incomplete."
  }
})
