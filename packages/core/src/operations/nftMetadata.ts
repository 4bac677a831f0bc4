/**
 * Metadata of one NFT.
 *
 * @since 0.1.0
 */
import type * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { For } from "../Freshness.ts"
import { described, optional, parameters } from "../Input.ts"
import { chain, media_items, normalizeMetadata, TokenIdFormat } from "../internal/parameters.ts"
import { Nft } from "../model/Nft.ts"
import { read } from "../Operation.ts"
import { TokenId } from "../TokenId.ts"

const fields = {
  address: described(Address, "NFT contract"),
  token_id: described(TokenId, "token id, decimal or 0x-hexadecimal"),
  chain,
  format: optional(described(TokenIdFormat, "format of the token id")),
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
export const nftMetadata = read({
  id: "nftMetadata",
  api: "data",
  path: "/nft/:address/:token_id",
  input: parameters(fields),
  output: Nft,
  absent: (document) => document === null,
  freshness: () => For({ duration: "5 minutes" }),
  absenceLasts: false,
  cost: 2,
  docs: {
    summary: "Metadata of one NFT",
    knownIssue: "The first read of a collection starts its indexing: until then an NFT may not be found yet."
  }
})
