/** Tracks the highest block that responses have shown for each chain. Data far below it is final. */
import type { EncodedRequest } from "@blockquarry/core/RequestEncoding"
import * as Predicate from "effect/Predicate"
import { searchable } from "../transport/NativeBytes.ts"
import type { Call } from "./Call.ts"

/** Number of blocks below the highest one after which a block counts as final. */
const finalityDepth = 1000

export interface ChainHeads {
  /** Records a block that a response shows. */
  readonly observe: (call: Call, block: number) => void
  /** Whether data up to a block is final. */
  readonly isFinal: (call: Call, block: number) => boolean
}

export const make = (): ChainHeads => {
  const highest = new Map<string, number>()
  return {
    observe: (call, block) => {
      const chain = chainOf(call)
      if (block > (highest.get(chain) ?? 0)) highest.set(chain, block)
    },
    isFinal: (call, block) => block <= (highest.get(chainOf(call)) ?? 0) - finalityDepth
  }
}

/** Identifies a chain at a base URL. An omitted chain parameter counts as a chain. */
const chainOf = ({ request, keyPool }: Call): string => `${keyPool.apiUrl} ${parameter(request, "chain")}`

const parameter = ({ query }: EncodedRequest, parameterName: string): string =>
  query.find(([name]) => name === parameterName)?.[1] ?? ""

/** Returns the highest block among the records of a list, or of the document itself. 0 if there is none. */
export const blockInDocument = (document: unknown): number => {
  if (!Predicate.isRecord(document)) return 0
  const records: ReadonlyArray<unknown> = Array.isArray(document["result"]) ? document["result"] : [document]
  return records.reduce<number>((max, record) => Math.max(max, blockOf(record)), 0)
}

const blockOf = (record: unknown): number =>
  safeBlock(Predicate.isRecord(record) ? Number(record["block_number"] ?? 0) : 0)

const safeBlock = (block: number): number => Number.isSafeInteger(block) ? block : 0

/**
 * Returns the higher one of the first and the last block in a body: lists are ordered by block, so one of them is the
 * highest. Reads only the beginning and the end. 0 if there is none.
 */
export const blockInBytes = (bytes: Uint8Array): number => {
  const first = searchable(bytes.subarray(0, blockWindow))?.indexOf(blockMember) ?? -1
  if (first < 0) return 0
  const start = Math.max(bytes.byteLength - blockWindow, 0)
  const last = searchable(bytes.subarray(start))?.lastIndexOf(blockMember) ?? -1
  return Math.max(blockAt(bytes, first), last < 0 ? 0 : blockAt(bytes, start + last))
}

const blockMember = "\"block_number\""

/** Bytes at the beginning and at the end of a body that have a whole record. */
const blockWindow = 8192

const decoder = new TextDecoder()

/** Returns the block of the member at a position, as a number or in a string. */
const blockAt = (bytes: Uint8Array, at: number): number => {
  const value = decoder.decode(bytes.subarray(at + blockMember.length, at + blockMember.length + 40))
  return safeBlock(Number(/^\s*:\s*"?(\d+)/.exec(value)?.[1] ?? 0))
}
