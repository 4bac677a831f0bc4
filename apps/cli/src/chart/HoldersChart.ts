/** Draws the largest holders of a token with their share of the supply. */
import { formatDecimal } from "@blockquarry/core/Decimal"
import type { TokenOwner } from "@blockquarry/core/model/TokenOwner"
import * as BigDecimal from "effect/BigDecimal"
import { countOf } from "../render/Count.ts"
import { formatPercent } from "../render/ShortNumber.ts"
import {
  type AliasOf,
  barTo,
  type ChartBuilder,
  fraction,
  nameAddress,
  type Panel,
  shortId
} from "./Chart.ts"

const zero = BigDecimal.make(0n, 0)

export const formatShare = (share: BigDecimal.BigDecimal): string => `${formatPercent(share)}%`

/** Returns `value / max` of exact decimals. */
const decimalFraction = (value: BigDecimal.BigDecimal, max: BigDecimal.BigDecimal): number => {
  const scale = Math.max(value.scale, max.scale)
  return fraction(BigDecimal.scale(value, scale).value, BigDecimal.scale(max, scale).value)
}

const sharePanel = (holders: ReadonlyArray<TokenOwner>): Panel => {
  const max = holders.reduce(
    (largest, { percentage_relative_to_total_supply: share }) => BigDecimal.max(largest, share ?? zero),
    zero
  )
  return {
    name: "share of supply",
    ticks: [],
    bars: holders.map(({ percentage_relative_to_total_supply: share }) =>
      share === null ? barTo(0, "unknown") : barTo(decimalFraction(share, max), formatShare(share))
    )
  }
}

/** Without shares, the balances compare the holders. */
const balancePanel = (holders: ReadonlyArray<TokenOwner>): Panel => {
  const max = holders.reduce(
    (largest, { balance }) => balance !== null && balance > largest ? balance : largest,
    0n
  )
  return {
    name: "balance",
    ticks: [],
    bars: holders.map(({ balance, balance_formatted }) =>
      barTo(
        fraction(balance ?? 0n, max),
        balance_formatted !== null
          ? formatDecimal(balance_formatted)
          : balance === null
          ? "unknown"
          : `${balance} (raw)`
      )
    )
  }
}

/** The address comes first, because long labels are cut at the end. */
const labelOf = ({ owner_address, owner_address_label: label }: TokenOwner, aliasOf: AliasOf): string =>
  `${shortId(owner_address)} ${aliasOf(owner_address) ?? label ?? ""}`.trimEnd()

const isLarger = (one: TokenOwner, other: TokenOwner): boolean =>
  (one.balance ?? -1n) > (other.balance ?? -1n)

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
  const largest: Array<TokenOwner> = []
  let read = 0
  let readShare = zero
  return {
    add: (holders) => {
      for (const holder of holders) {
        read += 1
        readShare = BigDecimal.sum(readShare, holder.percentage_relative_to_total_supply ?? zero)
        const index = largest.findLastIndex((other) => !isLarger(holder, other)) + 1
        if (index >= count) continue
        largest.splice(index, 0, holder)
        if (largest.length > count) largest.pop()
      }
    },
    chart: () => {
      const hasShares = largest.some((holder) => holder.percentage_relative_to_total_supply !== null)
      const share = largest.reduce(
        (sum, holder) => BigDecimal.sum(sum, holder.percentage_relative_to_total_supply ?? zero),
        zero
      )
      const rest = read - largest.length
      return {
        title: `Largest holders of the token ${nameAddress(token, aliasOf)}`,
        labels: largest.map((holder) => labelOf(holder, aliasOf)),
        panels: [[hasShares ? sharePanel(largest) : balancePanel(largest)]],
        notes: [
          read === 0
            ? "No holders."
            : rest > 0
            ? `The ${largest.length} largest of ${countOf(read, "holders")}.`
            : largestCount === null
            ? `${countOf(read, "holders")}.`
            : `The ${read} largest holders.`,
          ...(!hasShares ? [] : [
            `Together: ${formatShare(share)} of the supply.` +
            (rest === 0 ? "" : ` The ${rest} others: ${formatShare(BigDecimal.subtract(readShare, share))}.`)
          ])
        ]
      }
    }
  }
}
