/** The highest block that each chain's answers have shown: what is far below it does not change any more. */
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import type { WireRequest } from "@blockquarry/core/Wire"
import * as Predicate from "effect/Predicate"
import type { Call } from "./Call.ts"

/** How far below the highest block a block counts as settled. */
const depth = 1000

export interface Heads {
  /** Looks for blocks in a document that answered a call. */
  readonly note: (call: Call, document: JsonValue) => void
  /** Whether a block is so deep that nothing about it changes. */
  readonly isSettled: (call: Call, block: number) => boolean
}

export const make = (): Heads => {
  const highest = new Map<string, number>()
  return {
    note: (call, document) => {
      const chain = chainOf(call)
      const block = highestBlock(document)
      if (block > (highest.get(chain) ?? 0)) highest.set(chain, block)
    },
    isSettled: (call, block) => block <= (highest.get(chainOf(call)) ?? 0) - depth
  }
}

/** A chain at an address; the service's own choice of a chain, where none is given, counts as one. */
const chainOf = ({ request, ring }: Call): string => `${ring.url} ${parameter(request, "chain")}`

const parameter = ({ query }: WireRequest, wanted: string): string =>
  query.find(([name]) => name === wanted)?.[1] ?? ""

/** Of the records of a list, or of the document itself. */
const highestBlock = (document: JsonValue): number => {
  if (!Predicate.isRecord(document)) return 0
  const records: ReadonlyArray<unknown> = Array.isArray(document["result"]) ? document["result"] : [document]
  return records.reduce<number>((most, record) => Math.max(most, blockOf(record)), 0)
}

const blockOf = (record: unknown): number => {
  const block = Predicate.isRecord(record) ? Number(record["block_number"] ?? 0) : 0
  return Number.isSafeInteger(block) ? block : 0
}
