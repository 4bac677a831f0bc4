/**
 * Responses as they are decoded: what cannot be read, and the lossless JSON beside the model.
 *
 * @example
 * import * as CallOptions from "@blockquarry/http/CallOptions"
 * import * as DataApi from "@blockquarry/http/DataApi"
 * import * as Effect from "effect/Effect"
 *
 * const price = Effect.flatMap(DataApi.DataApi, (data) => data.tokenPrice({ address: "0x…" })).pipe(
 *   CallOptions.withCallOptions({
 *     onResponse: ({ json, operation, unreadable }) => {
 *       for (const { path, reason } of unreadable) console.warn(`${operation} at ${path}: ${reason}`)
 *       // With the fields that the model does not have
 *       console.log(json())
 *     }
 *   })
 * )
 */
import type { UnreadableField } from "@blockquarry/core/Decoder"
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import type * as Schema from "effect/Schema"
import { oneOf } from "./internal/Policy.ts"
import { option } from "./OptionIssues.ts"

/**
 * What happens to a describing field that cannot be read, such as a name, a logo or a label:
 *
 * - `lenient`: it is null, and counted. So is an optional object with a fact that cannot be read.
 * - `skip`: as `lenient`, and a record of a list is left out if a fact of it cannot be read, and counted as the field `result[]`.
 * - `strict`: the call fails with an `InvalidResponseError`, for tests and conformance checks.
 *
 * Another fact that cannot be read fails the call in all of them: a hash, an address of a party, a block, an index, an amount, a price, or
 * the course of a list.
 */
export type Decoding = "lenient" | "skip" | "strict"

/**
 * - `upstream`: from a request of this call, or of an identical concurrent call.
 * - `cache`: a fresh cache entry.
 * - `stale`: a stale cache entry, while it is revalidated or the upstream fails.
 */
export type ResponseSource = "upstream" | "cache" | "stale"

/** A response that was decoded. */
export interface DecodedResponse {
  /** The ID of the operation. */
  readonly operation: string
  readonly source: ResponseSource
  /**
   * Returns the complete document, with the fields that the model does not have. Numbers that JavaScript would round are strings
   * of their digits.
   */
  readonly json: () => JsonValue
  /** Returns the body as it was received, without the API key. */
  readonly text: () => string
  /** The fields that are null, and the records that are left out, because they cannot be read, once for each occurrence. */
  readonly unreadable: ReadonlyArray<UnreadableField>
}

/**
 * Called with each decoded response of calls: for a list, with each page. If it throws, the call continues, and a warning is
 * logged. It must not return a promise, whose rejection nothing would handle.
 */
export interface ResponseObserver {
  (response: DecodedResponse): void
}

/** The schema of the option `decoding`. */
export const DecodingOption: Schema.Schema<Decoding> = oneOf("lenient", "skip", "strict")

/** The schema of the option `onResponse`. */
export const ObserverOption: Schema.Schema<ResponseObserver> = option(
  "a function",
  (value): value is ResponseObserver => typeof value === "function"
)
