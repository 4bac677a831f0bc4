import { contractNfts as operation } from "@blockquarry/core/operations/contractNfts"
import { listCommand } from "./ListCommand.ts"
import { isSpam, nftColumns } from "./nfts.ts"
import { pageNote, waitBeforeList, waitOption } from "./WaitForSync.ts"

export const contractNfts = listCommand({
  path: ["nft", "list"],
  operation,
  recordName: "NFTs",
  columns: nftColumns,
  isDimmed: isSpam,
  options: [waitOption],
  beforeFirstPage: waitBeforeList,
  pageNote,
  examples: [
    "{collection} --chain eth --limit 20",
    "{collection} --normalize-metadata --all -o ndjson",
    "{collection} --total-ranges 4 --range 1 --all -o ndjson",
    "{unindexed} --wait"
  ]
})
