/** The highest block that each chain's answers have shown: what is far below it does not change any more. */
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import type { EncodedRequest } from "@blockquarry/core/RequestEncoding"
import * as Predicate from "effect/Predicate"
import type { Call } from "./Call.ts"

/** How far below the highest block a block counts as settled. */
const finalityDepth = 1000

export interface ChainHeads {
  /** Looks for blocks in a document that answered a call. */
  readonly observe: (call: Call, document: JsonValue) => void
  /** Whether a block is so deep that nothing about it changes. */
  readonly isFinal: (call: Call, block: number) => boolean
}

export const make = (): ChainHeads => {
  const highest = new Map<string, number>()
  return {
    observe: (call, document) => {
      const chain = chainOf(call)
      const block = highestBlock(document)
      if (block > (highest.get(chain) ?? 0)) highest.set(chain, block)
    },
    isFinal: (call, block) => block <= (highest.get(chainOf(call)) ?? 0) - finalityDepth
  }
}

/** A chain at an address; the service's own choice of a chain, where none is given, counts as one. */
const chainOf = ({ request, keyPool }: Call): string => `${keyPool.apiUrl} ${parameter(request, "chain")}`

const parameter = ({ query }: EncodedRequest, parameterName: string): string =>
  query.find(([name]) => name === parameterName)?.[1] ?? ""

/** Of the records of a list, or of the document itself. */
const highestBlock = (document: JsonValue): number => {
  if (!Predicate.isRecord(document)) return 0
  const records: ReadonlyArray<unknown> = Array.isArray(document["result"]) ? document["result"] : [document]
  return records.reduce<number>((max, record) => Math.max(max, blockOf(record)), 0)
}

const blockOf = (record: unknown): number => {
  const block = Predicate.isRecord(record) ? Number(record["block_number"] ?? 0) : 0
  return Number.isSafeInteger(block) ? block : 0
}
