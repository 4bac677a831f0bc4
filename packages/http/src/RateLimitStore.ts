/** Storage of rate limits and quotas: in memory, or shared by a fleet. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as AvailabilityGuard from "./internal/stores/AvailabilityGuard.ts"
import * as Gcra from "./internal/stores/Gcra.ts"
import type { Permit, RateLimitRule } from "./internal/stores/Gcra.ts"
import * as LruMap from "./internal/stores/LruMap.ts"
import * as QuotaWindow from "./internal/stores/QuotaWindow.ts"
import type { Quota, RemainingQuota } from "./internal/stores/QuotaWindow.ts"
import * as ReplyTimeout from "./internal/stores/ReplyTimeout.ts"
import * as SteadyClock from "./SteadyClock.ts"
import { StoreError } from "./StoreError.ts"

export type { Permit, RateLimitRule } from "./internal/stores/Gcra.ts"
export {
  dayMillis,
  type Month,
  type Quota,
  type RemainingQuota,
  windowOf
} from "./internal/stores/QuotaWindow.ts"

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

/** The rate limit store of `Engine.layerWithStores`. */
export class RateLimitStore
  extends Context.Tag("@blockquarry/http/RateLimitStore")<RateLimitStore, RateLimitStoreService>()
{}

/** Creates a store in the memory of this process. */
export const memory: Effect.Effect<RateLimitBackend<never>> = Effect.suspend(() => memoryStore)

/** Provides a store in the memory of this process. */
export const layerMemory: Layer.Layer<RateLimitStore> = Layer.effect(RateLimitStore, memory)

