/** What the two lists of NFTs have in common. */
import type { OwnedNft } from "@blockquarry/core/model/Nft"
import { id, number, text } from "../render/Cells.ts"
import type { Column } from "../render/Table.ts"

export const nftColumns: ReadonlyArray<Column<OwnedNft>> = [
  id("token id", ({ token_id }) => String(token_id)),
  text("name", ({ name }) => name),
  text("type", ({ contract_type }) => contract_type, { rank: 3 }),
  id("owner", ({ owner_of }) => owner_of),
  number("amount", ({ amount }) => amount),
  number("block", ({ block_number }) => block_number, { rank: 2 }),
  number("rarity", ({ rarity_rank }) => rarity_rank, { rank: 4 })
]
