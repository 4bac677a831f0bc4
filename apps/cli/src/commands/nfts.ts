/** Columns of the NFT lists. */
import type { OwnedNft } from "@blockquarry/core/model/Nft"
import { idColumn, numberColumn, textColumn } from "../render/Columns.ts"
import type { Column } from "../render/Table.ts"

export const nftColumns: ReadonlyArray<Column<OwnedNft>> = [
  idColumn("token ID", ({ token_id }) => String(token_id)),
  textColumn("name", ({ name }) => name),
  textColumn("type", ({ contract_type }) => contract_type, { dropOrder: 3 }),
  idColumn("owner", ({ owner_of }) => owner_of),
  numberColumn("amount", ({ amount }) => amount),
  numberColumn("block", ({ block_number }) => block_number, { dropOrder: 2 }),
  numberColumn("rarity", ({ rarity_rank }) => rarity_rank, { dropOrder: 4 })
]
