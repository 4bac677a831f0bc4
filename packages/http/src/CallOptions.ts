/**
 * Options of calls: retries, timeouts, cache mode, API key and further parameters of one call, or of a region of a program.
 *
 * @example
 * import * as CallOptions from "@blockquarry/http/CallOptions"
 * import * as DataApi from "@blockquarry/http/DataApi"
 * import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
 * import * as Effect from "effect/Effect"
 * import type * as Redacted from "effect/Redacted"
 *
 * const price = Effect.gen(function*() {
 *   const data = yield* DataApi.DataApi
 *   // For one call
 *   return yield* data.tokenPrice({ address: "0x…" }, { cacheMode: "reload" })
 * })
 *
 * // For every call of a region
 * const once = price.pipe(CallOptions.withCallOptions({ retry: RetryPolicy.none }))
 *
 * // With the API key of a tenant
 * const priceFor = (apiKey: Redacted.Redacted) => price.pipe(CallOptions.withCallOptions({ apiKey }))
 *
 * // With what cannot be read, and the lossless JSON beside the model
 * const observed = price.pipe(
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
import type { QueryParameters } from "@blockquarry/core/QueryParameters"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { apiKeyError, oneOf, option, override, type PartialPolicy, Secret } from "./gateway/Options.ts"
import { CacheMode } from "./ResponseCache.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import * as Timeouts from "./Timeouts.ts"

/**
 * Options of a call. Default: those of the enclosing region, or else the policies of the layer, also for each member of
 * `retry` and `timeouts`. Rate limits, circuit breakers and caches are shared by calls and are options of the layer only.
 *
 * A call with an invalid or unknown option fails with an `InvalidInputError` that names it, as in `retry.attempts`.
 */
export interface CallOptions extends Omit<PartialPolicy<Schema.Schema.Type<typeof schema>>, "retry"> {
  readonly retry?: RetryPolicy.RetryOption | undefined
}

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

/** The schema of the options of a call. */
export const schema = Schema.Struct({
  retry: RetryPolicy.optionSchema,
  timeouts: Timeouts.schema,
  cacheMode: CacheMode,
  /**
   * The API key of a tenant, in place of those of the layers. Its calls use the policies of the layers, but share no limit,
   * circuit breaker, request in flight and cached response with calls that have another key.
   */
  apiKey: Secret.pipe(Schema.filter((key) => apiKeyError(key) ?? true)),
  /**
   * Parameters of the query that the description of the operation does not have. Those of an inner region are added to those
   * of an outer one. They are a part of the cache key, and of the list that a resume cursor continues.
   *
   * A call fails with an `InvalidInputError` if its operation has a parameter of that name, or one of a similar name.
   */
  query: option("an object", (value): value is QueryParameters => Predicate.isRecord(value)),
  /** What happens to fields that cannot be read. */
  decoding: DecodingOption,
  /** Called with each decoded response, instead of that of the enclosing region or of the layer. */
  onResponse: ObserverOption
})

/** No options: those of the layers apply. */
export const none: CallOptions = {}

/** The options of the enclosing region. Default: none. */
export class CurrentCallOptions
  extends Context.Reference<CurrentCallOptions>()("@blockquarry/http/CallOptions", {
    defaultValue: () => none
  })
{}

/** Sets options for every call of an effect. Options of an inner region take precedence. */
export const withCallOptions: {
  (options: CallOptions): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  <A, E, R>(self: Effect.Effect<A, E, R>, options: CallOptions): Effect.Effect<A, E, R>
} = dual(
  2,
  <A, E, R>(self: Effect.Effect<A, E, R>, options: CallOptions): Effect.Effect<A, E, R> =>
    Effect.flatMap(
      CurrentCallOptions,
      (outer) => Effect.provideService(self, CurrentCallOptions, merge(outer, options))
    )
)

/** Sets options for every call of a stream. Options of an inner region take precedence. */
export const streamWithCallOptions: {
  (options: CallOptions): <A, E, R>(self: Stream.Stream<A, E, R>) => Stream.Stream<A, E, R>
  <A, E, R>(self: Stream.Stream<A, E, R>, options: CallOptions): Stream.Stream<A, E, R>
} = dual(
  2,
  <A, E, R>(self: Stream.Stream<A, E, R>, options: CallOptions): Stream.Stream<A, E, R> =>
    Stream.contextWithStream((context: Context.Context<R>) =>
      Stream.provideContext(
        self,
        Context.add(context, CurrentCallOptions, merge(Context.get(context, CurrentCallOptions), options))
      )
    )
)

/** Keeps unknown options, and options that are no object, so that the calls can name them. */
const merge = (outer: CallOptions, inner: CallOptions): CallOptions =>
  Predicate.isRecord(inner) ? override(outer, inner) : inner
