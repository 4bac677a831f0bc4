import { nftOwners as operation } from "@blockquarry/core/operations/nftOwners"
import { listCommand } from "./ListCommand.ts"
import { isSpam, nftColumns } from "./nfts.ts"
import { pageNote, waitBeforeList, waitOption } from "./WaitForSync.ts"

export const nftOwners = listCommand({
  path: ["nft", "owners"],
  operation,
  recordName: "owners",
  columns: nftColumns,
  isDimmed: isSpam,
  options: [waitOption],
  beforeFirstPage: waitBeforeList,
  pageNote,
  examples: ["{collection} 1 --chain eth", "{collection} 0x1 --all -o json"]
})
