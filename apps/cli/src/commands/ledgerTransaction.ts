import { ledgerTransaction as operation } from "@blockquarry/core/operations/ledgerTransaction"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import { networkOption } from "../args/GlobalOptions.ts"
import type { DetailLine } from "../render/Details.ts"
import { formatWithAge } from "../render/Time.ts"
import type { View } from "../render/View.ts"
import { recordCommand } from "./RecordCommand.ts"

const microsPerSecond = 1_000_000n

/** Formats a time that is a number of units since 1970, with all digits of the fraction. */
const instant = (
  name: string,
  value: bigint | null,
  unitsPerSecond: bigint,
  view: View
): ReadonlyArray<DetailLine> => {
  if (value === null) return []
  const time = DateTime.make(Number(value / unitsPerSecond) * 1000)
  if (Option.isNone(time)) return []
  const fraction = unitsPerSecond === 1n ? "" : `.${String(value % unitsPerSecond).padStart(6, "0")}`
  return [[name, formatWithAge(time.value, view, fraction)]]
}

export const ledgerTransaction = recordCommand({
  path: ["ledger", "tx"],
  operation,
  options: [networkOption],
  inputFields: ["type", "success", "vm_status", "version", "sender", "hash"],
  displayValues: (transaction, view) =>
    transaction.type === "other" ? [] : [
      ..."timestamp" in transaction
        ? instant("timestamp", transaction.timestamp, microsPerSecond, view)
        : [],
      ..."expiration_timestamp_secs" in transaction
        ? instant("expiration_timestamp_secs", transaction.expiration_timestamp_secs, 1n, view)
        : []
    ],
  examples: ["{transaction}", "{transaction} --network mainnet -o json"]
})
