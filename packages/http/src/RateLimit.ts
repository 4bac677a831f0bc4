/**
 * How many requests are let through.
 *
 * @since 0.1.0
 */
import type { OperationId } from "@blockquarry/core/Operations"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"

/**
 * A limit as plain data, in units: each attempt pays what its operation costs upstream.
 *
 * In any window of length `window` at most `limit + burst` units are let through, whatever the load. Everybody who
 * uses the same key at the same base address shares one budget, and waits in one line, first come, first served.
 *
 * - `burst`: units that may go at once after a quiet time. (Where one operation costs more than that, its cost.)
 * - `cost`: units by operation id, where they differ from the operation's own; or one number for every operation.
 * - `maxWait`: no request waits longer; one that would is refused at once with `RateLimited`. The time that is left
 *   to its call bounds the wait too.
 * - `maxQueue`: no more requests wait; one more is refused.
 * - `dailyQuota`: units that the key may spend in a day of UTC, null for any number. A request beyond it is refused at once;
 *   nobody waits for the next day.
 *
 * @since 0.1.0
 * @category models
 */
export interface RateLimit {
  readonly limit: number
  readonly window: Duration.DurationInput
  readonly burst: number
  readonly cost: { readonly [Id in OperationId]?: number } | number
  readonly maxWait: Duration.DurationInput
  readonly maxQueue: number
  readonly dailyQuota: number | null
}

/**
 * `limit` units in every `window`; what is left out is as in `standard`, but that `burst` is the limit itself. Numbers
 * that make no limit (nothing, less than nothing, NaN) are a mistake of the program, and thrown as a `RangeError`.
 *
 * @example
 * import * as RateLimit from "@blockquarry/http/RateLimit"
 *
 * // 25 requests a second, whatever they cost
 * const rateLimit = RateLimit.make({ limit: 25, window: "1 second", cost: 1 })
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options:
    & Pick<RateLimit, "limit" | "window">
    & { readonly [P in keyof RateLimit]?: RateLimit[P] | undefined }
): RateLimit => {
  const cost = options.cost ?? {}
  return {
    limit: positive("limit", options.limit),
    window: Duration.millis(positive("window", Duration.toMillis(options.window))),
    burst: positive("burst", options.burst ?? Math.max(1, options.limit)),
    cost: typeof cost === "number" ? positive("cost", cost) : cost,
    maxWait: options.maxWait ?? Duration.seconds(30),
    maxQueue: options.maxQueue ?? 10_000,
    dailyQuota: options.dailyQuota === undefined || options.dailyQuota === null
      ? null
      : positive("dailyQuota", options.dailyQuota)
  }
}

const positive = (name: string, value: number): number => {
  if (value > 0) return value
  throw new RangeError(`RateLimit.make: ${name} must be greater than 0, got ${value}`)
}

/**
 * 100 units a second, which is some 20 pages of a list, or 33 prices.
 *
 * @since 0.1.0
 * @category policies
 */
export const standard: RateLimit = make({ limit: 100, window: Duration.seconds(1) })

/**
 * No limit. When the service says 429, everybody who shares the key still waits until it may be asked again.
 *
 * @since 0.1.0
 * @category policies
 */
export const none: RateLimit = make({
  limit: Number.POSITIVE_INFINITY,
  window: Duration.seconds(1),
  maxWait: Duration.infinity
})

/**
 * Reads a limit as people write it: `100/s`, `25/10s`, `5000/1m`, `40000/d`, or `none`. A left says what is expected.
 *
 * @since 0.1.0
 * @category conversions
 */
export const parse = (text: string): Either.Either<RateLimit, string> => {
  if (text === "none") return Either.right(none)
  const [, limit = "", count = "", unit = ""] = pattern.exec(text) ?? []
  const window = Number(count || 1) * (units.get(unit) ?? 0)
  return Number(limit) > 0 && window > 0
    ? Either.right(make({ limit: Number(limit), window: Duration.millis(window) }))
    : Either.left(`expected units per time, as in 100/s or 5000/10m, or none; got ${JSON.stringify(text)}`)
}

const pattern = /^(\d{1,9}(?:\.\d{1,6})?)\/(\d{0,6})(ms|s|m|h|d)$/

const units: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000]
])
