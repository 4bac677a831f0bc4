/** The operation `nftMetadata`. */
import type * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import type { NftMetadataInput } from "../Inputs.ts"
import { type InputSchema, inputSchema, optional, withDescription } from "../InputSchema.ts"
import { chain, media_items, normalizeMetadata, TokenIdFormat } from "../internal/commonParameters.ts"
import { Nft } from "../model/Nft.ts"
import { get } from "../Operation.ts"
import { TokenId } from "../TokenId.ts"
import { MaxAge } from "../Ttl.ts"

const fields = {
  address: withDescription(Address, "Address of the NFT contract"),
  token_id: withDescription(TokenId, "Token ID, in decimal or in hexadecimal with 0x"),
  chain,
  format: optional(withDescription(TokenIdFormat, "Format of token IDs in the response")),
  normalizeMetadata,
  media_items
}

const input: InputSchema<Schema.Struct.Type<typeof fields>, NftMetadataInput> = inputSchema(fields)

/** Returns the metadata of an NFT. */
export const nftMetadata = get({
  id: "nftMetadata",
  api: "data",
  path: "/nft/:address/:token_id",
  input,
  output: Nft,
  isNotFound: (document) => document() === null,
  ttl: () => MaxAge({ duration: "5 minutes" }),
  cacheNotFound: false,
  cost: 2,
  price: 20,
  docs: {
    group: "NFTs",
    summary: "Get the metadata of an NFT",
    knownIssue: "The first request for a collection starts its indexing. " +
      "Until it completes, an NFT may be reported as not found."
  },
  example: ({ collection721, tokenId721 }): NftMetadataInput => ({
    address: collection721,
    token_id: tokenId721,
    chain: "eth",
    normalizeMetadata: true
  })
})
