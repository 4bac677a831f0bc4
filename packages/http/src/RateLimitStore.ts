/**
 * Storage of rate limits and quotas: in memory, or shared by a fleet.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as AvailabilityGuard from "./internal/stores/AvailabilityGuard.ts"
import * as Gcra from "./internal/stores/Gcra.ts"
import type { Permit, RateLimitRule } from "./internal/stores/Gcra.ts"
import * as LruMap from "./internal/stores/LruMap.ts"
import * as QuotaWindow from "./internal/stores/QuotaWindow.ts"
import type { Consumption, Quota, RemainingQuota } from "./internal/stores/QuotaWindow.ts"
import type { StoreError } from "./StoreError.ts"

export type { Permit, RateLimitRule } from "./internal/stores/Gcra.ts"
export type { Consumption, Quota, RemainingQuota } from "./internal/stores/QuotaWindow.ts"

/**
 * The period of a daily quota: a UTC day in milliseconds.
 *
 * @since 0.1.0
 * @category constants
 */
export const dayMillis = 86_400_000

/**
 * An operation of a store. One in memory needs no fiber: `evaluate` executes the operation at once, at a time in
 * milliseconds since 1970. A caller either runs the effect or calls `evaluate`.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoreOperation<A, E = never> extends Effect.Effect<A, E> {
  readonly evaluate?: ((now: number) => A) | undefined
}

/**
 * Executes an operation at once if the store is in memory. Otherwise returns it.
 *
 * @since 0.1.0
 * @category utils
 */
export const evaluate = <A, E>(operation: StoreOperation<A, E>, now: number): Effect.Effect<A, E> =>
  operation.evaluate === undefined ? operation : Effect.succeed(operation.evaluate(now))

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
  readonly acquire: (
    id: string,
    rule: RateLimitRule,
    cost: number,
    lease: number
  ) => StoreOperation<Permit, E>
  /**
   * Returns units that were acquired `age` milliseconds ago and not used, except those that the rate limit has restored
   * in the meantime. Returns the remaining units.
   */
  readonly release: (id: string, rule: RateLimitRule, cost: number, age: number) => StoreOperation<number, E>
  /**
   * Starts a cooldown after a 429: no request is granted for `millis`, at most 60 s. If `millis` is null, the cooldown
   * takes 1 s, and twice as long each time a probe gets another 429.
   */
  readonly startCooldown: (id: string, millis: number | null) => StoreOperation<void, E>
  /** Reports the result of a probe. A success ends the cooldown; otherwise the next request is a probe too. */
  readonly settleProbe: (id: string, succeeded: boolean) => StoreOperation<void, E>
  /**
   * Consumes `cost` units, all or none. The limit of a window is never exceeded. If the clock is set back into the
   * previous window, nothing can be consumed until the next one begins.
   */
  readonly consume: (id: string, quota: Quota, cost: number) => StoreOperation<Consumption, E>
  /**
   * Returns units that were consumed `age` milliseconds ago and not used, unless the next window has begun. Returns the
   * remaining units.
   */
  readonly refund: (id: string, quota: Quota, cost: number, age: number) => StoreOperation<number, E>
  /** Returns the remaining units without consuming any. */
  readonly peek: (id: string, quota: Quota) => StoreOperation<RemainingQuota, E>
}

/**
 * The store as the engine uses it. Acquiring and consuming fail only while a remote store with `whenUnavailable: "closed"`
 * is unavailable.
 *
 * @since 0.1.0
 * @category models
 */
export interface RateLimitStoreService
  extends
    Pick<RateLimitBackend<StoreError>, "acquire" | "consume" | "peek">,
    Pick<RateLimitBackend<never>, "release" | "refund" | "startCooldown" | "settleProbe">
{}

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
export const memory: Effect.Effect<RateLimitBackend<never>> = Effect.sync(() => makeMemoryStore())

