/**
 * Storage of rate limits and quotas: in memory, or shared by a fleet.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { LRUCache } from "lru-cache"
import * as AvailabilityGuard from "./internal/stores/AvailabilityGuard.ts"
import * as Gcra from "./internal/stores/Gcra.ts"
import * as QuotaWindow from "./internal/stores/QuotaWindow.ts"
import type { StoreGroup } from "./internal/stores/StoreGroup.ts"
import type { StoreError } from "./StoreError.ts"

/**
 * A rate limit: `limit` units per `window` (milliseconds), with bursts of `burst` units. A limit of `Infinity` disables
 * it.
 *
 * `maxCost` is the cost of the most expensive request. Processes that share a rate limit share no queue, so every
 * request waits until `maxCost` units are available; otherwise cheap requests would starve expensive ones.
 *
 * @since 0.1.0
 * @category models
 */
export interface RateLimitRule {
  readonly limit: number
  readonly window: number
  readonly burst: number
  readonly maxCost?: number | undefined
}

/**
 * - `Granted`: the request may be sent. If `probe` is true, it is the only one after a cooldown, and all others are
 *   delayed until `settleProbe`.
 * - `Delayed`: try again after `millis`, because the rate limit is used up (`rate_limit`) or a cooldown is active
 *   (`cooldown`).
 *
 * `remaining` is the number of units that could be acquired immediately afterwards if there were no cooldown. `Infinity`
 * without a limit.
 *
 * @since 0.1.0
 * @category models
 */
export type Permit =
  | { readonly _tag: "Granted"; readonly probe: boolean; readonly remaining: number }
  | {
    readonly _tag: "Delayed"
    readonly millis: number
    readonly reason: "rate_limit" | "cooldown"
    readonly remaining: number
  }

/**
 * A quota: `limit` units in each window of `period` milliseconds (at most a year). Windows are aligned to 1970-01-01 UTC,
 * so a period of 86400000 is a UTC day. A limit of `Infinity` disables the quota, and nothing is counted.
 *
 * The limit of a quota may change at any time. A quota with another period needs another id.
 *
 * @since 0.1.0
 * @category models
 */
export interface Quota {
  readonly limit: number
  readonly period: number
}

/**
 * The units that remain in the current window, which ends after `millis`.
 *
 * @since 0.1.0
 * @category models
 */
export interface RemainingQuota {
  readonly remaining: number
  readonly millis: number
}

/**
 * - `Consumed`: the units were consumed, and `remaining` units remain in this window.
 * - `QuotaExceeded`: fewer units remain than requested, and none were consumed. The window ends after `millis`.
 *
 * @since 0.1.0
 * @category models
 */
export type Consumption =
  | { readonly _tag: "Consumed"; readonly remaining: number }
  | { readonly _tag: "QuotaExceeded"; readonly remaining: number; readonly millis: number }

/**
 * Rate limits and quotas by id. An id does not reveal the API key that it belongs to.
 *
 * `E` is the error of an unavailable store: `StoreError` for a remote store, `never` for the store of the engine.
 *
 * @since 0.1.0
 * @category models
 */
export interface RateLimitBackend<E> {
  /** Acquires `cost` units. A probe that is not settled within `lease` milliseconds is abandoned. */
  readonly acquire: (id: string, rule: RateLimitRule, cost: number, lease: number) => Effect.Effect<Permit, E>
  /**
   * Starts a cooldown after a 429: no request is granted for `millis`, at most 60 s. If `millis` is null, the cooldown
   * takes 1 s, and twice as long each time a probe gets another 429.
   */
  readonly startCooldown: (id: string, millis: number | null) => Effect.Effect<void, E>
  /** Reports the result of a probe. A success ends the cooldown; otherwise the next request is a probe too. */
  readonly settleProbe: (id: string, succeeded: boolean) => Effect.Effect<void, E>
  /**
   * Consumes `cost` units, all or none. The limit of a window is never exceeded. If the clock is set back into the
   * previous window, nothing can be consumed until the next one begins.
   */
  readonly consume: (id: string, quota: Quota, cost: number) => Effect.Effect<Consumption, E>
  /** Returns the remaining units without consuming any. */
  readonly peek: (id: string, quota: Quota) => Effect.Effect<RemainingQuota, E>
}

