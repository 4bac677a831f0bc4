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
import * as Account from "./internal/account.ts"
import * as Budget from "./internal/budget.ts"
import * as Guard from "./internal/guard.ts"
import type { StoreFault } from "./StoreFault.ts"
import type { StoreGroup } from "./StoreGroup.ts"

/**
 * What a budget allows: `limit` units in any `window` (milliseconds), `burst` of them at once. A limit of
 * `Infinity` allows anything. `dearest` is what the dearest request costs: processes that share a budget have no line
 * to wait in, so nobody goes before there is room for that much, or those who ask for little would always be first.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rule {
  readonly limit: number
  readonly window: number
  readonly burst: number
  readonly dearest?: number | undefined
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
export type Turn =
  | { readonly _tag: "Go"; readonly probe: boolean; readonly left: number }
  | {
    readonly _tag: "Wait"
    readonly millis: number
    readonly reason: "rate" | "pause"
    readonly left: number
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
export interface Cap {
  readonly limit: number
  readonly period: number
}

/**
 * What an account has left in this window, which ends after `millis`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Remaining {
  readonly left: number
  readonly millis: number
}

/**
 * - `Spent`: the units were taken, and `left` are left in this window.
 * - `UsedUp`: there are fewer left than were asked for, and none were taken; the window ends after `millis`.
 *
 * @since 0.1.0
 * @category models
 */
export type Spent =
  | { readonly _tag: "Spent"; readonly left: number }
  | { readonly _tag: "UsedUp"; readonly left: number; readonly millis: number }

/**
 * Budgets and accounts by name. A name tells nothing about the key that it stands for.
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
  /**
   * Spends `cost` units, all of them or none. In no window does an account spend more than its limit. Where the clock
   * was set back into a window that was over, nothing is spent until the next one begins again.
   */
  readonly spend: (account: string, cap: Cap, cost: number) => Effect.Effect<Spent, E>
  /** What an account could spend, without spending anything. */
  readonly look: (account: string, cap: Cap) => Effect.Effect<Remaining, E>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface RateLimitStoreService extends Budgets<never> {
  /** The same without a fiber, where budgets are counted in this process: for servers that answer many requests at once. */
  readonly atOnce?: AtOnce | undefined
}

/**
 * `take` and `spend` at a moment, in milliseconds since 1970.
 *
 * @since 0.1.0
 * @category models
 */
export interface AtOnce {
  readonly take: (budget: string, rule: Rule, cost: number, lease: number, now: number) => Turn
  readonly spend: (account: string, cap: Cap, cost: number, now: number) => Spent
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
export const memory: Effect.Effect<RateLimitStoreService> = Effect.sync(() => inMemory())

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
  shared: Budgets<StoreFault> & { readonly ping: Effect.Effect<void, StoreFault> },
  options: { readonly share: number; readonly group?: StoreGroup | undefined }
): Effect.Effect<RateLimitStoreService, never, Scope.Scope> =>
  Effect.map(Guard.make("rate limit", shared.ping, options.group), (guard) => {
    const own = inMemory()
    return {
      // What a fleet shares must be waited for.
      atOnce: undefined,
      take: (budget, rule, cost, lease) => {
        const part = shareOf(rule, options.share)
        const taken = Effect.tap(
          shared.take(budget, rule, cost, lease),
          (turn) => turn._tag === "Go" ? own.charge(budget, part, cost, turn.probe) : Effect.void
        )
        return guard.run(taken, Effect.suspend(() => own.take(budget, part, cost, lease)))
      },
      // Pauses are kept here too, so that losing the store does not end them.
      pause: (budget, millis) =>
        Effect.zipRight(own.pause(budget, millis), guard.run(shared.pause(budget, millis), Effect.void)),
      settle: (budget, passed) =>
        Effect.zipRight(own.settle(budget, passed), guard.run(shared.settle(budget, passed), Effect.void)),
      spend: (account, cap, cost) => {
        const part = partOf(cap, options.share)
        const spent = Effect.tap(
          shared.spend(account, cap, cost),
          ({ _tag, left }) => own.note(account, part, _tag === "Spent" ? cost : 0, units(left, options.share))
        )
        return guard.run(spent, Effect.suspend(() => own.spend(account, part, cost)))
      },
      look: (account, cap) => {
        const part = partOf(cap, options.share)
        const seen = Effect.tap(
          shared.look(account, cap),
          ({ left }) => own.note(account, part, 0, units(left, options.share))
        )
        return guard.run(seen, Effect.suspend(() => own.look(account, part)))
      }
    }
  })

/** The part of a limit that one process may use for itself. */
const shareOf = (rule: Rule, share: number): Rule => ({
  ...rule,
  limit: rule.limit * share,
  burst: Math.max(1, rule.burst * share)
})

const partOf = (cap: Cap, share: number): Cap => ({ ...cap, limit: units(cap.limit, share) })

/** Whole units: a part of one is of no use to anybody. */
const units = (of: number, share: number): number => Math.floor(of * share + 1e-9)

interface InMemory extends RateLimitStoreService {
  /** Notes what was taken from the shared budget; who went there and was no probe knows of no pause. */
  readonly charge: (budget: string, rule: Rule, cost: number, probe: boolean) => Effect.Effect<void>
  /** Notes what was spent from the shared account, and how much of what is left there may be spent from here. */
  readonly note: (account: string, cap: Cap, cost: number, most: number) => Effect.Effect<void>
}

const inMemory = (): InMemory => {
  // One that nobody has used for longest is forgotten where there are very many.
  const budgets = new LRUCache<string, Budget.Budget>({ max: 10_000 })
  const changeAt = <A>(
    name: string,
    now: number,
    step: (budget: Budget.Budget, now: number) => readonly [Budget.Budget, A]
  ): A => {
    const [budget, result] = step(budgets.get(name) ?? Budget.unused(now), now)
    budgets.set(name, budget)
    return result
  }
  const change = <A>(
    name: string,
    step: (budget: Budget.Budget, now: number) => readonly [Budget.Budget, A]
  ) => Effect.map(Clock.currentTimeMillis, (now) => changeAt(name, now, step))
  const accounts = Account.book()
  const atOnce: AtOnce = {
    take: (name, rule, cost, lease, now) =>
      changeAt(name, now, (before) => {
        const { budget, turn } = Budget.take(before, now, rule, cost, lease)
        return [budget, turn]
      }),
    spend: (name, cap, cost, now) => {
      const { account, spent } = Account.spend(accounts.find(name), now, cap, cost)
      if (account !== undefined) accounts.enter(name, account, now)
      return spent
    }
  }
  return {
    atOnce,
    take: (name, rule, cost, lease) =>
      Effect.map(Clock.currentTimeMillis, (now) => atOnce.take(name, rule, cost, lease, now)),
    pause: (name, millis) => change(name, (before, now) => [Budget.pause(before, now, millis), undefined]),
    settle: (name, passed) => change(name, (before, now) => [Budget.settle(before, now, passed), undefined]),
    charge: (name, rule, cost, probe) =>
      change(name, (before, now) => [
        Budget.charge(probe ? before : Budget.settle(before, now, true), now, rule, cost),
        undefined
      ]),
    spend: (name, cap, cost) =>
      Effect.map(Clock.currentTimeMillis, (now) => atOnce.spend(name, cap, cost, now)),
    look: (name, cap) =>
      Effect.map(Clock.currentTimeMillis, (now) => Account.look(accounts.find(name), now, cap)),
    note: (name, cap, cost, most) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        accounts.enter(name, Account.charge(accounts.find(name), now, cap, cost, most), now)
      })
  }
}