/**
 * Provides a store in the memory of this process.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<RateLimitStore> = Layer.effect(RateLimitStore, memory)

/**
 * What happens to limits while the store that processes share is unavailable:
 *
 * - `share`: each process counts in memory and applies its share of every limit, which is one divided by the number of
 *   processes that were running at the last contact with the store.
 * - `open`: rate limits and quotas do not apply. Cooldowns after a 429 do.
 * - `closed`: every operation fails with a `StoreError`.
 *
 * @since 0.1.0
 * @category models
 */
export type WhenUnavailable = "share" | "open" | "closed"

/**
 * Rate limits and quotas that several processes share, such as Redis. Every effect must fail if the store makes no
 * progress.
 *
 * @since 0.1.0
 * @category models
 */
export interface RemoteRateLimitBackend extends RateLimitBackend<StoreError> {
  /** Reports that this process is running. Returns the number of running processes, including this one. */
  readonly heartbeat: Effect.Effect<number, StoreError>
}

/**
 * Creates a store from a remote one that may be unavailable. `whenUnavailable` is the behavior in the meantime. Default:
 * `share`.
 *
 * With `share`:
 *
 * - Rate limits: a process also counts what it acquired before the outage. In the window in which an outage begins or
 *   ends, a fleet may use a limit twice.
 * - Quotas: a process may consume its share of the limit in a window, less what it already consumed in it, and at most its
 *   share of the units that remained at its last contact with the store. Local consumption is not added to the store
 *   afterwards: in the window of an outage, a fleet consumes at most twice the limit, unless the store loses data.
 * - A process that has not reached the store since it started applies the whole limit.
 * - The store may still execute a command that failed. Its units then count twice.
 *
 * @since 0.1.0
 * @category constructors
 */
