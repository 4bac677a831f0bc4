/** `quarry token price` */
import { tokenPrice as operation, type TokenPriceInput } from "@blockquarry/core/operations/tokenPrice"
import * as Effect from "effect/Effect"
import { recordCommand } from "../RecordCommand.ts"
import { formatTokenAmount } from "../render/Columns.ts"

export const tokenPrice = recordCommand({
  path: ["token", "price"],
  operation,
  selectClient: ({ data }) => Effect.map(data, (data) => data.tokenPrice),
  displayValues: ({ nativePrice }) =>
    nativePrice === null
      ? []
      : [[
        "nativePrice.value",
        `${formatTokenAmount(nativePrice.value, nativePrice.decimals)} ${nativePrice.symbol ?? ""}`
      ]],
  chart: {
    input: (encoded): TokenPriceInput => ({ ...encoded, include: "percent_change" }),
    load: async () => (await import("../chart/PriceChart.ts")).priceChart
  },
  examples: [
    "{token} --chain eth --include percent_change",
    "{token} --chart",
    "{token} --exchange uniswapv2 --to-block 22000000"
  ]
})
