/** NFT records of responses. */
import { formatUnits } from "@blockquarry/core/Amount"
import type { ChainLedger, Collection, NftSale, NftState } from "../Ledger.ts"
import { blockTimestamp, formatTimestamp } from "./BlockRange.ts"
import { digest } from "./Digest.ts"
import type { JsonDocument } from "./HttpMessage.ts"
import { mediaOf, metadataOf, normalizedMetadataOf, tokenUri } from "./NftMetadata.ts"
import { usdPriceAt, usdValue } from "./Prices.ts"

/** The parameters of a request that change its records. */
export interface NftRecordOptions {
  readonly format?: string
  readonly normalizeMetadata?: boolean
  readonly media_items?: boolean
}

/** Formats a token ID. */
export const formatTokenId = (id: bigint, { format }: NftRecordOptions): string =>
  format === "hex" ? `0x${id.toString(16)}` : String(id)

/** An owner of an NFT, with the owned amount. */
export type NftOwnership = NftState["owners"][number]

type RecordFields = { readonly [member: string]: JsonDocument | undefined }

/** Creates the record of an NFT and one of its owners, without minter and last sale. */
export const ownedRecord = (
  chain: ChainLedger,
  collection: Collection,
  nft: NftState,
  ownership: NftOwnership | undefined,
  options: NftRecordOptions
): RecordFields => {
  const minted = chain.block(nft.mintBlock)?.timestamp
  return {
    token_address: collection.address,
    token_id: formatTokenId(nft.tokenId, options),
    owner_of: ownership?.owner ?? null,
    token_hash: digest("token", collection.address, String(nft.tokenId)).slice(0, 32),
    block_number: String(ownership?.block ?? nft.lastTransferBlock),
    block_number_minted: String(nft.mintBlock),
    contract_type: collection.type,
    token_uri: tokenUri(collection, nft),
    metadata: metadataOf(collection, nft),
    normalized_metadata: options.normalizeMetadata === true
      ? normalizedMetadataOf(collection, nft)
      : undefined,
    media: options.media_items === true ? mediaOf(collection, nft) : undefined,
    last_token_uri_sync: minted === undefined ? null : formatTimestamp(minted + 61_250),
    last_metadata_sync: minted === undefined ? null : formatTimestamp(minted + 62_500),
    amount: String(ownership?.amount ?? 0n),
    name: collection.name,
    symbol: collection.symbol,
    possible_spam: String(collection.possibleSpam),
    verified_collection: String(collection.verified)
  }
}

/** The rarity rank of an NFT among `of` NFTs. */
export interface Rarity {
  readonly rank: number
  readonly of: number
}

export const rarityFields = (rarity: Rarity | undefined): RecordFields => {
  if (rarity === undefined) return { rarity_rank: null, rarity_label: null, rarity_percentage: null }
  const percentage = Math.ceil(rarity.rank / rarity.of * 10_000) / 100
  return { rarity_rank: rarity.rank, rarity_label: `Top ${percentage}%`, rarity_percentage: percentage }
}

/** Creates the complete record of an NFT. */
export const nftRecord = (
  chain: ChainLedger,
  collection: Collection,
  nft: NftState,
  rarity: Rarity | undefined,
  options: NftRecordOptions
): JsonDocument => {
  const { media, normalized_metadata, ...owned } = ownedRecord(chain, collection, nft, nft.owners[0], options)
  return {
    ...owned,
    normalized_metadata,
    media,
    minter_address: collection.type === "ERC721" ? nft.minter : "ERC1155 tokens do not have a single minter",
    ...rarityFields(rarity),
    last_sale: nft.lastSale === null ? null : saleRecord(chain, nft.tokenId, nft.lastSale, options)
  }
}

const saleRecord = (
  chain: ChainLedger,
  tokenId: bigint,
  sale: NftSale,
  options: NftRecordOptions
): JsonDocument => {
  const token = chain.tokens.get(sale.priceToken)
  const usd = (block: number) => {
    const price = token === undefined ? null : usdPriceAt(chain, token, block)
    return token === undefined || price === null ? null : usdValue(sale.price, token.decimals, price)
  }
  return {
    transaction_hash: sale.transaction,
    block_timestamp: blockTimestamp(chain, sale.block),
    buyer_address: sale.buyer,
    seller_address: sale.seller,
    price: String(sale.price),
    price_formatted: token === undefined ? null : formatUnits(sale.price, token.decimals),
    usd_price_at_sale: usd(sale.block),
    current_usd_value: usd(chain.head),
    token_id: formatTokenId(tokenId, options),
    payment_token: {
      token_name: token?.name ?? null,
      token_symbol: token?.symbol ?? null,
      token_logo: token?.logo ?? null,
      token_decimals: token === undefined ? null : String(token.decimals),
      token_address: sale.priceToken
    }
  }
}