/**
 * What happens to limits while the store that processes share is unavailable:
 *
 * - `share`: each process counts in memory and applies its share of every limit, which is one divided by the number of
 *   processes that were running at the last contact with the store.
 * - `open`: rate limits and quotas do not apply. Cooldowns after a 429 do.
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
 * A store that replies slowly is not unavailable. But a call waits for a reply for at most an eighth of the time that it has
 * left, and at most 2 s; then it continues as during an outage. What the store grants later counts for what the call sends.
 * Later calls do not wait at all while replies take longer than that. With `closed` a call waits for as long as it has time.
 * What a call gives back delays it by at most 100 ms.
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
    const replies = yield* ReplyTimeout.make
    const guard = yield* AvailabilityGuard.make("rate limit", replies.measure(ping))
    const local = yield* memoryStore
    /** The units that callers hold of what the fallback granted, and the store did not until now. */
    const localGrants = new WeakMap<Reply, number>()
    /** Returns the units of a local grant that its caller still holds. The late grant of the store replaces it. */
    const takeLocal = (used: Reply | undefined): number => {
      const held = used === undefined ? 0 : localGrants.get(used) ?? 0
      if (used !== undefined) localGrants.delete(used)
      return held
    }
    const isOpen = whenUnavailable === "open"
    /** What applies while the store is unavailable: the share of this process, or nothing but cooldowns. */
    const localRule = (rule: RateLimitRule): RateLimitRule =>
      isOpen ? { ...rule, limit: Number.POSITIVE_INFINITY } : scaledRule(rule, share)
    const localAccounts = (accounts: ReadonlyArray<QuotaAccount>): ReadonlyArray<QuotaAccount> =>
      accounts.map((account) => ({
        ...account,
        quota: isOpen
          ? { ...account.quota, limit: Number.POSITIVE_INFINITY }
          : scaledQuota(account.quota, share)
      }))
    /**
     * Runs a command, or `locally` while the store is unavailable or too slow for the call. `onLate` receives a reply for
     * which its caller did not wait, and the local reply: undefined if the caller got none. `whenOpen` replaces the infinite
     * units that remain locally of an open store.
     */
    const run = <A extends Reply>(
      command: Effect.Effect<A, StoreError>,
      cost: number,
      timeLeft: number,
      whenOpen: (reply: A) => A,
      locally: () => Effect.Effect<A>,
      record: (reply: A) => Effect.Effect<void>,
      onLate: (reply: A, ageMillis: number, used: A | undefined) => Effect.Effect<unknown, StoreError>
    ): Effect.Effect<A, StoreError> => {
      let used: A | undefined
      const isClosed = whenUnavailable === "closed"
      const fallback = (error: StoreError) =>
        isClosed
          ? Effect.fail(error)
          : Effect.map(locally(), (reply) => {
            used = isOpen ? whenOpen(reply) : reply
            localGrants.set(used, cost)
            return used
          })
      const millis = isClosed ? timeLeft : ReplyTimeout.optionalTimeout(timeLeft)
      return guard.run(
        Effect.map(
          replies.run(command, millis, (reply, ageMillis) => onLate(reply, ageMillis, used), isClosed),
          Option.map((reply) => Effect.as(record(reply), reply))
        ),
        (error) => Effect.succeedSome(fallback(error))
      ).pipe(Effect.flatMap(Option.getOrElse(() => fallback(lateReply))))
    }
    /** Runs a command that its caller does not depend on. It continues if its reply is late. */
    const settle = <A>(command: Effect.Effect<A, StoreError>, otherwise: A): Effect.Effect<A> =>
      guard.run(
        Effect.map(
          replies.run(command, ReplyTimeout.giveBackTimeout, () => Effect.void),
          Option.getOrElse(() => otherwise)
        ),
        () => Effect.succeed(otherwise)
      )
    /** Gives units back to the store, unless it did not grant them. */
    const giveBack = <A>(
      grant: Permit | Consumption | undefined,
      cost: number,
      command: Effect.Effect<A, StoreError>,
      otherwise: A
    ): Effect.Effect<A> => {
      const held = grant === undefined ? undefined : localGrants.get(grant)
      if (grant === undefined || held === undefined) return settle(command, otherwise)
      localGrants.set(grant, held - cost)
      return Effect.succeed(otherwise)
    }
    const recordRemaining = (
      accounts: ReadonlyArray<QuotaAccount>,
      cost: number,
      remaining: ReadonlyArray<number>
    ) =>
      local.recordConsumed(localAccounts(accounts), cost, remaining.map((units) => wholeUnits(units, share)))
    const refundRemote = (accounts: ReadonlyArray<QuotaAccount>, cost: number, age: number) =>
      Effect.tap(
        backend.refund(accounts, cost, age),
        (remaining) => recordRemaining(accounts, 0, remaining)
      )
    const limitsOf = (accounts: ReadonlyArray<QuotaAccount>) => accounts.map(({ quota }) => quota.limit)
    return {
      acquire: (id, rule, cost, lease, timeLeft = Number.POSITIVE_INFINITY) =>
        run<Permit>(
          backend.acquire(id, rule, cost, lease),
          cost,
          timeLeft,
          (permit) => ({ ...permit, remaining: rule.burst }),
          () => local.acquire(id, localRule(rule), cost, lease),
          (permit) =>
            permit._tag === "Granted"
              ? local.recordAcquired(id, localRule(rule), cost, permit.trial)
              : Effect.void,
          // The caller keeps one grant, and gives it back to the store if it sends nothing.
          (permit, age, used) =>
            permit._tag === "Delayed" ? Effect.void : Effect.zipRight(
              permit.trial ? backend.settleTrial(id, false) : Effect.void,
              used?._tag === "Granted" && takeLocal(used) > 0
                ? Effect.void
                : Effect.asVoid(backend.release(id, rule, cost, age))
            )
        ),
      release: (id, rule, cost, age, grant) =>
        Effect.flatMap(
          local.release(id, localRule(rule), cost, age),
          (remaining) =>
            giveBack(grant, cost, backend.release(id, rule, cost, age), isOpen ? rule.burst : remaining)
        ),
      // Cooldowns are also kept in memory, so that they continue during an outage.
      startCooldown: (id, millis) =>
        Effect.zipRight(
          local.startCooldown(id, millis),
          settle(backend.startCooldown(id, millis), undefined)
        ),
      settleTrial: (id, succeeded) =>
        Effect.zipRight(
          local.settleTrial(id, succeeded),
          settle(backend.settleTrial(id, succeeded), undefined)
        ),
      consume: (accounts, cost, timeLeft = Number.POSITIVE_INFINITY) =>
        run<Consumption>(
          backend.consume(accounts, cost),
          cost,
          timeLeft,
          (consumption) => ({ ...consumption, remaining: limitsOf(accounts) }),
          () => local.consume(localAccounts(accounts), cost),
          ({ _tag, remaining }) => recordRemaining(accounts, _tag === "Consumed" ? cost : 0, remaining),
          // The caller keeps what it holds: what it has given back meanwhile, or taken in addition, is corrected.
          ({ _tag, remaining }, age, used) => {
            if (_tag === "QuotaExceeded") return recordRemaining(accounts, 0, remaining)
            const held = used?._tag === "Consumed" ? takeLocal(used) : 0
            return held === cost
              ? recordRemaining(accounts, 0, remaining)
              : refundRemote(accounts, cost - held, age)
          }
        ),
      refund: (accounts, cost, age, grant) =>
        Effect.flatMap(
          local.refund(localAccounts(accounts), cost, age),
          (remaining) =>
            giveBack(grant, cost, refundRemote(accounts, cost, age), isOpen ? limitsOf(accounts) : remaining)
        ),
      peek: (accounts, timeLeft = Number.POSITIVE_INFINITY) => {
        const record = (quotas: ReadonlyArray<RemainingQuota>) =>
          recordRemaining(accounts, 0, quotas.map(({ remaining }) => remaining))
        return run<ReadonlyArray<RemainingQuota>>(
          backend.peek(accounts),
          0,
          timeLeft,
          (quotas) => quotas.map((quota, index) => ({ ...quota, remaining: limitsOf(accounts)[index] ?? 0 })),
          () => local.peek(localAccounts(accounts)),
          record,
          record
        )
      }
    }
  })

