/**
 * Where budgets are counted: in memory for one process, elsewhere for a fleet.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { LRUCache } from "lru-cache"
import * as Guard from "./internal/stores/AvailabilityGuard.ts"
import * as Budget from "./internal/stores/Gcra.ts"
import * as Account from "./internal/stores/QuotaWindow.ts"
import type { StoreGroup } from "./internal/stores/StoreGroup.ts"
import type { StoreError } from "./StoreError.ts"

/**
 * What a budget allows: `limit` units in any `window` (milliseconds), `burst` of them at once. A limit of
 * `Infinity` allows anything. `dearest` is what the dearest request costs: processes that share a budget have no line
 * to wait in, so nobody goes before there is room for that much, or those who ask for little would always be first.
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
 * - `Go`: send now; `probe` says that this is the one request that tries whether a pause is over, and that
 *   everybody else waits until `settle` says how it went.
 * - `Wait`: ask again after `millis`, because the budget is used up (`rate`) or the service asked for peace (`pause`).
 *
 * `left` is how many units could be taken at once after this turn, were there no pause: `Infinity` where there is no
 * limit.
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
 * What an account may spend: `limit` units in each window of `period` milliseconds, a year at most. Windows follow each
 * other from 1970 on: one of 86400000 milliseconds is a day of UTC. A limit of `Infinity` allows anything, and nothing
 * is counted then. The limit of an account may change at any time; one with another period is another account, and
 * needs another name.
 *
 * @since 0.1.0
 * @category models
 */
export interface Quota {
  readonly limit: number
  readonly period: number
}

/**
 * What an account has left in this window, which ends after `millis`.
 *
 * @since 0.1.0
 * @category models
 */
export interface RemainingQuota {
  readonly remaining: number
  readonly millis: number
}

/**
 * - `Spent`: the units were taken, and `left` are left in this window.
 * - `UsedUp`: there are fewer left than were asked for, and none were taken; the window ends after `millis`.
 *
 * @since 0.1.0
 * @category models
 */
export type Consumption =
  | { readonly _tag: "Consumed"; readonly remaining: number }
  | { readonly _tag: "QuotaExceeded"; readonly remaining: number; readonly millis: number }

/**
 * Budgets and accounts by name. A name tells nothing about the key that it stands for.
 *
 * `E` is how a store can be unable to answer: never for what the engine uses, `StoreFault` for a store behind a
 * network.
 *
 * @since 0.1.0
 * @category models
 */
