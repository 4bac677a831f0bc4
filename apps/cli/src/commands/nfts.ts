/** Columns of the NFT lists. */
import type { OwnedNft } from "@blockquarry/core/model/OwnedNft"
import { addressColumn, idColumn, numberColumn, textColumn } from "../render/Columns.ts"
import type { Column } from "../render/Table.ts"

export const isSpam = ({ possible_spam }: OwnedNft): boolean => possible_spam === true

export const nftColumns: ReadonlyArray<Column<OwnedNft>> = [
  idColumn("token ID", ({ token_id }) => String(token_id)),
  textColumn("name", ({ name }) => name),
  textColumn("type", ({ contract_type }) => contract_type, { dropOrder: 3 }),
  addressColumn("owner", ({ owner_of }) => ({ address: owner_of })),
  numberColumn("amount", ({ amount }) => amount),
  numberColumn("block", ({ block_number }) => block_number, { dropOrder: 2 }),
  numberColumn("rarity", ({ rarity_rank }) => rarity_rank, { dropOrder: 4, isOptional: true }),
  textColumn("spam", (nft) => isSpam(nft) ? "spam" : null, { dropOrder: 5, isOptional: true })
]
