/** Draws the time in which a wallet is active on each chain. */
import type { ActiveChain, WalletChains } from "@blockquarry/core/model/WalletChains"
import * as DateTime from "effect/DateTime"
import { type AliasOf, type Chart, formatTime, nameAddress } from "./Chart.ts"

/** Returns the times of the first and the last transaction that are known: two, one or none. */
const timesOf = ({ first_transaction, last_transaction }: ActiveChain): ReadonlyArray<number> =>
  [first_transaction, last_transaction].flatMap((transaction) => {
    const time = transaction?.block_timestamp ?? null
    return time === null ? [] : [DateTime.toEpochMillis(time)]
  })

export const chainsChart = ({ active_chains, address }: WalletChains, aliasOf: AliasOf): Chart => {
  const times = active_chains.map(timesOf)
  const start = Math.min(...times.flat())
  const end = Math.max(...times.flat())
  const position = (time: number) => end === start ? 0 : (time - start) / (end - start)
  const toBar = (known: ReadonlyArray<number>) => {
    const [first, last = first] = known
    return first === undefined || last === undefined ? { range: null, text: "no transactions" } : {
      range: { start: position(Math.min(first, last)), end: position(Math.max(first, last)) },
      text: `${formatTime(first, 10)} – ${formatTime(last, 10)}`
    }
  }
  return {
    title: `Activity of ${nameAddress(address, aliasOf)} on each chain (UTC)`,
    labels: active_chains.map(({ chain, chain_id }) => chain ?? chain_id ?? "unknown"),
    panels: [[{ name: "first to last transaction", bars: times.map(toBar) }]],
    notes: [
      active_chains.length === 0
        ? "No chains."
        : `Active on ${times.filter(({ length }) => length > 0).length} of ${active_chains.length} chains.`
    ]
  }
}
