/**
 * The TTL of responses. Only complete JSON documents are cached, and errors that every API key gets.
 *
 * The TTL of data up to a block depends on the highest block that responses have shown for its chain: data far below it
 * is final.
 */
import type { Operation } from "@blockquarry/core/Operation"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as LruMap from "../../gateway/LruMap.ts"
import type { AttemptResponse, Call, UncacheableReason } from "../call/Call.ts"

/**
 * Returns the TTL in milliseconds, or why the response must not be cached. `fitsModel` is called only for a document that
 * may be cached otherwise. The body is parsed only if the rule of the operation reads the document.
 */
export type ResponseTtl = <I, InputEncoded, Output, OutputEncoded>(
  operation: Operation<I, InputEncoded, Output, OutputEncoded>,
  input: I,
  call: Call,
  attemptResponse: AttemptResponse,
  fitsModel: () => boolean
) => number | UncacheableReason

export const make = (): ResponseTtl => {
  // The highest block of each chain. Any chain may be requested, so only those in use are kept.
  const heads = LruMap.make<number>({ maxSize: maxHeads })
  const headOf = (call: Call): number => heads.get(chainOf(call)) ?? 0
  const ownTtl: ResponseTtl = (operation, input, call, { classification, response }, fitsModel) => {
    const notFoundTtl = () =>
      operation.cacheNotFound ? Duration.toMillis(call.plan.policies.cache.negative.notFound) : "error"
    switch (classification._tag) {
      case "Malformed":
        return "incomplete"
      case "Rejected":
        // Every API key gets this error, but no other.
        return classification.error._tag === "NotFoundError" ? notFoundTtl() : "error"
      case "Complete":
    }
    let isJson = true
    const document = () =>
      Either.getOrElse(classification.document, () => {
        isJson = false
      })
    if (operation.isNotFound(document)) return notFoundTtl()
    if (!fitsModel()) return "unexpected_shape"
    const ttl = operation.ttl(input, document)
    if (!isJson) return "incomplete"
    if (operation.parameters.some(({ name }) => name === "chain")) {
      const { bodyScan } = call.plan
      const block = bodyScan === null || classification.isParsed
        ? blockInDocument(document())
        : bodyScan.highestBlock(response.bytes)
      if (block > headOf(call)) heads.set(chainOf(call), block)
    }
    switch (ttl._tag) {
      case "NoStore":
        return "no_store"
      case "Immutable":
        return maxTtlMillis
      case "MaxAge":
        return Duration.toMillis(ttl.duration)
      case "UpToBlock":
        return Duration.toMillis(
          ttl.block <= headOf(call) - finalityDepth ? ttl.finalizedTtl : ttl.recentTtl
        )
    }
  }
  return (operation, input, call, attemptResponse, fitsModel) => {
    const ttl = ownTtl(operation, input, call, attemptResponse, fitsModel)
    const bound = call.plan.policies.cache.respectMaxAge
      ? maxAgeOf(attemptResponse)
      : Number.POSITIVE_INFINITY
    return typeof ttl === "string" ? ttl : bound > 0 ? Math.min(ttl, bound) : "no_store"
  }
}

/** Returns how long `Cache-Control` lets a cache of several clients keep a response, in milliseconds. */
const maxAgeOf = ({ response: { headers } }: AttemptResponse): number => {
  const cacheControl = headers["cache-control"] ?? ""
  if (/(?:^|[\s,])(?:no-store|no-cache|private)(?:$|[\s,=])/i.test(cacheControl)) return 0
  const [, seconds] = /(?:^|[\s,])s-maxage="?(\d{1,9})/i.exec(cacheControl) ??
    /(?:^|[\s,])max-age="?(\d{1,9})/i.exec(cacheControl) ?? []
  return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1000
}

/** Number of chains whose highest block is known. */
const maxHeads = 256

/** The TTL of immutable responses: 30 days. */
const maxTtlMillis = 30 * 24 * 3_600_000

/** Number of blocks below the highest one after which a block counts as final. */
const finalityDepth = 1000

/** Identifies a chain at a base URL. An omitted chain parameter counts as a chain. */
const chainOf = ({ request: { query }, plan: { keyPool } }: Call): string =>
  `${keyPool.apiUrl} ${query.find(([name]) => name === "chain")?.[1] ?? ""}`

/** Returns the highest block among the records of a list, or of the document itself. 0 if there is none. */
const blockInDocument = (document: unknown): number => {
  if (!Predicate.isRecord(document)) return 0
  const records: ReadonlyArray<unknown> = Array.isArray(document["result"]) ? document["result"] : [document]
  return records.reduce<number>((max, record) => Math.max(max, blockOf(record)), 0)
}

const blockOf = (record: unknown): number => {
  const block = Predicate.isRecord(record) ? Number(record["block_number"] ?? 0) : 0
  return Number.isSafeInteger(block) ? block : 0
}
