/** `quarry token price` */
import { tokenPrice as operation } from "@blockquarry/core/operations/tokenPrice"
import { readCommand } from "../ReadCommand.ts"
import { wholeTokens } from "../render/Cells.ts"

export const tokenPrice = readCommand({
  words: ["token", "price"],
  operation,
  client: ({ data }) => data.tokenPrice,
  better: ({ nativePrice }) =>
    nativePrice === null
      ? []
      : [[
        "nativePrice.value",
        `${wholeTokens(nativePrice.value, nativePrice.decimals)} ${nativePrice.symbol ?? ""}`
      ]],
  examples: [
    "{token} --chain eth --include percent_change",
    "{token} --exchange uniswapv2 --to-block 22000000"
  ]
})
