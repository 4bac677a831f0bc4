/** `quarry token owners` */
import type { TokenOwner } from "@blockquarry/core/model/TokenOwner"
import { tokenOwners as operation } from "@blockquarry/core/operations/tokenOwners"
import { largestHolders } from "@blockquarry/http/LargestHolders"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { Usage } from "../Failure.ts"
import { type Call, type OptionSpec, single } from "../line/Entry.ts"
import { count, listCommand } from "../ListCommand.ts"
import { decimal, id, number, text } from "../render/Cells.ts"
import type { Column } from "../render/Table.ts"

/** A heap of more holders than this is no question but a download. */
const most = 1_000_000

const columns: ReadonlyArray<Column<TokenOwner>> = [
  id("owner", ({ owner_address }) => owner_address),
  text("label", ({ owner_address_label }) => owner_address_label, { rank: 2 }),
  decimal("balance", ({ balance_formatted }) => balance_formatted),
  number("balance (units)", ({ balance }) => balance, { rank: 3 }),
  decimal("USD", ({ usd_value }) => usd_value, { rank: 1 }),
  decimal("% of supply", ({ percentage_relative_to_total_supply }) => percentage_relative_to_total_supply),
  text("contract", ({ is_contract }) => is_contract === true ? "yes" : null, { rank: 4 })
]

const largest: OptionSpec = {
  name: "largest",
  value: "number",
  description: "walk the whole list and print this many of the largest holders, largest first"
}

const wanted = (call: Call): Either.Either<number | null, Usage> =>
  Either.filterOrLeft(
    count(call, largest.name),
    (number) => number === null || number <= most,
    () =>
      new Usage({
        problem: `--${largest.name}: expected at most ${most}`,
        hint: "use --all for every holder"
      })
  )

export const tokenOwners = listCommand({
  words: ["token", "owners"],
  operation,
  client: ({ data }) => data.tokenOwners,
  noun: "owners",
  columns,
  options: [largest],
  warn: ({ chain }, { values }) =>
    chain === undefined || chain === "eth" || single(values, largest.name) !== undefined
      ? null
      : `known issue: the service lists the holders on ${chain} in faulty order. ` +
        `--${largest.name} 100 walks the whole list and keeps the 100 largest`,
  check: (_, call) => wanted(call),
  instead: (ask, written, call) => {
    const count = Either.getOrNull(wanted(call))
    return count === null ? null : Stream.fromEffect(Effect.map(
      largestHolders(ask.items(written, { prefetch: 1 }), count),
      (result) => ({ total: null, page: null, page_size: null, cursor: null, result })
    ))
  },
  examples: ["{token} --chain eth", "{token} --largest 20 -o json"]
})
