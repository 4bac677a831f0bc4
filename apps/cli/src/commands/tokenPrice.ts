import type { TokenPriceInput } from "@blockquarry/core/Inputs"
import { tokenPrice as operation } from "@blockquarry/core/operations/tokenPrice"
import * as Effect from "effect/Effect"
import type { CommandSpec } from "../invocation/CommandSpec.ts"
import { formatTokenAmount } from "../render/TokenAmount.ts"
import { isPriceWatch, priceWatchOptions } from "../watch/WatchOptions.ts"
import { recordCommand } from "./RecordCommand.ts"

const command = recordCommand({
  path: ["token", "price"],
  operation,
  displayValues: ({ nativePrice }) =>
    nativePrice === null
      ? []
      : [[
        "nativePrice.value",
        `${formatTokenAmount(nativePrice.value, nativePrice.decimals)} ${nativePrice.symbol ?? ""}`
      ]],
  options: priceWatchOptions,
  inputFields: ["tokenSymbol", "usdPrice", "24hrPercentChange", "exchangeName", "toBlock", "tokenName"],
  chart: {
    input: (encoded): TokenPriceInput => ({ ...encoded, include: "percent_change" }),
    load: async () => (await import("../chart/PriceChart.ts")).priceChart
  },
  examples: [
    "{token} --chain eth --include percent_change",
    "{token} --chart",
    "{token} --watch --interval 5s --timeout 1s",
    "{token} --exchange uniswapv2 --to-block 22000000"
  ]
})

export const tokenPrice: CommandSpec = {
  ...command,
  endsAtTimeout: (values) => isPriceWatch({ values }),
  run: (invocation) =>
    isPriceWatch(invocation)
      ? Effect.flatMap(
        Effect.promise(() => import("../watch/PriceWatch.ts")),
        ({ watchPrice }) => watchPrice(invocation)
      )
      : command.run(invocation)
}