/**
 * The store as the engine uses it: no operation fails.
 *
 * @since 0.1.0
 * @category models
 */
export interface RateLimitStoreService extends RateLimitBackend<never> {
  /** The same operations without Effect, for servers with many requests. Only stores in memory support it. */
  readonly sync?: SyncRateLimitBackend | undefined
}

/**
 * `acquire` and `consume` at a time, in milliseconds since 1970.
 *
 * @since 0.1.0
 * @category models
 */
export interface SyncRateLimitBackend {
  readonly acquire: (id: string, rule: RateLimitRule, cost: number, lease: number, now: number) => Permit
  readonly consume: (id: string, quota: Quota, cost: number, now: number) => Consumption
}

/**
 * The rate limit store of `Engine.layerWithStores`.
 *
 * @since 0.1.0
 * @category tags
 */
export class RateLimitStore
  extends Context.Tag("@blockquarry/http/RateLimitStore")<RateLimitStore, RateLimitStoreService>()
{}

/**
 * Creates a store in the memory of this process.
 *
 * @since 0.1.0
 * @category constructors
 */
export const memory: Effect.Effect<RateLimitStoreService> = Effect.sync(() => makeMemoryStore())

/**
 * Provides a store in the memory of this process.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<RateLimitStore> = Layer.effect(RateLimitStore, memory)

/**
 * Creates a store from a backend that may be unavailable, because it failed or did not reply within 100 ms. In the
 * meantime each process counts in memory and applies the fraction `share` of every limit, so no call fails because of
 * an outage.
 *
 * - Rate limits: a process also counts what it acquired before the outage. In the window in which an outage begins or
 *   ends, a fleet may use a limit twice.
 * - Quotas: a process may consume `share × limit` units in a window, less what it already consumed in it, and at most
 *   `share` of the units that remained at its last contact with the backend. Local consumption is not added to the
 *   backend afterwards: in the window of an outage, a fleet consumes at most twice the limit, unless the backend loses
 *   data.
 * - The backend may still execute the command that ran into the timeout. Its units then count twice.
 *
 * @since 0.1.0
 * @category constructors
 */
export const withFallback = (
  backend: RateLimitBackend<StoreError> & { readonly ping: Effect.Effect<void, StoreError> },
  options: { readonly share: number; readonly group?: StoreGroup | undefined }
): Effect.Effect<RateLimitStoreService, never, Scope.Scope> =>
  Effect.map(AvailabilityGuard.make("rate limit", backend.ping, options.group), (guard) => {
    const memoryStore = makeMemoryStore()
    return {
      // A remote store has no synchronous operations.
      sync: undefined,
      acquire: (id, rule, cost, lease) => {
        const localRule = scaledRule(rule, options.share)
        const acquired = Effect.tap(
          backend.acquire(id, rule, cost, lease),
          (permit) =>
            permit._tag === "Granted"
              ? memoryStore.recordAcquired(id, localRule, cost, permit.probe)
              : Effect.void
        )
        return guard.run(acquired, Effect.suspend(() => memoryStore.acquire(id, localRule, cost, lease)))
      },
      // Cooldowns are also kept in memory, so that they continue during an outage.
      startCooldown: (id, millis) =>
        Effect.zipRight(
          memoryStore.startCooldown(id, millis),
          guard.run(backend.startCooldown(id, millis), Effect.void)
        ),
      settleProbe: (id, succeeded) =>
        Effect.zipRight(
          memoryStore.settleProbe(id, succeeded),
          guard.run(backend.settleProbe(id, succeeded), Effect.void)
        ),
      consume: (id, quota, cost) => {
        const localQuota = scaledQuota(quota, options.share)
        const consumed = Effect.tap(
          backend.consume(id, quota, cost),
          ({ _tag, remaining }) =>
            memoryStore.recordConsumed(
              id,
              localQuota,
              _tag === "Consumed" ? cost : 0,
              wholeUnits(remaining, options.share)
            )
        )
        return guard.run(consumed, Effect.suspend(() => memoryStore.consume(id, localQuota, cost)))
      },
      peek: (id, quota) => {
        const localQuota = scaledQuota(quota, options.share)
        const peeked = Effect.tap(
          backend.peek(id, quota),
          ({ remaining }) =>
            memoryStore.recordConsumed(id, localQuota, 0, wholeUnits(remaining, options.share))
        )
        return guard.run(peeked, Effect.suspend(() => memoryStore.peek(id, localQuota)))
      }
    }
  })

