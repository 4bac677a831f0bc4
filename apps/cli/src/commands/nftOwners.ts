/** `quarry nft owners` */
import { nftOwners as operation } from "@blockquarry/core/operations/nftOwners"
import { listCommand } from "../ListCommand.ts"
import { beforeList, remark, waitOption } from "../Syncing.ts"
import { nftColumns } from "./nfts.ts"

export const nftOwners = listCommand({
  words: ["nft", "owners"],
  operation,
  client: ({ data }) => data.nftOwners,
  noun: "owners",
  columns: nftColumns,
  options: [waitOption],
  before: beforeList,
  remark,
  examples: ["{collection} 1 --chain eth", "{collection} 0x1 --all -o json"]
})
