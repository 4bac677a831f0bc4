/**
 * Rate limits and quotas of a shared store, and of this process alone while the store is unavailable or slow: see
 * `RateLimitStore.withFallback`.
 *
 * The two are never reconciled: units go back to where they came from, and what the store grants too late is given back whole.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { StoreError } from "../../StoreError.ts"
import * as AvailabilityGuard from "./AvailabilityGuard.ts"
import type { Permit, RateLimitRule } from "./Gcra.ts"
import * as MemoryRateLimits from "./MemoryRateLimits.ts"
import type { Quota } from "./QuotaWindow.ts"
import type {
  Consumption,
  QuotaAccount,
  RateLimitStoreService,
  RemoteRateLimitBackend,
  WhenUnavailable
} from "./RateLimitBackend.ts"
import * as ReplyTimeout from "./ReplyTimeout.ts"

export const make = (
  backend: RemoteRateLimitBackend,
  whenUnavailable: WhenUnavailable
): Effect.Effect<RateLimitStoreService, never, Scope.Scope> =>
  Effect.gen(function*() {
    const isClosed = whenUnavailable === "closed"
    let share = 1
    let lastProcesses = 1
    const ping = Effect.map(backend.heartbeat, (processes) => {
      // A store that has lost its data counts only the processes that have sent a heartbeat since.
      share = 1 / Math.max(1, processes, lastProcesses)
      lastProcesses = processes
    })
    const guard = yield* AvailabilityGuard.make("rate limit", ping)
    const replies = yield* ReplyTimeout.make
    const local = yield* MemoryRateLimits.make
    /** What the store did not grant, and does not get back. */
    const localGrants = new WeakSet<Permit | Consumption>()

    /** What applies without the store: the share of this process, or nothing but cooldowns. */
    const localRule = (rule: RateLimitRule): RateLimitRule =>
      whenUnavailable === "open" ? unlimited(rule) : scaledRule(rule, share)
    const localAccounts = (accounts: ReadonlyArray<QuotaAccount>): ReadonlyArray<QuotaAccount> =>
      accounts.map((account) => ({
        ...account,
        quota: whenUnavailable === "open" ? unlimited(account.quota) : scaledQuota(account.quota, share)
      }))
    const asLocalGrant = <A extends Permit | Consumption>(grant: A): A => {
      localGrants.add(grant)
      return grant
    }

    /** Asks the store. Without a reply in time, the reply is that of `locally`, or the call fails. `record` counts a reply locally. */
    const ask = <A>(
      command: Effect.Effect<A, StoreError>,
      timeLeft: number,
      locally: Effect.Effect<A>,
      record: (reply: A) => Effect.Effect<unknown>,
      onLate?: ReplyTimeout.AskOptions<A>["onLate"]
    ): Effect.Effect<A, StoreError> => {
      const reply = Effect.tap(
        replies.ask(guard.run(command), {
          millis: isClosed ? timeLeft : ReplyTimeout.optionalTimeout(timeLeft),
          whileSlow: isClosed ? "wait" : "skip",
          onLate
        }),
        record
      )
      return isClosed ? reply : Effect.catchAll(reply, () => locally)
    }

    /** Sends what the caller does not depend on. Returns `otherwise` without a reply in time. */
    const tell = <A>(command: Effect.Effect<A, StoreError>, otherwise: A): Effect.Effect<A> =>
      Effect.orElseSucceed(
        replies.ask(guard.run(command), { millis: ReplyTimeout.giveBackTimeout, whileSlow: "send" }),
        () => otherwise
      )

    /** Gives units back to the store, unless it did not grant them. */
    const giveBack = <A>(
      grant: Permit | Consumption | undefined,
      command: Effect.Effect<A, StoreError>,
      otherwise: A
    ): Effect.Effect<A> =>
      grant !== undefined && localGrants.has(grant) ? Effect.succeed(otherwise) : tell(command, otherwise)

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

    return {
      acquire: (id, rule, cost, lease, timeLeft = Number.POSITIVE_INFINITY) =>
        ask<Permit>(
          backend.acquire(id, rule, cost, lease),
          timeLeft,
          Effect.map(
            local.acquire(id, localRule(rule), cost, lease),
            (permit) => asLocalGrant({ ...permit, remaining: Math.min(permit.remaining, rule.burst) })
          ),
          (permit) =>
            permit._tag === "Granted"
              ? local.recordAcquired(id, localRule(rule), cost, permit.trial)
              : Effect.void,
          (permit, age) =>
            permit._tag === "Delayed" ? Effect.void : Effect.zipRight(
              permit.trial ? backend.settleTrial(id, false) : Effect.void,
              backend.release(id, rule, cost, age)
            )
        ),
      release: (id, rule, cost, age, grant) =>
        Effect.flatMap(
          local.release(id, localRule(rule), cost, age),
          (remaining) =>
            giveBack(grant, backend.release(id, rule, cost, age), Math.min(remaining, rule.burst))
        ),
      // Cooldowns are also kept in memory, so that they continue during an outage.
      startCooldown: (id, millis) =>
        Effect.zipRight(local.startCooldown(id, millis), tell(backend.startCooldown(id, millis), undefined)),
      settleTrial: (id, succeeded) =>
        Effect.zipRight(
          local.settleTrial(id, succeeded),
          tell(backend.settleTrial(id, succeeded), undefined)
        ),
      consume: (accounts, cost, timeLeft = Number.POSITIVE_INFINITY) =>
        ask<Consumption>(
          backend.consume(accounts, cost),
          timeLeft,
          Effect.map(
            local.consume(localAccounts(accounts), cost),
            (consumption) =>
              asLocalGrant({ ...consumption, remaining: withinLimits(accounts, consumption.remaining) })
          ),
          ({ _tag, remaining }) => recordRemaining(accounts, _tag === "Consumed" ? cost : 0, remaining),
          ({ _tag }, age) => _tag === "Consumed" ? refundRemote(accounts, cost, age) : Effect.void
        ),
      refund: (accounts, cost, age, grant) =>
        Effect.flatMap(
          local.refund(localAccounts(accounts), cost, age),
          (remaining) => giveBack(grant, refundRemote(accounts, cost, age), withinLimits(accounts, remaining))
        ),
      peek: (accounts, timeLeft = Number.POSITIVE_INFINITY) =>
        ask(
          backend.peek(accounts),
          timeLeft,
          Effect.map(local.peek(localAccounts(accounts)), (quotas) => {
            const remaining = withinLimits(accounts, quotas.map(({ remaining }) => remaining))
            return quotas.map((quota, index) => ({ ...quota, remaining: remaining[index] ?? 0 }))
          }),
          (quotas) => recordRemaining(accounts, 0, quotas.map(({ remaining }) => remaining))
        )
    }
  })

const unlimited = <A extends RateLimitRule | Quota>(limited: A): A => ({
  ...limited,
  limit: Number.POSITIVE_INFINITY
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

/** An open store has infinite units without the shared one, and reports its limits instead. */
const withinLimits = (
  accounts: ReadonlyArray<QuotaAccount>,
  remaining: ReadonlyArray<number>
): ReadonlyArray<number> => accounts.map(({ quota }, index) => Math.min(remaining[index] ?? 0, quota.limit))
