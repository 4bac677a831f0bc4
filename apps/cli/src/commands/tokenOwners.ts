import type { TokenOwner } from "@blockquarry/core/model/TokenOwner"
import { tokenOwners as operation } from "@blockquarry/core/operations/tokenOwners"
import { topHolders } from "@blockquarry/http/TopHolders"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { integerValue, singleValue } from "../args/ArgumentValues.ts"
import { integerOption } from "../args/CommandOption.ts"
import { addressColumn, decimalColumn, numberColumn, percentColumn, textColumn } from "../render/Columns.ts"
import type { Column } from "../render/Table.ts"
import { listCommand } from "./ListCommand.ts"

/** Bounds the memory for the holders to sort. */
const maxLargest = 1_000_000

const columns: ReadonlyArray<Column<TokenOwner>> = [
  addressColumn("owner", ({ owner_address, owner_address_label }) => ({
    address: owner_address,
    label: owner_address_label
  })),
  decimalColumn("balance", ({ balance_formatted }) => balance_formatted),
  numberColumn("balance (raw)", ({ balance }) => balance, { dropOrder: 3, only: "wide" }),
  decimalColumn("USD", ({ usd_value }) => usd_value, { dropOrder: 1 }),
  percentColumn(
    "% of supply",
    ({ percentage_relative_to_total_supply }) => percentage_relative_to_total_supply
  ),
  textColumn("contract", ({ is_contract }) => is_contract === true ? "yes" : null, {
    dropOrder: 4,
    isOptional: true
  })
]

const largestOption = integerOption(
  "largest",
  [1, maxLargest],
  "Read the whole list and print this many of the largest holders, largest first",
  { hint: () => "use --all to list every holder" }
)

export const tokenOwners = listCommand({
  path: ["token", "owners"],
  operation,
  recordName: "owners",
  columns,
  options: [largestOption],
  warning: ({ chain }, { values }) =>
    chain === undefined || chain === "eth" || singleValue(values, largestOption.name) !== undefined
      ? null
      : `known issue: the upstream returns holders on ${chain} in the wrong order; ` +
        `--${largestOption.name} 100 reads the whole list and returns the 100 largest`,
  alternativePages: (operation, encoded, { values }) => {
    const count = integerValue(values, largestOption.name)
    return count === null ? null : Stream.fromEffect(Effect.map(
      topHolders(operation.items(encoded, { prefetch: 1 }), count),
      (result) => ({ total: null, page: null, page_size: null, cursor: null, result })
    ))
  },
  chart: async ({ token_address }, aliasOf, { values }) =>
    (await import("../chart/HoldersChart.ts")).holdersChart(
      token_address,
      aliasOf,
      integerValue(values, largestOption.name)
    ),
  examples: ["{token} --chain eth", "{token} --largest 20 -o json", "{token} --chart"]
})
