/** `quarry token owners` */
import type { TokenOwner } from "@blockquarry/core/model/TokenOwner"
import { tokenOwners as operation } from "@blockquarry/core/operations/tokenOwners"
import { topHolders } from "@blockquarry/http/TopHolders"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { type CommandInvocation, type OptionSpec, singleValue } from "../args/CommandSpec.ts"
import { UsageError } from "../CommandError.ts"
import { listCommand, positiveInteger } from "../ListCommand.ts"
import { decimalColumn, idColumn, numberColumn, textColumn } from "../render/Columns.ts"
import type { Column } from "../render/Table.ts"

/** A heap of more holders than this is no question but a download. */
const maxLargest = 1_000_000

const columns: ReadonlyArray<Column<TokenOwner>> = [
  idColumn("owner", ({ owner_address }) => owner_address),
  textColumn("label", ({ owner_address_label }) => owner_address_label, { dropOrder: 2 }),
  decimalColumn("balance", ({ balance_formatted }) => balance_formatted),
  numberColumn("balance (units)", ({ balance }) => balance, { dropOrder: 3 }),
  decimalColumn("USD", ({ usd_value }) => usd_value, { dropOrder: 1 }),
  decimalColumn(
    "% of supply",
    ({ percentage_relative_to_total_supply }) => percentage_relative_to_total_supply
  ),
  textColumn("contract", ({ is_contract }) => is_contract === true ? "yes" : null, { dropOrder: 4 })
]

const largestOption: OptionSpec = {
  name: "largest",
  value: "number",
  description: "walk the whole list and print this many of the largest holders, largest first"
}

const largestCount = (invocation: CommandInvocation): Either.Either<number | null, UsageError> =>
  Either.filterOrLeft(
    positiveInteger(invocation, largestOption.name),
    (number) => number === null || number <= maxLargest,
    () =>
      new UsageError({
        reason: `--${largestOption.name}: expected at most ${maxLargest}`,
        hint: "use --all for every holder"
      })
  )

export const tokenOwners = listCommand({
  path: ["token", "owners"],
  operation,
  selectClient: ({ data }) => data.tokenOwners,
  recordName: "owners",
  columns,
  options: [largestOption],
  warning: ({ chain }, { values }) =>
    chain === undefined || chain === "eth" || singleValue(values, largestOption.name) !== undefined
      ? null
      : `known issue: the service lists the holders on ${chain} in faulty order. ` +
        `--${largestOption.name} 100 walks the whole list and keeps the 100 largest`,
  validate: (_, invocation) => largestCount(invocation),
  alternativePages: (operation, encoded, invocation) => {
    const count = Either.getOrNull(largestCount(invocation))
    return count === null ? null : Stream.fromEffect(Effect.map(
      topHolders(operation.items(encoded, { prefetch: 1 }), count),
      (result) => ({ total: null, page: null, page_size: null, cursor: null, result })
    ))
  },
  examples: ["{token} --chain eth", "{token} --largest 20 -o json"]
})
