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
import * as Budget from "./internal/budget.ts"
import * as Guard from "./internal/guard.ts"
import type { StoreFault } from "./StoreFault.ts"

/**
 * What a budget allows: `limit` units in any `window` (milliseconds), `burst` of them at once. A limit of
 * `Infinity` allows anything.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rule {
  readonly limit: number
  readonly window: number
  readonly burst: number
}

/**
 * - `Go`: send now; `probe` says that this is the one request that tries whether a pause is over, and that
 *   everybody else waits until `settle` says how it went.
 * - `Wait`: ask again after `millis`, because the budget is used up (`rate`) or the service asked for peace (`pause`).
 *
 * @since 0.1.0
 * @category models
 */
export type Turn =
  | { readonly _tag: "Go"; readonly probe: boolean }
  | { readonly _tag: "Wait"; readonly millis: number; readonly reason: "rate" | "pause" }

/**
 * Budgets by name. A name tells nothing about the key that it stands for.
 *
 * `E` is how a store can be unable to answer: never for what the engine uses, `StoreFault` for a store behind a
 * network.
 *
 * @since 0.1.0
 * @category models
 */
export interface Budgets<E> {
  /** Takes `cost` units. A probe that nobody settles within `lease` milliseconds is forgotten. */
  readonly take: (budget: string, rule: Rule, cost: number, lease: number) => Effect.Effect<Turn, E>
  /**
   * The service said 429: nobody goes for `millis`, at most a minute. Null where it did not say for how long: a
   * second, twice as long each time it says so again to a probe.
   */
  readonly pause: (budget: string, millis: number | null) => Effect.Effect<void, E>
  /** A probe ended: `passed` ends the pause, otherwise the next request is a probe too. */
  readonly settle: (budget: string, passed: boolean) => Effect.Effect<void, E>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface RateLimitStoreService extends Budgets<never> {}

/**
 * The store that the engine counts in. Where none is provided it counts in its own memory.
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
export const memory: Effect.Effect<RateLimitStoreService> = Effect.sync(() => inMemory(Budget.unused))

/**
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<RateLimitStore> = Layer.effect(RateLimitStore, memory)

/**
 * A store of this process over one that a fleet shares. While the shared one is away (it failed, or took longer
 * than 100 milliseconds) each process counts for itself, with the part `share` of every limit; as soon as it is back it
 * is used again. No request fails because of it.
 *
 * In the window in which the store is lost or comes back a limit may be met twice.
 *
 * @since 0.1.0
 * @category constructors
 */
export const withFallback = (
  shared: Budgets<StoreFault> & { readonly ping: Effect.Effect<void, StoreFault> },
  options: { readonly share: number }
): Effect.Effect<RateLimitStoreService, never, Scope.Scope> =>
  Effect.suspend(() => {
    const own = inMemory(Budget.spent)
    // What may go at once was spent by the fleet.
    return Effect.map(Guard.make("rate limit", shared.ping, own.spend), (guard): RateLimitStoreService => ({
      take: (budget, rule, cost, lease) =>
        guard.run(
          Effect.tap(
            shared.take(budget, rule, cost, lease),
            // Another process may have ended the pause.
            (turn) => turn._tag === "Go" && !turn.probe ? own.settle(budget, true) : Effect.void
          ),
          Effect.suspend(() => own.take(budget, shareOf(rule, options.share), cost, lease))
        ),
      // Pauses are kept here too, so that losing the store does not end them.
      pause: (budget, millis) =>
        Effect.zipRight(own.pause(budget, millis), guard.run(shared.pause(budget, millis), Effect.void)),
      settle: (budget, passed) =>
        Effect.zipRight(own.settle(budget, passed), guard.run(shared.settle(budget, passed), Effect.void))
    }))
  })

/** The part of a limit that one process may use for itself. */
const shareOf = ({ burst, limit, window }: Rule, share: number): Rule => ({
  limit: limit * share,
  window,
  burst: Math.max(1, burst * share)
})

interface InMemory extends RateLimitStoreService {
  /** Takes what may go at once from every budget. */
  readonly spend: () => void
}

const inMemory = (fresh: Budget.Fresh): InMemory => {
  // One that nobody has used for longest is forgotten where there are very many.
  const budgets = new LRUCache<string, Budget.Budget>({ max: 10_000 })
  const of = (name: string, now: number, rule: Rule | null): Budget.Budget =>
    budgets.get(name) ?? fresh(now, rule)
  return {
    take: (name, rule, cost, lease) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const { budget, turn } = Budget.take(of(name, now, rule), now, rule, cost, lease)
        budgets.set(name, budget)
        return turn
      }),
    pause: (name, millis) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        budgets.set(name, Budget.pause(of(name, now, null), now, millis))
      }),
    settle: (name, passed) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const budget = budgets.get(name)
        if (budget !== undefined) budgets.set(name, Budget.settle(budget, now, passed))
      }),
    spend: () => {
      for (const [name, budget] of budgets) budgets.set(name, Budget.drained(budget))
    }
  }
}
