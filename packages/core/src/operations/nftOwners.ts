/** The operation `nftOwners`. */
import type * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import type { NftOwnersInput } from "../Inputs.ts"
import { type InputSchema, inputSchema, withDescription } from "../InputSchema.ts"
import {
  chain,
  cursor,
  limit,
  media_items,
  normalizeMetadata,
  passthroughFormat
} from "../internal/commonParameters.ts"
import { OwnedNft } from "../model/OwnedNft.ts"
import { list } from "../Operation.ts"
import { collectionPage } from "../Page.ts"
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

const input: InputSchema<Schema.Struct.Type<typeof fields>, NftOwnersInput> = inputSchema(fields)

/** Lists the owners of an NFT. */
export const nftOwners = list({
  id: "nftOwners",
  api: "data",
  path: "/nft/:address/:token_id/owners",
  input,
  output: collectionPage(OwnedNft),
  pagination: { identity: ["token_address", "token_id", "owner_of"] },
  ttl: noStoreWhileSyncing,
  cacheNotFound: false,
  cost: 5,
  price: 50,
  docs: {
    group: "NFTs",
    summary: "List the owners of an NFT",
    knownIssue:
      "The first request for a collection starts its indexing. Pages are incomplete until its status is SYNCED."
  },
  example: ({ collection721, tokenId721 }): NftOwnersInput => ({
    address: collection721,
    token_id: tokenId721,
    chain: "eth",
    limit: 3
  })
})
