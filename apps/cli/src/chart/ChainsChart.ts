/** Draws the time in which a wallet is active on each chain. */
import type { ActiveChain, WalletChains } from "@blockquarry/core/model/WalletChains"
import * as DateTime from "effect/DateTime"
import { type AliasOf, type Bar, type Chart, formatTime, nameAddress, timeTicks } from "./Chart.ts"

const timeOf = (transaction: ActiveChain["first_transaction"]): number | null =>
  transaction === null || transaction.block_timestamp === null
    ? null
    : DateTime.toEpochMillis(transaction.block_timestamp)

const toBar = ({ first_transaction, last_transaction }: ActiveChain, start: number, end: number): Bar => {
  const first = timeOf(first_transaction) ?? timeOf(last_transaction)
  const last = timeOf(last_transaction) ?? first
  if (first === null || last === null) return { range: null, text: "no transactions" }
  const position = (time: number) => end === start ? 0 : (time - start) / (end - start)
  return {
    range: { start: position(Math.min(first, last)), end: position(Math.max(first, last)) },
    text: `${formatTime(first, 10)} – ${formatTime(last, 10)}`
  }
}

export const chainsChart = ({ active_chains, address }: WalletChains, aliasOf: AliasOf): Chart => {
  const times = active_chains
    .flatMap((
      { first_transaction, last_transaction }
    ) => [timeOf(first_transaction), timeOf(last_transaction)])
    .filter((time) => time !== null)
  const start = Math.min(...times)
  const end = Math.max(...times)
  const active = active_chains.filter(({ first_transaction, last_transaction }) =>
    timeOf(first_transaction) !== null || timeOf(last_transaction) !== null
  )
  return {
    title: `Activity of ${nameAddress(address, aliasOf)} on each chain (UTC)`,
    labels: active_chains.map(({ chain, chain_id }) => chain ?? chain_id ?? "unknown"),
    panels: [[{
      name: "first to last transaction",
      bars: active_chains.map((chain) => toBar(chain, start, end)),
      ticks: timeTicks(start, end)
    }]],
    notes: [
      active_chains.length === 0
        ? "No chains."
        : `Active on ${active.length} of ${active_chains.length} chains.`
    ]
  }
}