export interface RateLimitBackend<E> {
  /** Takes `cost` units. A probe that nobody settles within `lease` milliseconds is forgotten. */
  readonly acquire: (id: string, rule: RateLimitRule, cost: number, lease: number) => Effect.Effect<Permit, E>
  /**
   * The service said 429: nobody goes for `millis`, at most a minute. Null where it did not say for how long: a
   * second, twice as long each time it says so again to a probe.
   */
  readonly startCooldown: (id: string, millis: number | null) => Effect.Effect<void, E>
  /** A probe ended: `passed` ends the pause, otherwise the next request is a probe too. */
  readonly settleProbe: (id: string, succeeded: boolean) => Effect.Effect<void, E>
  /**
   * Spends `cost` units, all of them or none. In no window does an account spend more than its limit. Where the clock
   * was set back into a window that was over, nothing is spent until the next one begins again.
   */
  readonly consume: (id: string, quota: Quota, cost: number) => Effect.Effect<Consumption, E>
  /** What an account could spend, without spending anything. */
  readonly peek: (id: string, quota: Quota) => Effect.Effect<RemainingQuota, E>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface RateLimitStoreService extends RateLimitBackend<never> {
  /** The same without a fiber, where budgets are counted in this process: for servers that answer many requests at once. */
  readonly sync?: SyncRateLimitBackend | undefined
}

/**
 * `take` and `spend` at a moment, in milliseconds since 1970.
 *
 * @since 0.1.0
 * @category models
 */
export interface SyncRateLimitBackend {
  readonly acquire: (id: string, rule: RateLimitRule, cost: number, lease: number, now: number) => Permit
  readonly consume: (id: string, quota: Quota, cost: number, now: number) => Consumption
}

/**
 * The store that `Engine.layerShared` counts in.
 *
 * @since 0.1.0
 * @category tags
 */
export class RateLimitStore
  extends Context.Tag("@blockquarry/http/RateLimitStore")<RateLimitStore, RateLimitStoreService>()
{}

/**
 * Budgets in the memory of this process.
 *
 * @since 0.1.0
 * @category constructors
 */
export const memory: Effect.Effect<RateLimitStoreService> = Effect.sync(() => makeMemoryStore())

/**
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<RateLimitStore> = Layer.effect(RateLimitStore, memory)

/**
 * A store of this process over one that a fleet shares. While the shared one is away (it failed, or took longer
 * than 100 milliseconds) each process counts for itself, with the part `share` of every limit, and goes on from what it
 * took before; as soon as the shared one is back it is used again. No request fails because of it, as long as each
 * process asks for no more than its part.
 *
 * In the window in which the store is lost or comes back a limit may be met twice.
 *
 * Of an account each process spends, while the shared one is away, at most the part `share` of its limit, less
 * everything that it spent in this window before, there and here. Nor does it spend more than that part of what was left
 * when it last heard of the account in this window: nothing where the account was used up. What is spent meanwhile is
 * not made up for in the shared store: in such a window a fleet spends at most twice the limit, however often the store
 * is lost, as long as that forgets nothing. What was asked for at the moment in which it was lost may be counted there as
 * well, whatever came of it here.
 *
 * @since 0.1.0
 * @category constructors
 */
export const withFallback = (
  backend: RateLimitBackend<StoreError> & { readonly ping: Effect.Effect<void, StoreError> },
  options: { readonly share: number; readonly group?: StoreGroup | undefined }
): Effect.Effect<RateLimitStoreService, never, Scope.Scope> =>
  Effect.map(Guard.make("rate limit", backend.ping, options.group), (guard) => {
    const memoryStore = makeMemoryStore()
    return {
      // What a fleet shares must be waited for.
      atOnce: undefined,
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
      // Pauses are kept here too, so that losing the store does not end them.
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

/** The part of a limit that one process may use for itself. */
const scaledRule = (rule: RateLimitRule, share: number): RateLimitRule => ({
  ...rule,
  limit: rule.limit * share,
  burst: Math.max(1, rule.burst * share)
})

const scaledQuota = (quota: Quota, share: number): Quota => ({
  ...quota,
  limit: wholeUnits(quota.limit, share)
})

/** Whole units: a part of one is of no use to anybody. */
const wholeUnits = (total: number, share: number): number => Math.floor(total * share + 1e-9)

interface MemoryStore extends RateLimitStoreService {
  /** Notes what was taken from the shared budget; who went there and was no probe knows of no pause. */
  readonly recordAcquired: (
    id: string,
    rule: RateLimitRule,
    cost: number,
    probe: boolean
  ) => Effect.Effect<void>
  /** Notes what was spent from the shared account, and how much of what is left there may be spent from here. */
  readonly recordConsumed: (
    id: string,
    quota: Quota,
    cost: number,
    maxConsumable: number
  ) => Effect.Effect<void>
}

const makeMemoryStore = (): MemoryStore => {
  // One that nobody has used for longest is forgotten where there are very many.
  const states = new LRUCache<string, Budget.GcraState>({ max: 10_000 })
  const updateAt = <A>(
    name: string,
    now: number,
    transition: (state: Budget.GcraState, now: number) => readonly [Budget.GcraState, A]
  ): A => {
    const [state, result] = transition(states.get(name) ?? Budget.initialState(now), now)
    states.set(name, state)
    return result
  }
  const update = <A>(
    name: string,
    transition: (state: Budget.GcraState, now: number) => readonly [Budget.GcraState, A]
  ) => Effect.map(Clock.currentTimeMillis, (now) => updateAt(name, now, transition))
  const quotaWindows = Account.makeQuotaWindows()
  const sync: SyncRateLimitBackend = {
    acquire: (name, rule, cost, lease, now) =>
      updateAt(name, now, (previous) => {
        const { state, permit } = Budget.acquire(previous, now, rule, cost, lease)
        return [state, permit]
      }),
    consume: (name, quota, cost, now) => {
      const { quotaWindow, consumption } = Account.consume(quotaWindows.get(name), now, quota, cost)
      if (quotaWindow !== undefined) quotaWindows.set(name, quotaWindow, now)
      return consumption
    }
  }
  return {
    sync,
    acquire: (name, rule, cost, lease) =>
      Effect.map(Clock.currentTimeMillis, (now) => sync.acquire(name, rule, cost, lease, now)),
    startCooldown: (name, millis) =>
      update(name, (previous, now) => [Budget.startCooldown(previous, now, millis), undefined]),
    settleProbe: (name, succeeded) =>
      update(name, (previous, now) => [Budget.settleProbe(previous, now, succeeded), undefined]),
    recordAcquired: (name, rule, cost, probe) =>
      update(name, (previous, now) => [
        Budget.recordAcquired(probe ? previous : Budget.settleProbe(previous, now, true), now, rule, cost),
        undefined
      ]),
    consume: (name, quota, cost) =>
      Effect.map(Clock.currentTimeMillis, (now) => sync.consume(name, quota, cost, now)),
    peek: (name, quota) =>
      Effect.map(Clock.currentTimeMillis, (now) => Account.peek(quotaWindows.get(name), now, quota)),
    recordConsumed: (name, quota, cost, maxConsumable) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        quotaWindows.set(
          name,
          Account.recordConsumed(quotaWindows.get(name), now, quota, cost, maxConsumable),
          now
        )
      })
  }
}