/** Returns the share of one process in a rate limit. */
const scaledRule = (rule: RateLimitRule, share: number): RateLimitRule => ({
  ...rule,
  limit: rule.limit * share,
  burst: Math.max(1, rule.burst * share)
})

const scaledQuota = (quota: Quota, share: number): Quota => ({
  ...quota,
  limit: wholeUnits(quota.limit, share)
})

/** Rounds down to whole units, because costs are integers. */
const wholeUnits = (total: number, share: number): number => Math.floor(total * share + 1e-9)

interface MemoryStore extends RateLimitStoreService {
  /** Records units that were acquired from the backend. A grant that is no probe also ends the local cooldown. */
  readonly recordAcquired: (
    id: string,
    rule: RateLimitRule,
    cost: number,
    probe: boolean
  ) => Effect.Effect<void>
  /** Records units that were consumed from the backend, and how much of the remaining ones may be consumed locally. */
  readonly recordConsumed: (
    id: string,
    quota: Quota,
    cost: number,
    maxConsumable: number
  ) => Effect.Effect<void>
}

const makeMemoryStore = (): MemoryStore => {
  // Evicts the least recently used rate limits of very many.
  const states = new LRUCache<string, Gcra.GcraState>({ max: 10_000 })
  const updateAt = <A>(
    name: string,
    now: number,
    transition: (state: Gcra.GcraState, now: number) => readonly [Gcra.GcraState, A]
  ): A => {
    const [state, result] = transition(states.get(name) ?? Gcra.initialState(now), now)
    states.set(name, state)
    return result
  }
  const update = <A>(
    name: string,
    transition: (state: Gcra.GcraState, now: number) => readonly [Gcra.GcraState, A]
  ) => Effect.map(Clock.currentTimeMillis, (now) => updateAt(name, now, transition))
  const quotaWindows = QuotaWindow.makeQuotaWindows()
  const sync: SyncRateLimitBackend = {
    acquire: (name, rule, cost, lease, now) =>
      updateAt(name, now, (previous) => {
        const { state, permit } = Gcra.acquire(previous, now, rule, cost, lease)
        return [state, permit]
      }),
    consume: (name, quota, cost, now) => {
      const { quotaWindow, consumption } = QuotaWindow.consume(quotaWindows.get(name), now, quota, cost)
      if (quotaWindow !== undefined) quotaWindows.set(name, quotaWindow, now)
      return consumption
    }
  }
  return {
    sync,
    acquire: (name, rule, cost, lease) =>
      Effect.map(Clock.currentTimeMillis, (now) => sync.acquire(name, rule, cost, lease, now)),
    startCooldown: (name, millis) =>
      update(name, (previous, now) => [Gcra.startCooldown(previous, now, millis), undefined]),
    settleProbe: (name, succeeded) =>
      update(name, (previous, now) => [Gcra.settleProbe(previous, now, succeeded), undefined]),
    recordAcquired: (name, rule, cost, probe) =>
      update(name, (previous, now) => [
        Gcra.recordAcquired(probe ? previous : Gcra.settleProbe(previous, now, true), now, rule, cost),
        undefined
      ]),
    consume: (name, quota, cost) =>
      Effect.map(Clock.currentTimeMillis, (now) => sync.consume(name, quota, cost, now)),
    peek: (name, quota) =>
      Effect.map(Clock.currentTimeMillis, (now) => QuotaWindow.peek(quotaWindows.get(name), now, quota)),
    recordConsumed: (name, quota, cost, maxConsumable) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        quotaWindows.set(
          name,
          QuotaWindow.recordConsumed(quotaWindows.get(name), now, quota, cost, maxConsumable),
          now
        )
      })
  }
}
