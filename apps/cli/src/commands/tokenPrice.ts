import type { TokenPriceInput } from "@blockquarry/core/Inputs"
import { tokenPrice as operation } from "@blockquarry/core/operations/tokenPrice"
import { formatTokenAmount } from "../render/TokenAmount.ts"
import { recordCommand } from "./RecordCommand.ts"

export const tokenPrice = recordCommand({
  path: ["token", "price"],
  operation,
  displayValues: ({ nativePrice }) =>
    nativePrice === null
      ? []
      : [[
        "nativePrice.value",
        `${formatTokenAmount(nativePrice.value, nativePrice.decimals)} ${nativePrice.symbol ?? ""}`
      ]],
  inputFields: ["tokenSymbol", "usdPrice", "24hrPercentChange", "exchangeName", "toBlock", "tokenName"],
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
