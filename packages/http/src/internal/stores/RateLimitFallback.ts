/**
 * Rate limits and quotas of a shared store, and of this process alone while the store is unavailable or slow: see
 * `RateLimitStore.withFallback`.
 *
 * The two are never reconciled: units go back to where they came from, and what the store grants too late is given back whole.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { StoreError } from "../../gateway/StoreError.ts"
import * as AvailabilityGuard from "./AvailabilityGuard.ts"
import type { Permit, RateLimitRule } from "./Gcra.ts"
import * as MemoryRateLimits from "./MemoryRateLimits.ts"
import type {
  Consumption,
  QuotaAccount,
  RateLimitStoreService,
  RemoteRateLimitBackend,
  WhenUnavailable
} from "./RateLimitBackend.ts"

/** How long a call waits for the reply to what it gives back, in milliseconds. It may be past its deadline. */
const giveBackTimeout = 100

export const make = (
  backend: RemoteRateLimitBackend,
  whenUnavailable: WhenUnavailable
): Effect.Effect<RateLimitStoreService, never, Scope.Scope> =>
  Effect.gen(function*() {
    const isClosed = whenUnavailable === "closed"
    const isOpen = whenUnavailable === "open"
    let share = 1
    let lastProcesses = 1
    const ping = Effect.map(backend.heartbeat, (processes) => {
      // A store that has lost its data counts only the processes that have sent a heartbeat since.
      share = isOpen ? 1 : 1 / Math.max(1, processes, lastProcesses)
      lastProcesses = processes
    })
    const guard = yield* AvailabilityGuard.make("rate limit", ping)
    const askStore = yield* AvailabilityGuard.makeAsk(guard)
    const memory = yield* MemoryRateLimits.make
    /** What the store did not grant, and does not get back. */
    const localGrants = new WeakSet<object>()

    /** What applies without the store. */
    const localRule = (rule: RateLimitRule): RateLimitRule => ({
      ...rule,
      limit: isOpen ? Number.POSITIVE_INFINITY : rule.limit * share,
      burst: Math.max(1, rule.burst * share)
    })

    /** Rounds down to whole units, because costs are integers. */
    const shareOf = (units: number): number => Math.floor(units * share + 1e-9)

    const localAccounts = (accounts: ReadonlyArray<QuotaAccount>): ReadonlyArray<QuotaAccount> =>
      accounts.map(({ id, quota, soft = false }) => ({
        id,
        quota: { ...quota, limit: shareOf(quota.limit) },
        soft: soft || isOpen
      }))

    /** Notes what was consumed from the store, and what remains, of which a share may be consumed locally. */
    const record = (accounts: ReadonlyArray<QuotaAccount>, cost: number, remaining: ReadonlyArray<number>) =>
      memory.recordConsumed(localAccounts(accounts), cost, remaining.map(shareOf))

    /** Asks the store. Without a reply in time, the reply is that of `locally`, or the call fails. */
    const ask = <A extends object>(
      command: Effect.Effect<A, StoreError>,
      timeLeft: number,
      locally: Effect.Effect<A>,
      onLate?: AvailabilityGuard.AskOptions<A>["onLate"]
    ): Effect.Effect<A, StoreError> => {
      if (isClosed) return askStore(command, timeLeft, { isPatient: true, onLate })
      const millis = AvailabilityGuard.optionalTimeout(timeLeft)
      return Effect.catchAll(
        askStore(command, millis, { onLate }),
        () => Effect.tap(locally, (grant) => void localGrants.add(grant))
      )
    }

    /** Changes both. The store gets back what it granted. Without its reply in time, the result is the local one. */
    const tell = <A>(
      locally: Effect.Effect<A>,
      command: Effect.Effect<A, StoreError>,
      grant?: Permit | Consumption
    ): Effect.Effect<A> =>
      Effect.flatMap(locally, (result) =>
        grant !== undefined && localGrants.has(grant)
          ? Effect.succeed(result)
          : Effect.orElseSucceed(askStore(command, giveBackTimeout, { isPatient: true }), () => result))

    const refund = (accounts: ReadonlyArray<QuotaAccount>, cost: number, age: number) =>
      Effect.tap(backend.refund(accounts, cost, age), (remaining) => record(accounts, 0, remaining))

    return {
      acquire: (id, rule, cost, lease, timeLeft = Number.POSITIVE_INFINITY) =>
        ask<Permit>(
          backend.acquire(id, rule, cost, lease),
          timeLeft,
          Effect.map(
            memory.acquire(id, localRule(rule), cost, lease),
            (permit) => ({ ...permit, remaining: Math.min(permit.remaining, rule.burst) })
          ),
          (permit, age) =>
            permit._tag === "Delayed" ? Effect.void : Effect.zipRight(
              permit.trial ? backend.settleTrial(id, false) : Effect.void,
              backend.release(id, rule, cost, age)
            )
        ),
      release: (id, rule, cost, age, grant) =>
        tell(
          Effect.map(
            memory.release(id, localRule(rule), cost, age),
            (remaining) => Math.min(remaining, rule.burst)
          ),
          backend.release(id, rule, cost, age),
          grant
        ),
      // Cooldowns are also kept in memory, so that they continue during an outage.
      startCooldown: (id, millis) =>
        tell(memory.startCooldown(id, millis), backend.startCooldown(id, millis)),
      settleTrial: (id, succeeded) =>
        tell(memory.settleTrial(id, succeeded), backend.settleTrial(id, succeeded)),
      consume: (accounts, cost, timeLeft = Number.POSITIVE_INFINITY) =>
        ask<Consumption>(
          Effect.tap(
            backend.consume(accounts, cost),
            ({ _tag, remaining }) => record(accounts, _tag === "Consumed" ? cost : 0, remaining)
          ),
          timeLeft,
          memory.consume(localAccounts(accounts), cost),
          ({ _tag }, age) =>
            _tag === "Consumed"
              ? Effect.zipRight(
                memory.refund(localAccounts(accounts), cost, age),
                refund(accounts, cost, age)
              )
              : Effect.void
        ),
      refund: (accounts, cost, age, grant) =>
        tell(memory.refund(localAccounts(accounts), cost, age), refund(accounts, cost, age), grant),
      peek: (accounts, timeLeft = Number.POSITIVE_INFINITY) =>
        ask(
          Effect.tap(
            backend.peek(accounts),
            (quotas) => record(accounts, 0, quotas.map(({ remaining }) => remaining))
          ),
          timeLeft,
          memory.peek(localAccounts(accounts))
        )
    }
  })
