/** NFTs as the service writes them. */
import { formatUnits } from "@blockquarry/core/Amount"
import type { ChainLedger, Collection, NftState, Trade } from "../Ledger.ts"
import { digest } from "./Digest.ts"
import type { Document } from "./Message.ts"
import { mediaOf, metadataOf, normalizedOf, tokenUri } from "./Metadata.ts"
import { worth } from "./Money.ts"
import { usdAt } from "./Price.ts"
import { iso, timestamp } from "./Range.ts"

/** What a request wants to see. */
export interface View {
  readonly format?: string
  readonly normalizeMetadata?: boolean
  readonly media_items?: boolean
}

/** How a token id is printed. */
export const printId = (id: bigint, { format }: View): string =>
  format === "hex" ? `0x${id.toString(16)}` : String(id)

/** What an owner holds of an NFT. */
export type Holding = NftState["owners"][number]

type Members = { readonly [member: string]: Document | undefined }

/** An NFT without minter and last sale, as the owners of it see it. */
export const ownedRecord = (
  chain: ChainLedger,
  collection: Collection,
  nft: NftState,
  holding: Holding | undefined,
  view: View
): Members => {
  const minted = chain.block(nft.blockMinted)?.timestamp
  return {
    token_address: collection.address,
    token_id: printId(nft.tokenId, view),
    owner_of: holding?.owner ?? null,
    token_hash: digest("token", collection.address, String(nft.tokenId)).slice(0, 32),
    block_number: String(holding?.block ?? nft.blockLast),
    block_number_minted: String(nft.blockMinted),
    contract_type: collection.type,
    token_uri: tokenUri(collection, nft),
    metadata: metadataOf(collection, nft),
    normalized_metadata: view.normalizeMetadata === true ? normalizedOf(collection, nft) : undefined,
    media: view.media_items === true ? mediaOf(collection, nft) : undefined,
    last_token_uri_sync: minted === undefined ? null : iso(minted + 61_250),
    last_metadata_sync: minted === undefined ? null : iso(minted + 62_500),
    amount: String(holding?.amount ?? 0n),
    name: collection.name,
    symbol: collection.symbol,
    possible_spam: String(collection.possibleSpam),
    verified_collection: String(collection.verified)
  }
}

/** How rare an NFT is in its collection: its rank among `of`. */
export interface Rarity {
  readonly rank: number
  readonly of: number
}

export const rarityMembers = (rarity: Rarity | undefined): Members => {
  if (rarity === undefined) return { rarity_rank: null, rarity_label: null, rarity_percentage: null }
  const percentage = Math.ceil(rarity.rank / rarity.of * 10_000) / 100
  return { rarity_rank: rarity.rank, rarity_label: `Top ${percentage}%`, rarity_percentage: percentage }
}

/** The whole record. */
export const nftRecord = (
  chain: ChainLedger,
  collection: Collection,
  nft: NftState,
  rarity: Rarity | undefined,
  view: View
): Document => {
  const { media, normalized_metadata, ...owned } = ownedRecord(chain, collection, nft, nft.owners[0], view)
  return {
    ...owned,
    normalized_metadata,
    media,
    minter_address: collection.type === "ERC721" ? nft.minter : "ERC1155 tokens do not have a single minter",
    ...rarityMembers(rarity),
    last_sale: nft.lastSale === null ? null : saleRecord(chain, nft.tokenId, nft.lastSale, view)
  }
}

const saleRecord = (chain: ChainLedger, tokenId: bigint, sale: Trade, view: View): Document => {
  const token = chain.tokens.get(sale.priceToken)
  const usd = (block: number) => {
    const price = token === undefined ? null : usdAt(chain, token, block)
    return token === undefined || price === null ? null : worth(sale.price, token.decimals, price)
  }
  return {
    transaction_hash: sale.transaction,
    block_timestamp: timestamp(chain, sale.block),
    buyer_address: sale.buyer,
    seller_address: sale.seller,
    price: String(sale.price),
    price_formatted: token === undefined ? null : formatUnits(sale.price, token.decimals),
    usd_price_at_sale: usd(sale.block),
    current_usd_value: usd(chain.head),
    token_id: printId(tokenId, view),
    payment_token: {
      token_name: token?.name ?? null,
      token_symbol: token?.symbol ?? null,
      token_logo: token?.logo ?? null,
      token_decimals: token === undefined ? null : String(token.decimals),
      token_address: sale.priceToken
    }
  }
}
