/** Draws transfers and trades over time. */
import { formatUnits } from "@blockquarry/core/Amount"
import type { Erc20Transfer } from "@blockquarry/core/model/Erc20Transfer"
import type { NftTrade } from "@blockquarry/core/model/NftTrade"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import { countOf } from "../render/Count.ts"
import { directionOf } from "../render/Direction.ts"
import {
  type AliasOf,
  type ChartBuilder,
  type ChartValue,
  formatTime,
  maxOf,
  nameAddress,
  shortId,
  valuePanel
} from "./Chart.ts"
import { timeBuckets } from "./TimeBuckets.ts"

/** What one record adds to the picture. */
interface Activity {
  readonly time: DateTime.Utc | null
  /** Index of the series. */
  readonly series: number
  /** Null if amounts are not drawn. */
  readonly payment: Payment | null
}

interface Payment {
  readonly amount: bigint
  /** Equal for amounts that may be added. */
  readonly currency: string
  readonly symbol: string
  /** Null if they are unknown: the amount is in smallest units. */
  readonly decimals: number | null
}

/** The counts of all series, and then their amounts. */
type Sums = ReadonlyArray<bigint>

const addSums = (one: Sums, other: Sums): Sums => one.map((sum, index) => sum + (other[index] ?? 0n))

/** Counts records per interval of time and series. If all amounts are in one currency, adds those too. */
const activityChart = <Item>(
  title: (interval: string) => string,
  recordName: string,
  series: ReadonlyArray<string>,
  toActivity: (item: Item) => Activity
): ChartBuilder<Item> => {
  const noSums: Sums = [...series, ...series].map(() => 0n)
  const buckets = timeBuckets(addSums)
  let first: Payment | null = null
  let haveOneCurrency = true
  return {
    add: (items) => {
      for (const item of items) {
        const { payment, series: own, time } = toActivity(item)
        const sums = noSums.with(own, 1n).with(series.length + own, payment?.amount ?? 0n)
        buckets.add(time === null ? null : DateTime.toEpochMillis(time), sums)
        first = first ?? payment
        haveOneCurrency &&= payment !== null && payment.currency === first?.currency
      }
    },
    chart: () => {
      const { buckets: timed, interval, range, untimed } = buckets.result()
      const rows = untimed === null ? timed : [...timed, { label: "no time", value: untimed }]
      const total = rows.reduce((sums, { value }) => value === null ? sums : addSums(sums, value), noSums)
      const count = total.slice(0, series.length).reduce((one, other) => one + other, 0n)
      const currency = haveOneCurrency ? first : null
      const { decimals = null, symbol = "" } = currency ?? {}
      const formatAmount = (amount: bigint) =>
        decimals === null ? String(amount) : formatUnits(amount, decimals)
      const unit = decimals === null ? `${symbol} (raw)` : symbol
      const inUnit = (name: string) => name === recordName ? unit : `${unit} ${name}`
      // The last of several series is for what is in none of the others
      const shown = [...series.entries()].filter(([index]) =>
        index === 0 || index < series.length - 1 || (total[index] ?? 0n) > 0n
      )
      const panels = (
        offset: number,
        nameOf: (series: string) => string,
        format: (value: bigint) => string
      ) => {
        const values = shown.map(([index]) =>
          rows.map(({ value }): ChartValue => {
            const sum = value?.[offset + index] ?? 0n
            return [BigDecimal.make(sum, 0), format(sum)]
          })
        )
        const max = maxOf(values.flat().map(([value]) => value))
        return shown.map(([, name], panel) => valuePanel(nameOf(name), values[panel] ?? [], max))
      }
      return {
        title: title(interval),
        labels: rows.map(({ label }) => label),
        panels: [
          panels(0, (name) => name, String),
          ...(currency === null ? [] : [panels(series.length, inUnit, formatAmount)])
        ],
        notes: [
          count === 0n
            ? `No ${recordName}.`
            : range === null
            ? `${countOf(count, recordName)}.`
            : `${countOf(count, recordName)}, from ${formatTime(range.first)} to ${
              formatTime(range.last)
            } UTC.`,
          ...(currency === null ? [] : [
            `Total: ${
              shown.map(([index, name]) =>
                `${formatAmount(total[series.length + index] ?? 0n)} ${inUnit(name)}`
              ).join(", ")
            }.`
          ])
        ]
      }
    }
  }
}

/** Returns the index of the series: in, out, or neither. */
const seriesOf = (wallet: string, from: string | null, to: string | null): number => {
  const direction = directionOf(from, to, { subject: wallet })
  return direction === "in" ? 0 : direction === "out" ? 1 : 2
}

const transfersChart = (
  title: string,
  series: ReadonlyArray<string>,
  seriesOfTransfer: (transfer: Erc20Transfer) => number
): ChartBuilder<Erc20Transfer> =>
  activityChart((interval) => `Transfers ${title} per ${interval}`, "transfers", series, (transfer) => ({
    time: transfer.block_timestamp,
    series: seriesOfTransfer(transfer),
    payment: transfer.value === null ? null : {
      amount: transfer.value,
      currency: `${transfer.address} ${transfer.token_decimals}`,
      symbol: transfer.token_symbol ?? transfer.token_name ?? shortId(transfer.address ?? "tokens"),
      decimals: transfer.token_decimals
    }
  }))

export const walletTransfersChart = (wallet: string, aliasOf: AliasOf): ChartBuilder<Erc20Transfer> =>
  transfersChart(
    `to and from ${nameAddress(wallet, aliasOf)}`,
    ["in", "out", "other"],
    ({ from_address, to_address }) => seriesOf(wallet, from_address, to_address)
  )

export const tokenTransfersChart = (token: string, aliasOf: AliasOf): ChartBuilder<Erc20Transfer> =>
  transfersChart(`of the token ${nameAddress(token, aliasOf)}`, ["transfers"], () => 0)

export const nftTradesChart = (wallet: string, aliasOf: AliasOf): ChartBuilder<NftTrade> =>
  activityChart(
    (interval) => `NFT trades of ${nameAddress(wallet, aliasOf)} per ${interval}`,
    "trades",
    ["bought", "sold", "other"],
    ({ block_timestamp: time, buyer_address, seller_address }) => ({
      time,
      series: seriesOf(wallet, seller_address, buyer_address),
      payment: null
    })
  )
