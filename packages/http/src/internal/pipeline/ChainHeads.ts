/** Tracks the highest block that responses have shown for each chain. Data far below it is final. */
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import type { EncodedRequest } from "@blockquarry/core/RequestEncoding"
import * as Predicate from "effect/Predicate"
import type { Call } from "./Call.ts"

/** Number of blocks below the highest one after which a block counts as final. */
const finalityDepth = 1000

export interface ChainHeads {
  /** Records the blocks in a response document. */
  readonly observe: (call: Call, document: JsonValue) => void
  /** Whether data up to a block is final. */
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

/** Identifies a chain at a base URL. An omitted chain parameter counts as a chain. */
const chainOf = ({ request, keyPool }: Call): string => `${keyPool.apiUrl} ${parameter(request, "chain")}`

const parameter = ({ query }: EncodedRequest, parameterName: string): string =>
  query.find(([name]) => name === parameterName)?.[1] ?? ""

/** Returns the highest block among the records of a list, or of the document itself. */
const highestBlock = (document: JsonValue): number => {
  if (!Predicate.isRecord(document)) return 0
  const records: ReadonlyArray<unknown> = Array.isArray(document["result"]) ? document["result"] : [document]
  return records.reduce<number>((max, record) => Math.max(max, blockOf(record)), 0)
}

const blockOf = (record: unknown): number => {
  const block = Predicate.isRecord(record) ? Number(record["block_number"] ?? 0) : 0
  return Number.isSafeInteger(block) ? block : 0
}
