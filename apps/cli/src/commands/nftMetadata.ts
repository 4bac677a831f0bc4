/** `quarry nft get` */
import { nftMetadata as operation } from "@blockquarry/core/operations/nftMetadata"
import { isOn } from "../line/Entry.ts"
import { readCommand } from "../ReadCommand.ts"
import { synced, waitOption } from "../Syncing.ts"

export const nftMetadata = readCommand({
  words: ["nft", "get"],
  operation,
  client: ({ data }) => data.nftMetadata,
  options: [waitOption],
  around: (ask, call) => isOn(call.values, waitOption.name) ? synced(ask, call, true) : ask,
  examples: ["{collection} 1 --chain eth", "{collection} 1 --normalize-metadata --media-items -o json"]
})