export const withFallback = (
  backend: RemoteRateLimitBackend,
  options: { readonly whenUnavailable?: WhenUnavailable | undefined } = {}
): Effect.Effect<RateLimitStoreService, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { whenUnavailable = "share" } = options
    let share = 1
    let lastProcesses = 1
    const ping = Effect.map(backend.heartbeat, (processes) => {
      // A store that has lost its data counts only the processes that have sent a heartbeat since.
      share = 1 / Math.max(1, processes, lastProcesses)
      lastProcesses = processes
    })
    const guard = yield* AvailabilityGuard.make("rate limit", ping)
    const memoryStore = makeMemoryStore()
    /** Runs a command, or what replaces it while the store is unavailable. */
    const run = <A>(
      command: Effect.Effect<A, StoreError>,
      fallbacks: { readonly share: () => Effect.Effect<A>; readonly open: () => Effect.Effect<A> }
    ): Effect.Effect<A, StoreError> =>
      guard.run(
        command,
        (error) => whenUnavailable === "closed" ? Effect.fail(error) : fallbacks[whenUnavailable]()
      )
    return {
      acquire: (id, rule, cost, lease) =>
        run(
          Effect.tap(
            backend.acquire(id, rule, cost, lease),
            (permit) =>
              permit._tag === "Granted"
                ? memoryStore.recordAcquired(id, scaledRule(rule, share), cost, permit.probe)
                : Effect.void
          ),
          {
            share: () => memoryStore.acquire(id, scaledRule(rule, share), cost, lease),
            open: () =>
              Effect.map(
                memoryStore.acquire(id, { ...rule, limit: Number.POSITIVE_INFINITY }, cost, lease),
                (permit) => ({ ...permit, remaining: rule.burst })
              )
          }
        ),
      release: (id, rule, cost, age) => {
        const localRelease = Effect.suspend(() => memoryStore.release(id, scaledRule(rule, share), cost, age))
        return guard.run(
          Effect.zipLeft(backend.release(id, rule, cost, age), localRelease),
          () => whenUnavailable === "open" ? Effect.succeed(rule.burst) : localRelease
        )
      },
      // Cooldowns are also kept in memory, so that they continue during an outage.
      startCooldown: (id, millis) =>
        Effect.zipRight(
          memoryStore.startCooldown(id, millis),
          guard.run(backend.startCooldown(id, millis), () => Effect.void)
        ),
      settleProbe: (id, succeeded) =>
        Effect.zipRight(
          memoryStore.settleProbe(id, succeeded),
          guard.run(backend.settleProbe(id, succeeded), () => Effect.void)
        ),
      consume: (id, quota, cost) =>
        run(
          Effect.tap(
            backend.consume(id, quota, cost),
            ({ _tag, remaining }) =>
              memoryStore.recordConsumed(
                id,
                scaledQuota(quota, share),
                _tag === "Consumed" ? cost : 0,
                wholeUnits(remaining, share)
              )
          ),
          {
            share: () => memoryStore.consume(id, scaledQuota(quota, share), cost),
            open: () => Effect.succeed({ _tag: "Consumed", remaining: quota.limit })
          }
        ),
      refund: (id, quota, cost, age) => {
        const localRefund = Effect.suspend(() => memoryStore.refund(id, scaledQuota(quota, share), cost, age))
        const refunded = Effect.tap(backend.refund(id, quota, cost, age), (remaining) =>
          Effect.zipRight(
            localRefund,
            memoryStore.recordConsumed(id, scaledQuota(quota, share), 0, wholeUnits(remaining, share))
          ))
        return guard.run(
          refunded,
          () => whenUnavailable === "open" ? Effect.succeed(quota.limit) : localRefund
        )
      },
      peek: (id, quota) =>
        run(
          Effect.tap(
            backend.peek(id, quota),
            ({ remaining }) =>
              memoryStore.recordConsumed(id, scaledQuota(quota, share), 0, wholeUnits(remaining, share))
          ),
          {
            share: () => memoryStore.peek(id, scaledQuota(quota, share)),
            open: () => Effect.map(Clock.currentTimeMillis, (now) => QuotaWindow.peek(undefined, now, quota))
          }
        )
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

interface RecordingStore extends RateLimitBackend<never> {
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

class MemoryOperation<A> extends Effectable.Class<A> {
  readonly evaluate: (now: number) => A

  constructor(evaluate: (now: number) => A) {
    super()
    this.evaluate = evaluate
  }

  commit() {
    return Effect.clockWith((clock) => Effect.succeed(this.evaluate(clock.unsafeCurrentTimeMillis())))
  }
}

/** Creates an operation from a function of the current time, in milliseconds since 1970. */
const withNow = <A>(evaluate: (now: number) => A): StoreOperation<A> => new MemoryOperation(evaluate)

const makeMemoryStore = (): RecordingStore => {
  // Evicts the least recently used rate limits of very many.
  const states = LruMap.make<Gcra.GcraState>({ maxSize: 10_000 })
  const update = <A>(
    name: string,
    transition: (state: Gcra.GcraState, now: number) => readonly [Gcra.GcraState, A]
  ) =>
    withNow((now) => {
      const [state, result] = transition(states.get(name) ?? Gcra.initialState(now), now)
      states.set(name, state)
      return result
    })
  const quotaWindows = QuotaWindow.makeQuotaWindows()
  return {
    acquire: (name, rule, cost, lease) =>
      update(name, (previous, now) => {
        const { state, permit } = Gcra.acquire(previous, now, rule, cost, lease)
        return [state, permit]
      }),
    release: (name, rule, cost, age) =>
      update(name, (previous, now) => {
        const { state, remaining } = Gcra.release(previous, now, rule, cost, age)
        return [state, remaining]
      }),
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
      withNow((now) => {
        const { quotaWindow, consumption } = QuotaWindow.consume(quotaWindows.get(name), now, quota, cost)
        if (quotaWindow !== undefined) quotaWindows.set(name, quotaWindow, now)
        return consumption
      }),
    refund: (name, quota, cost, age) =>
      withNow((now) => {
        const { quotaWindow, remaining } = QuotaWindow.refund(quotaWindows.get(name), now, quota, cost, age)
        if (quotaWindow !== undefined) quotaWindows.set(name, quotaWindow, now)
        return remaining
      }),
    peek: (name, quota) => withNow((now) => QuotaWindow.peek(quotaWindows.get(name), now, quota)),
    recordConsumed: (name, quota, cost, maxConsumable) =>
      withNow((now) => {
        quotaWindows.set(
          name,
          QuotaWindow.recordConsumed(quotaWindows.get(name), now, quota, cost, maxConsumable),
          now
        )
      })
  }
}
