/** `quarry nft list` */
import { contractNfts as operation } from "@blockquarry/core/operations/contractNfts"
import { listCommand } from "../ListCommand.ts"
import { beforeList, remark, waitOption } from "../Syncing.ts"
import { nftColumns } from "./nfts.ts"

export const contractNfts = listCommand({
  words: ["nft", "list"],
  operation,
  client: ({ data }) => data.contractNfts,
  noun: "NFTs",
  columns: nftColumns,
  options: [waitOption],
  before: beforeList,
  remark,
  examples: [
    "{collection} --chain eth --limit 20",
    "{collection} --normalize-metadata --all -o ndjson",
    "{unindexed} --wait"
  ]
})
