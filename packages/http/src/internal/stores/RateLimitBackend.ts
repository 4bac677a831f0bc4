/** What a store of rate limits and quotas does. See `RateLimitStore.ts`. */
import * as Effect from "effect/Effect"
import type { StoreError } from "../../gateway/StoreError.ts"
import type { Permit, RateLimitRule } from "./Gcra.ts"
import type { Quota, RemainingQuota } from "./QuotaWindow.ts"

/** A quota and its id in the store. */
export interface QuotaAccount {
  readonly id: string
  readonly quota: Quota
  /** Whether units may be consumed beyond the limit. Default: false. */
  readonly soft?: boolean
}

/**
 * The units that remain in each account.
 *
 * - `Consumed`: the units were consumed from all accounts.
 * - `QuotaExceeded`: they were consumed from none, because fewer remain in the account with the index `exceeded`. Its window ends
 *   after `millis`.
 */
export type Consumption =
  | { readonly _tag: "Consumed"; readonly remaining: ReadonlyArray<number> }
  | {
    readonly _tag: "QuotaExceeded"
    readonly remaining: ReadonlyArray<number>
    readonly exceeded: number
    readonly millis: number
  }

/**
 * An operation of a store. One in memory needs no fiber: `evaluate` executes the operation at once, at a time in
 * milliseconds since 1970. A caller either runs the effect or calls `evaluate`.
 */
export interface StoreOperation<A, E = never> extends Effect.Effect<A, E> {
  readonly evaluate?: ((now: number) => A) | undefined
}

/** Executes an operation at once if the store is in memory. Otherwise returns it. */
export const evaluate = <A, E>(operation: StoreOperation<A, E>, now: number): Effect.Effect<A, E> =>
  operation.evaluate === undefined ? operation : Effect.succeed(operation.evaluate(now))

/**
 * Rate limits and quotas by id. An id does not reveal the API key that it belongs to.
 *
 * `E` is the error of an unavailable store: `StoreError` for a remote store, `never` for the store of the engine. Only
 * `withFallback` uses `timeLeft`, the milliseconds that the call has left (default: as many as needed), and `grant`, the result
 * whose units are given back: they go to where they came from.
 */
export interface RateLimitBackend<E> {
  /** Acquires `cost` units. A trial that is not settled within `lease` milliseconds, at most 61 s, is abandoned. */
  readonly acquire: (
    id: string,
    rule: RateLimitRule,
    cost: number,
    lease: number,
    timeLeft?: number
  ) => StoreOperation<Permit, E>
  /**
   * Returns units that were acquired `age` milliseconds ago and not used, except those that the rate limit has restored
   * in the meantime. Returns the remaining units.
   */
  readonly release: (
    id: string,
    rule: RateLimitRule,
    cost: number,
    age: number,
    grant?: Permit
  ) => StoreOperation<number, E>
  /**
   * Starts a cooldown after a 429: no request is granted for `millis`, at most 60 s. If `millis` is null, the cooldown
   * takes 1 s, and twice as long each time a trial gets another 429.
   */
  readonly startCooldown: (id: string, millis: number | null) => StoreOperation<void, E>
  /** Reports the result of a trial. A success ends the cooldown; otherwise the next request is a trial too. */
  readonly settleTrial: (id: string, succeeded: boolean) => StoreOperation<void, E>
  /**
   * Consumes `cost` units from every account, or from none. The limit of a window is never exceeded, unless the account is soft.
   * If the clock is set back into the last day of the window before, nothing can be consumed until the next one begins.
   */
  readonly consume: (
    accounts: ReadonlyArray<QuotaAccount>,
    cost: number,
    timeLeft?: number
  ) => StoreOperation<Consumption, E>
  /**
   * Returns units that were consumed `age` milliseconds ago and not used, unless the next window has begun. A negative `cost`
   * consumes more, also beyond the limit. Returns the remaining units.
   */
  readonly refund: (
    accounts: ReadonlyArray<QuotaAccount>,
    cost: number,
    age: number,
    grant?: Consumption
  ) => StoreOperation<ReadonlyArray<number>, E>
  /** Returns the remaining units without consuming any. */
  readonly peek: (
    accounts: ReadonlyArray<QuotaAccount>,
    timeLeft?: number
  ) => StoreOperation<ReadonlyArray<RemainingQuota>, E>
}

/**
 * The store as the engine uses it. Acquiring and consuming fail only while a remote store with `whenUnavailable: "closed"`
 * is unavailable, or does not reply within the time that the call has left.
 */
export interface RateLimitStoreService
  extends
    Pick<RateLimitBackend<StoreError>, "acquire" | "consume" | "peek">,
    Pick<RateLimitBackend<never>, "release" | "refund" | "startCooldown" | "settleTrial">
{}

/**
 * What happens to limits while the store that processes share is unavailable:
 *
 * - `share`: each process counts in memory and applies its share of every limit, which is one divided by the number of
 *   processes that were running at the last contact with the store.
 * - `open`: rate limits and quotas do not apply. Cooldowns after a 429 do. What remains of a quota is as far as this process knows.
 * - `closed`: every operation fails with a `StoreError`.
 */
export type WhenUnavailable = "share" | "open" | "closed"

/**
 * Rate limits and quotas that several processes share, such as Redis. Every effect must fail if the store makes no
 * progress.
 */
export interface RemoteRateLimitBackend extends RateLimitBackend<StoreError> {
  /** Reports that this process is running. Returns the number of running processes, including this one. */
  readonly heartbeat: Effect.Effect<number, StoreError>
}
