/** Exports of what is new since the last complete one: the block to start from, and the records to leave out. */
import { type AnyOperation, identityOf, isList } from "@blockquarry/core/Operation"
import { createHash } from "node:crypto"
import type { ArgumentValues } from "../args/ArgumentValues.ts"
import type { EncodedRecord, RecordPage } from "../list/RecordList.ts"
import { toJson } from "../text/Json.ts"
import type { NewestBlock } from "./Manifest.ts"

/** Replaces the start of the range. The limit counts new records only, so the list itself has none. */
export const sinceBlock = (values: ArgumentValues, { block }: NewestBlock): ArgumentValues => {
  const rest = [...values].filter(([name]) => !["from-block", "from-date", "max-items"].includes(name))
  return new Map([...rest, ["from-block", [String(block)]]])
}

const blockOf = ({ block_number: block }: EncodedRecord): number | null =>
  typeof block === "number" ? block : null

/** Labels may change, so a record without an identity only is known by all its members. */
const identityOrDigest = (operation: AnyOperation, record: EncodedRecord): string =>
  (isList(operation) ? identityOf(operation.pagination, record) : null) ??
    createHash("sha256").update(toJson(record)).digest("hex")

/** Adds records to the newest block. Starts again at each higher block. */
export const trackNewest = (
  operation: AnyOperation,
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
    identities.push(identityOrDigest(operation, record))
  }
  return identities === null ? newest : { block, records: identities }
}

/** Removes the records of `since` from pages. A record that is in `since` twice is removed twice. */
export const onlyNew = (operation: AnyOperation, since: NewestBlock) => {
  const remaining = new Map<string, number>()
  for (const identity of since.records) remaining.set(identity, (remaining.get(identity) ?? 0) + 1)
  const isNew = (record: EncodedRecord): boolean => {
    if (blockOf(record) !== since.block) return true
    const identity = identityOrDigest(operation, record)
    const count = remaining.get(identity) ?? 0
    if (count > 0) remaining.set(identity, count - 1)
    return count === 0
  }
  return <Item>(page: RecordPage<Item>): RecordPage<Item> => ({
    ...page,
    rows: page.rows.filter(({ record }) => isNew(record()))
  })
}