type Reply = Permit | Consumption | ReadonlyArray<RemainingQuota>

const lateReply = new StoreError({ reason: "no reply within the time of the call" })

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
  /** Records units that were acquired from the backend. A grant that is no trial also ends the local cooldown. */
  readonly recordAcquired: (
    id: string,
    rule: RateLimitRule,
    cost: number,
    trial: boolean
  ) => Effect.Effect<void>
  /** Records units that were consumed from the backend, and how much of the remaining ones may be consumed locally. */
  readonly recordConsumed: (
    accounts: ReadonlyArray<QuotaAccount>,
    cost: number,
    maxConsumable: ReadonlyArray<number>
  ) => Effect.Effect<unknown>
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

const memoryStore: Effect.Effect<RecordingStore> = Effect.map(SteadyClock.current, (clock) => {
  // Evicts the least recently used rate limits of very many.
  const states = LruMap.make<Gcra.GcraState>({ maxSize: 10_000 })
  const update = <A>(
    name: string,
    transition: (state: Gcra.GcraState, now: number) => readonly [Gcra.GcraState, A]
  ) =>
    new MemoryOperation((systemNow) => {
      // Quotas follow the system clock instead, because they end at midnight.
      const now = clock.at(systemNow)
      const [state, result] = transition(states.get(name) ?? Gcra.initialState(now), now)
      states.set(name, state)
      return result
    })
  const quotaWindows = QuotaWindow.makeQuotaWindows()
  const updateQuotas = <A>(
    accounts: ReadonlyArray<QuotaAccount>,
    transition: (
      stored: QuotaWindow.Stored,
      now: number,
      account: QuotaAccount,
      index: number
    ) => readonly [QuotaWindow.Stored, A]
  ) =>
    new MemoryOperation((now) =>
      accounts.map((account, index) => {
        const [quotaWindow, result] = transition(quotaWindows.get(account.id), now, account, index)
        quotaWindows.set(account.id, quotaWindow, now)
        return result
      })
    )
  return {
    acquire: (name, rule, cost, lease) =>
      update(name, (state, now) => Gcra.acquire(state, now, rule, cost, lease)),
    release: (name, rule, cost, age) =>
      update(name, (state, now) => Gcra.release(state, now, rule, cost, age)),
    startCooldown: (name, millis) =>
      update(name, (previous, now) => [Gcra.startCooldown(previous, now, millis), undefined]),
    settleTrial: (name, succeeded) =>
      update(name, (previous, now) => [Gcra.settleTrial(previous, now, succeeded), undefined]),
    recordAcquired: (name, rule, cost, trial) =>
      update(name, (previous, now) => [
        Gcra.recordAcquired(trial ? previous : Gcra.settleTrial(previous, now, true), now, rule, cost),
        undefined
      ]),
    consume: (accounts, cost) =>
      new MemoryOperation((now): Consumption => {
        const consume = (units: number) =>
          accounts.map(({ id, quota, soft }) =>
            QuotaWindow.consume(quotaWindows.get(id), now, quota, units, soft)
          )
        const wanted = consume(cost)
        const exceeded = wanted.findIndex(([, consumption]) => consumption.exceeded)
        const results = exceeded < 0 ? wanted : consume(0)
        accounts.forEach(({ id }, index) => quotaWindows.set(id, results[index]?.[0], now))
        const remaining = results.map(([, consumption]) => consumption.remaining)
        return exceeded < 0
          ? { _tag: "Consumed", remaining }
          : { _tag: "QuotaExceeded", remaining, exceeded, millis: wanted[exceeded]?.[1].millis ?? 0 }
      }),
    refund: (accounts, cost, age) =>
      updateQuotas(accounts, (stored, now, { quota }) => QuotaWindow.refund(stored, now, quota, cost, age)),
    peek: (accounts) =>
      updateQuotas(accounts, (stored, now, { quota }) => [undefined, QuotaWindow.peek(stored, now, quota)]),
    recordConsumed: (accounts, cost, maxConsumable) =>
      updateQuotas(accounts, (stored, now, { quota }, index) => [
        QuotaWindow.recordConsumed(stored, now, quota, cost, maxConsumable[index] ?? 0),
        undefined
      ])
  }
})
