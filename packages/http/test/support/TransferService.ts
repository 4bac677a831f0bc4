/** An upstream that lists the transfers of a wallet without cursors, as a model for pagination by block. */
import * as FastCheck from "effect/FastCheck"
import type { RecordedRequest, ScriptedReply } from "./ScriptedClient.ts"
import * as ScriptedClient from "./ScriptedClient.ts"

/** `log` is null if the records have no identity; copies of such a record are equal. */
export interface Transfer {
  readonly block: number
  readonly id: number
  readonly log: number | null
}

export interface ServiceOptions {
  readonly transfers: ReadonlyArray<Transfer>
  /** The page size. */
  readonly size: number
  /** Whether the response contains the total number of records. */
  readonly total?: boolean
  /** New blocks, one appended after each request. */
  readonly newBlocks?: ReadonlyArray<ReadonlyArray<Transfer>>
  /** Responses from this request on, counted from 1, contain `cursor`. */
  readonly cursorsFrom?: number
}

const encodeTransfer = ({ block, id, log }: Transfer) => ({
  transaction_hash: `0x${id.toString(16).padStart(64, "0")}`,
  block_number: block,
  value: String(id),
  ...(log === null ? {} : { log_index: log })
})

/** Identifies a record in tests. */
export const recordKey = (
  record: { readonly transaction_hash: string; readonly log_index: number | null }
): string => `${BigInt(record.transaction_hash)}:${record.log_index}`

export const transferKey = ({ id, log }: Transfer): string => `${id}:${log}`

/** Returns the records that match a query, in its order. */
export const select = (
  transfers: ReadonlyArray<Transfer>,
  query: URLSearchParams
): ReadonlyArray<Transfer> => {
  const from = Number(query.get("from_block") ?? 0)
  const to = Number(query.get("to_block") ?? Number.MAX_SAFE_INTEGER)
  const ascending = transfers.filter(({ block }) => from <= block && block <= to)
    .map((transfer, index) => ({ transfer, index }))
    .sort((a, b) => a.transfer.block - b.transfer.block || a.index - b.index)
    .map(({ transfer }) => transfer)
  return query.get("order") === "ASC" ? ascending : ascending.toReversed()
}

/** Returns the upstream as a script. */
export const service = (
  options: ServiceOptions
): (request: RecordedRequest, number: number) => ScriptedReply => {
  const { newBlocks = [], cursorsFrom = Number.POSITIVE_INFINITY, size, total = false, transfers } = options
  return ({ url }, number) => {
    const existing = [...transfers, ...newBlocks.slice(0, number - 1).flat()]
    const cursor = url.searchParams.get("cursor")
    // A cursor contains the query and the offset.
    const [filter, offset] = cursor === null
      ? [url.search, 0]
      : [cursor.slice(cursor.indexOf("?")), Number.parseInt(cursor)]
    const selected = select(existing, new URLSearchParams(filter))
    const next = offset + size
    return ScriptedClient.json({
      ...(total ? { total: selected.length - offset } : {}),
      ...(cursor === null && number < cursorsFrom
        ? {}
        : { cursor: next < selected.length ? `${next}${filter === "" ? "?" : filter}` : null }),
      result: selected.slice(offset, next).map(encodeTransfer)
    })
  }
}

/** Random transfers in random blocks, with and without log index, some of them equal. */
export const transfers: FastCheck.Arbitrary<ReadonlyArray<Transfer>> = FastCheck.array(
  FastCheck.record({
    gap: FastCheck.integer({ min: 1, max: 50 }),
    records: FastCheck.array(
      FastCheck.record({ indexed: FastCheck.boolean(), copies: FastCheck.integer({ min: 1, max: 3 }) }),
      { minLength: 1, maxLength: 5 }
    )
  }),
  { maxLength: 10 }
).map((blocks) => {
  let block = 100
  let id = 0
  return blocks.flatMap(({ gap, records }) => {
    block += gap
    return records.flatMap(({ copies, indexed }, log): ReadonlyArray<Transfer> => {
      id += 1
      return indexed ? [{ block, id, log }] : Array.from({ length: copies }, () => ({ block, id, log: null }))
    })
  })
})

/** Returns blocks after those of `transfers`. */
export const blocksAfter = (
  transfers: ReadonlyArray<Transfer>,
  sizes: ReadonlyArray<number>
): ReadonlyArray<ReadonlyArray<Transfer>> => {
  const top = Math.max(100, ...transfers.map(({ block }) => block))
  return sizes.map((size, index) =>
    Array.from(
      { length: size },
      (_, log) => ({ block: top + 1 + index, id: 10_000 + index * 100 + log, log })
    )
  )
}

/** Returns the largest number of records in a block. */
export const largestBlock = (transfers: ReadonlyArray<Transfer>): number => {
  const counts = new Map<number, number>()
  for (const { block } of transfers) counts.set(block, (counts.get(block) ?? 0) + 1)
  return Math.max(0, ...counts.values())
}
