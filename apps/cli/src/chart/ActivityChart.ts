/** Draws transfers and trades over time. */
import { formatUnits } from "@blockquarry/core/Amount"
import type { Erc20Transfer } from "@blockquarry/core/model/Erc20Transfer"
import type { NftTrade } from "@blockquarry/core/model/NftTrade"
import * as DateTime from "effect/DateTime"
import { countOf } from "../render/Count.ts"
import { directionOf } from "../render/Direction.ts"
import { validDecimals } from "../render/TokenAmount.ts"
import { type AliasOf, type ChartBuilder, formatTime, nameAddress, shortId, valuePanel } from "./Chart.ts"
import { TimeBuckets } from "./TimeBuckets.ts"

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

/** Sums of one series. */
interface Sums {
  readonly count: bigint
  readonly amount: bigint
}

type SumsOfSeries = ReadonlyArray<Sums>

const noSums: Sums = { count: 0n, amount: 0n }

const addSums = (one: SumsOfSeries, other: SumsOfSeries): SumsOfSeries =>
  one.map(({ amount, count }, index) => {
    const { amount: otherAmount, count: otherCount } = other[index] ?? noSums
    return { amount: amount + otherAmount, count: count + otherCount }
  })

/** Counts records per interval of time and series. If all amounts are in one currency, adds those too. */
const activityChart = <Item>(
  title: (interval: string) => string,
  recordName: string,
  series: ReadonlyArray<string>,
  toActivity: (item: Item) => Activity
): ChartBuilder<Item> => {
  const buckets = new TimeBuckets<SumsOfSeries>(addSums)
  let total: SumsOfSeries = series.map(() => noSums)
  let first: Payment | null = null
  let haveOneCurrency = true
  return {
    add: (items) => {
      for (const item of items) {
        const { payment, series: own, time } = toActivity(item)
        const sums = { count: 1n, amount: payment?.amount ?? 0n }
        const sumsOfSeries = series.map((_, index) => index === own ? sums : noSums)
        total = addSums(total, sumsOfSeries)
        buckets.add(time === null ? null : DateTime.toEpochMillis(time), sumsOfSeries)
        first = first ?? payment
        haveOneCurrency &&= payment !== null && payment.currency === first?.currency
      }
    },
    chart: () => {
      const { buckets: timed, interval, range, untimed } = buckets.result()
      const rows = untimed === null ? timed : [...timed, { label: "no time", value: untimed }]
      // The last of several series is for what is in none of the others
      const shown = [...series.entries()].filter(([index]) =>
        index === 0 || index < series.length - 1 || (total[index]?.count ?? 0n) > 0n
      )
      const panels = (
        name: (series: string) => string,
        value: (sums: Sums) => bigint,
        format: (value: bigint) => string
      ) => {
        const values = shown.map(([index, series]) => ({
          name: name(series),
          values: rows.map((row) => value(row.value?.[index] ?? noSums))
        }))
        const max = values.flatMap(({ values }) => values).reduce((a, b) => a > b ? a : b, 0n)
        return values.map(({ name, values }) => valuePanel(name, values, max, format))
      }
      const currency = haveOneCurrency ? first : null
      const count = total.reduce((sum, { count }) => sum + count, 0n)
      const unit = currency === null ? "" : unitOf(currency)
      const inUnit = (series: string) => series === recordName ? unit : `${unit} ${series}`
      const formatAmount = (amount: bigint) =>
        currency === null || currency.decimals === null
          ? String(amount)
          : formatUnits(amount, currency.decimals)
      return {
        title: title(interval),
        labels: rows.map(({ label }) => label),
        panels: [
          panels((series) => series, ({ count }) => count, String),
          ...(currency === null ? [] : [panels(inUnit, ({ amount }) => amount, formatAmount)])
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
              shown.map(([index, series]) => `${formatAmount(total[index]?.amount ?? 0n)} ${inUnit(series)}`)
                .join(", ")
            }.`
          ])
        ]
      }
    }
  }
}

const unitOf = ({ decimals, symbol }: Payment): string => decimals === null ? `${symbol} (raw)` : symbol

const toPayment = (transfer: Erc20Transfer): Payment | null =>
  transfer.value === null ? null : {
    amount: transfer.value,
    currency: `${transfer.address} ${transfer.token_decimals}`,
    symbol: transfer.token_symbol ?? transfer.token_name ?? shortId(transfer.address ?? "tokens"),
    decimals: validDecimals(transfer.token_decimals)
  }

/** Returns the index of the series: in, out, or neither. */
const seriesOf = (wallet: string, from: string | null, to: string | null): number => {
  const direction = directionOf(from, to, { subject: wallet })
  return direction === "in" ? 0 : direction === "out" ? 1 : 2
}

export const walletTransfersChart = (wallet: string, aliasOf: AliasOf): ChartBuilder<Erc20Transfer> =>
  activityChart(
    (interval) => `Transfers to and from ${nameAddress(wallet, aliasOf)} per ${interval}`,
    "transfers",
    ["in", "out", "other"],
    (transfer) => ({
      time: transfer.block_timestamp,
      series: seriesOf(wallet, transfer.from_address, transfer.to_address),
      payment: toPayment(transfer)
    })
  )

export const tokenTransfersChart = (token: string, aliasOf: AliasOf): ChartBuilder<Erc20Transfer> =>
  activityChart(
    (interval) => `Transfers of the token ${nameAddress(token, aliasOf)} per ${interval}`,
    "transfers",
    ["transfers"],
    (transfer) => ({ time: transfer.block_timestamp, series: 0, payment: toPayment(transfer) })
  )

export const nftTradesChart = (wallet: string, aliasOf: AliasOf): ChartBuilder<NftTrade> =>
  activityChart(
    (interval) => `NFT trades of ${nameAddress(wallet, aliasOf)} per ${interval}`,
    "trades",
    ["bought", "sold", "other"],
    (trade) => ({
      time: trade.block_timestamp,
      series: seriesOf(wallet, trade.seller_address, trade.buyer_address),
      payment: null
    })
  )
