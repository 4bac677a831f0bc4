/** Client-side rate limits and daily quotas. */
import { type OperationId, operationIds } from "@blockquarry/core/Operations"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as Options from "./gateway/Options.ts"

const Costs = Schema.Union(
  Options.NonNegative,
  Schema.make<Partial<Readonly<Record<OperationId, number>>>>(
    new AST.TypeLiteral(
      operationIds.map((id) => new AST.PropertySignature(id, Options.NonNegative.ast, true, true)),
      []
    )
  )
)

/** The schema of a rate limit. */
export const schema = Schema.Struct({
  /** Units per `window`. */
  limit: Options.required(Options.Positive),
  window: Options.required(Options.PositiveDuration),
  /** Units that may be used at once after an idle time, at least 1. Default: `limit`. */
  burst: Options.Positive,
  /** Rate costs: units by operation, or one number for all operations. Default: the `cost` of each operation. */
  cost: Costs,
  /**
   * Prices, which the daily quota counts: units by operation, or one number for all operations. Default: the `price` of each
   * operation. The price in a response replaces it: see `weightHeader` of the options.
   */
  price: Costs,
  /** Longest wait, also for the concurrency limit. Default: 30 s. Beyond it a call fails with `LocalLimitError`. */
  maxWait: Options.DurationOption,
  /** Maximum number of waiting attempts per API key. Default: 10,000. Others fail with `LocalLimitError`. */
  maxQueue: Options.NonNegative,
  /**
   * Units of the price per UTC day and API key, at all base URLs together. An attempt beyond it fails with `LocalLimitError`. Default:
   * null, no quota.
   */
  dailyQuota: Schema.NullOr(Options.Positive)
})

/**
 * A rate limit in units: each attempt costs the rate cost of its operation. All clients with the same API key and base
 * URL share one rate limit, and wait in arrival order. At most `limit + burst` units are used in any window.
 */
export interface RateLimit extends Schema.Schema.Type<typeof schema> {}

/** A rate limit of which only `limit` and `window` are required. */
export interface RateLimitOptions
  extends Pick<RateLimit, "limit" | "window">, Options.PartialPolicy<Omit<RateLimit, "limit" | "window">>
{}

/**
 * Creates a rate limit of `limit` units per `window`. Omitted members are those of `standard`, and `burst` is the limit. The
 * layer that uses it fails with a `ConfigError` if a member is invalid.
 *
 * @example
 * import * as RateLimit from "@blockquarry/http/RateLimit"
 *
 * // 25 requests per second, at any cost in units
 * const rateLimit = RateLimit.make({ limit: 25, window: "1 second", cost: 1 })
 */
export const make = (options: RateLimitOptions): RateLimit => {
  const { limit, window } = options
  const defaults = {
    limit,
    window,
    burst: Math.max(1, limit),
    cost: {},
    price: {},
    maxWait: Duration.seconds(30),
    maxQueue: 10_000,
    dailyQuota: null
  }
  return Options.override<RateLimit>(defaults, options)
}

/** 100 units per second: about 20 pages of a list, or 33 prices. */
export const standard: RateLimit = make({ limit: 100, window: Duration.seconds(1) })

/** The default: no limit. A 429 still starts a cooldown for all clients with the same API key. */
export const none: RateLimit = make({
  limit: Number.POSITIVE_INFINITY,
  window: Duration.seconds(1),
  maxWait: Duration.infinity
})

/**
 * Parses a rate limit such as `100/s`, `25/10s`, `5000/1m`, `40000/d` or `none`. A left is the expected format.
 */
export const parse = (text: string): Either.Either<RateLimit, string> => {
  if (text === "none") return Either.right(none)
  const [, limit = "", count = "", unit = ""] = pattern.exec(text) ?? []
  const window = Number(count || 1) * (units.get(unit) ?? 0)
  return Number(limit) > 0 && window > 0
    ? Either.right(make({ limit: Number(limit), window: Duration.millis(window) }))
    : Either.left(`expected units per time such as 100/s or 5000/10m, or none; got ${JSON.stringify(text)}`)
}

const pattern = /^(\d{1,9}(?:\.\d{1,6})?)\/(\d{0,6})(ms|s|m|h|d)$/

const units: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000]
])
