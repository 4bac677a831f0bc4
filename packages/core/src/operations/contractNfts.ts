/** The operation `contractNfts`. */
import type * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import type { ContractNftsInput } from "../Inputs.ts"
import { type InputSchema, inputSchema, optional, withDescription } from "../InputSchema.ts"
import { Integer, PositiveInteger } from "../Integer.ts"
import {
  chain,
  cursor,
  media_items,
  normalizeMetadata,
  passthroughFormat
} from "../internal/commonParameters.ts"
import { Nft } from "../model/Nft.ts"
import { list } from "../Operation.ts"
import { collectionPage } from "../Page.ts"
import { noStoreWhileSyncing } from "../Ttl.ts"

const fields = {
  address: withDescription(Address, "Address of the NFT contract"),
  chain,
  format: passthroughFormat,
  limit: optional(withDescription(PositiveInteger, "Maximum number of records per page (default: 100)")),
  totalRanges: optional(
    withDescription(PositiveInteger, "Number of subranges that the collection is split into; requires range")
  ),
  range: optional(withDescription(Integer, "Subrange to return, starting at 1; requires totalRanges")),
  cursor,
  normalizeMetadata,
  media_items
}

const input: InputSchema<Schema.Struct.Type<typeof fields>, ContractNftsInput> = inputSchema(fields)

/** Lists the NFTs of a contract. */
export const contractNfts = list({
  id: "contractNfts",
  api: "data",
  path: "/nft/:address",
  input,
  output: collectionPage(Nft),
  pagination: { identity: ["token_address", "token_id"] },
  ttl: noStoreWhileSyncing,
  cacheNotFound: false,
  cost: 5,
  price: 50,
  docs: {
    group: "NFTs",
    summary: "List the NFTs of a contract, with metadata if available",
    knownIssue:
      "The first request for a collection starts its indexing. Pages are incomplete until its status is SYNCED."
  },
  example: ({ collection721 }): ContractNftsInput => ({ address: collection721, chain: "eth", limit: 3 })
})
