/**
 * The operation `contractNfts`: lists the NFTs of a contract.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { type InputSchema, inputSchema, optional, withDescription } from "../InputSchema.ts"
import { Integer, PositiveInteger } from "../Integer.ts"
import {
  chain,
  type ChainParameter,
  cursor,
  media_items,
  type NftContentParameters,
  normalizeMetadata,
  type PageParameters,
  passthroughFormat,
  type TokenIdFormatParameter
} from "../internal/commonParameters.ts"
import { nullable } from "../internal/nullable.ts"
import { Nft, SyncStatus } from "../model/Nft.ts"
import { list } from "../Operation.ts"
import { pageFields } from "../Page.ts"
import { noStoreWhileSyncing } from "../Ttl.ts"

const fields = {
  address: withDescription(Address, "Address of the NFT contract"),
  chain,
  format: passthroughFormat,
  limit: optional(withDescription(PositiveInteger, "Maximum number of records per page (default: 100)")),
  totalRanges: optional(
    withDescription(PositiveInteger, "Number of subranges that the collection is split into")
  ),
  range: optional(withDescription(Integer, "Subrange to return, starting at 1; requires totalRanges")),
  cursor,
  normalizeMetadata,
  media_items
}

/**
 * The input of `contractNfts`.
 *
 * @since 0.1.0
 * @category models
 */
export interface ContractNftsInput
  extends ChainParameter, TokenIdFormatParameter, PageParameters, NftContentParameters
{
  /** Address of the NFT contract */
  readonly address: string
  /** Maximum number of records per page (default: 100) */
  readonly limit?: number | undefined
  /** Number of subranges that the collection is split into */
  readonly totalRanges?: number | undefined
  /** Subrange to return, starting at 1; requires totalRanges */
  readonly range?: number | undefined
}

const input: InputSchema<Schema.Struct.Type<typeof fields>, ContractNftsInput> = inputSchema(fields)

const page = Schema.Struct({
  ...pageFields(Nft),
  /** `SYNCING` while the collection is being indexed. Null if the upstream does not return it. */
  status: nullable(SyncStatus)
})

/**
 * A page of the NFTs of a contract. The default page size is 100.
 *
 * @since 0.1.0
 * @category models
 */
export interface ContractNftsPage extends Schema.Schema.Type<typeof page> {}

/**
 * An encoded `ContractNftsPage`.
 *
 * @since 0.1.0
 * @category models
 */
export interface ContractNftsPageEncoded extends Schema.Schema.Encoded<typeof page> {}

const output: Schema.Schema<ContractNftsPage, ContractNftsPageEncoded> = page.annotations({
  identifier: "ContractNftsPage"
})

/**
 * Lists the NFTs of a contract.
 *
 * @since 0.1.0
 * @category operations
 */
export const contractNfts = list({
  id: "contractNfts",
  api: "data",
  path: "/nft/:address",
  input,
  output,
  ttl: noStoreWhileSyncing,
  cacheNotFound: false,
  cost: 5,
  docs: {
    summary: "List the NFTs of a contract, with metadata if available",
    knownIssue:
      "The first request for a collection starts its indexing. Pages are incomplete until its status is SYNCED."
  }
})
