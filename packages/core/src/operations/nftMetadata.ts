/**
 * Metadata of one NFT.
 *
 * @since 0.1.0
 */
import type * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { inputSchema, optional, withDescription } from "../InputSchema.ts"
import { chain, media_items, normalizeMetadata, TokenIdFormat } from "../internal/commonParameters.ts"
import { Nft } from "../model/Nft.ts"
import { get } from "../Operation.ts"
import { TokenId } from "../TokenId.ts"
import { MaxAge } from "../Ttl.ts"

const fields = {
  address: withDescription(Address, "NFT contract"),
  token_id: withDescription(TokenId, "token id, decimal or 0x-hexadecimal"),
  chain,
  format: optional(withDescription(TokenIdFormat, "format of the token id")),
  normalizeMetadata,
  media_items
}

/**
 * @since 0.1.0
 * @category models
 */
export interface NftMetadataInput extends Schema.Struct.Encoded<typeof fields> {}

/**
 * Metadata of one NFT.
 *
 * @since 0.1.0
 * @category operations
 */
export const nftMetadata = get({
  id: "nftMetadata",
  api: "data",
  path: "/nft/:address/:token_id",
  input: inputSchema(fields),
  output: Nft,
  isNotFound: (document) => document === null,
  ttl: () => MaxAge({ duration: "5 minutes" }),
  cacheNotFound: false,
  cost: 2,
  docs: {
    summary: "Metadata of one NFT",
    knownIssue: "The first read of a collection starts its indexing: until then an NFT may not be found yet."
  }
})
