/** Exports of what is new since the last complete one: the block to start from, and the records to leave out. */
import { identity } from "@blockquarry/core/model/Erc20Transfer"
import { createHash } from "node:crypto"
import type { ArgumentValues } from "../args/ArgumentValues.ts"
import { type EncodedRecord, type RecordPage, selectRecords } from "../list/RecordList.ts"
import { toJson } from "../text/Json.ts"
import type { NewestBlock } from "./Manifest.ts"

/** Replaces the start of the range. The limit counts new records only, so the list itself has none. */
export const sinceBlock = (values: ArgumentValues, { block }: NewestBlock): ArgumentValues => {
  const rest = [...values].filter(([name]) => !["from-block", "from-date", "max-items"].includes(name))
  return new Map([...rest, ["from-block", [String(block)]]])
}

export const blockOf = ({ block_number: block }: EncodedRecord): number | null =>
  typeof block === "number" ? block : null

/** Labels may change, so the position in the chain identifies a record that has one. */
const identityOf = (record: EncodedRecord): string => {
  const { log_index: index, transaction_hash: hash } = record
  const position = typeof hash === "string" && typeof index === "number"
    ? identity({ transaction_hash: hash, log_index: index })
    : null
  return position ?? createHash("sha256").update(toJson(record)).digest("hex")
}

/** Adds records to the newest block. Starts again at each higher block. */
export const trackNewest = (
  newest: NewestBlock | null,
  records: ReadonlyArray<EncodedRecord>
): NewestBlock | null => {
  let block = newest?.block ?? -1
  let identities: Array<string> | null = null
  for (const record of records) {
    const number = blockOf(record)
    if (number === null || number < block) continue
    if (number > block) identities = []
    else identities ??= [...newest?.records ?? []]
    block = number
    identities.push(identityOf(record))
  }
  return identities === null ? newest : { block, records: identities }
}

/** Removes the records of `since` from pages. A record that is in `since` twice is removed twice. */
export const onlyNew = (since: NewestBlock) => {
  const remaining = new Map<string, number>()
  for (const identity of since.records) remaining.set(identity, (remaining.get(identity) ?? 0) + 1)
  const isNew = (record: EncodedRecord): boolean => {
    if (blockOf(record) !== since.block) return true
    const identity = identityOf(record)
    const count = remaining.get(identity) ?? 0
    if (count > 0) remaining.set(identity, count - 1)
    return count === 0
  }
  return <Item>(page: RecordPage<Item>): RecordPage<Item> => {
    const flags = page.records().map(isNew)
    const kept = flags.flatMap((isKept, index) => isKept ? [index] : [])
    return {
      ...page,
      ...selectRecords(page, (index) => flags[index] === true),
      cursorAfter: (count) => page.cursorAfter(kept[count] ?? flags.length)
    }
  }
}
