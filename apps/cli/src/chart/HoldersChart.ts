/** Draws the largest holders of a token with their share of the supply. */
import { formatDecimal } from "@blockquarry/core/Decimal"
import type { TokenOwner } from "@blockquarry/core/model/TokenOwner"
import * as Arr from "effect/Array"
import * as BigDecimal from "effect/BigDecimal"
import * as Order from "effect/Order"
import { countOf } from "../render/Count.ts"
import { formatPercent } from "../render/ShortNumber.ts"
import {
  type AliasOf,
  type ChartBuilder,
  type ChartValue,
  nameAddress,
  shortId,
  valuePanel,
  zero
} from "./Chart.ts"

const formatShare = (share: BigDecimal.BigDecimal): string => `${formatPercent(share)}%`

const shareOf = ({ percentage_relative_to_total_supply: share }: TokenOwner): ChartValue =>
  share === null ? [zero, "unknown"] : [share, formatShare(share)]

const balanceOf = ({ balance, balance_formatted: formatted }: TokenOwner): ChartValue => [
  BigDecimal.make(balance ?? 0n, 0),
  formatted !== null ? formatDecimal(formatted) : balance === null ? "unknown" : `${balance} (raw)`
]

/** The address comes first, because long labels are cut at the end. */
const labelOf = ({ owner_address, owner_address_label: label }: TokenOwner, aliasOf: AliasOf): string =>
  `${shortId(owner_address)} ${aliasOf(owner_address) ?? label ?? ""}`.trimEnd()

/** The largest balance first. */
const byBalance = Order.reverse(Order.mapInput(Order.bigint, ({ balance }: TokenOwner) => balance ?? -1n))

const defaultCount = 20

/** More rows are hard to read. */
const maxCount = 50

/** Draws the largest of all holders, in any order of arrival: `largest` of them (default: 20), but at most 50. */
export const holdersChart = (
  token: string,
  aliasOf: AliasOf,
  largestCount: number | null
): ChartBuilder<TokenOwner> => {
  const count = Math.min(largestCount ?? defaultCount, maxCount)
  let largest: ReadonlyArray<TokenOwner> = []
  let read = 0
  return {
    add: (holders) => {
      read += holders.length
      largest = Arr.take(Arr.sort([...largest, ...holders], byBalance), count)
    },
    chart: () => {
      // Without shares, the balances compare the holders
      const hasShares = largest.some((holder) => holder.percentage_relative_to_total_supply !== null)
      const share = BigDecimal.sumAll(largest.map((holder) => shareOf(holder)[0]))
      return {
        title: `Largest holders of the token ${nameAddress(token, aliasOf)}`,
        labels: largest.map((holder) => labelOf(holder, aliasOf)),
        panels: [[
          hasShares
            ? valuePanel("share of supply", largest.map(shareOf))
            : valuePanel("balance", largest.map(balanceOf))
        ]],
        notes: [
          read === 0
            ? "No holders."
            : read > largest.length
            ? `The ${largest.length} largest of ${countOf(read, "holders")}.`
            : largestCount === null
            ? `${countOf(read, "holders")}.`
            : `The ${read} largest holders.`,
          ...(hasShares ? [`Together: ${formatShare(share)} of the supply.`] : [])
        ]
      }
    }
  }
}
