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
    const local = ofShare(yield* MemoryRateLimits.make, whenUnavailable === "open", () => share)
    /** What the store did not grant, and does not get back. */
    const localGrants = new WeakSet<Permit | Consumption>()
    const asLocalGrant = <A extends Permit | Consumption>(granted: Effect.Effect<A>): Effect.Effect<A> =>
      Effect.tap(granted, (grant) => {
        localGrants.add(grant)
      })

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

    const refundRemote = (accounts: ReadonlyArray<QuotaAccount>, cost: number, age: number) =>
      Effect.tap(
        backend.refund(accounts, cost, age),
        (remaining) => local.recordConsumed(accounts, 0, remaining)
      )

    return {
      acquire: (id, rule, cost, lease, timeLeft = Number.POSITIVE_INFINITY) =>
        ask<Permit>(
          backend.acquire(id, rule, cost, lease),
          timeLeft,
          asLocalGrant(local.acquire(id, rule, cost, lease)),
          (permit) =>
            permit._tag === "Granted" ? local.recordAcquired(id, rule, cost, permit.trial) : Effect.void,
          (permit, age) =>
            permit._tag === "Delayed" ? Effect.void : Effect.zipRight(
              permit.trial ? backend.settleTrial(id, false) : Effect.void,
              backend.release(id, rule, cost, age)
            )
        ),
      release: (id, rule, cost, age, grant) =>
        Effect.flatMap(
          local.release(id, rule, cost, age),
          (remaining) => giveBack(grant, backend.release(id, rule, cost, age), remaining)
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
          asLocalGrant(local.consume(accounts, cost)),
          ({ _tag, remaining }) => local.recordConsumed(accounts, _tag === "Consumed" ? cost : 0, remaining),
          ({ _tag }, age) => _tag === "Consumed" ? refundRemote(accounts, cost, age) : Effect.void
        ),
      refund: (accounts, cost, age, grant) =>
        Effect.flatMap(
          local.refund(accounts, cost, age),
          (remaining) => giveBack(grant, refundRemote(accounts, cost, age), remaining)
        ),
      peek: (accounts, timeLeft = Number.POSITIVE_INFINITY) =>
        ask(
          backend.peek(accounts),
          timeLeft,
          local.peek(accounts),
          (quotas) => local.recordConsumed(accounts, 0, quotas.map(({ remaining }) => remaining))
        )
    }
  })

/** What applies without the store: the share of this process in each limit. If `isOpen`, nothing does but cooldowns. */
const ofShare = (
  memory: MemoryRateLimits.MemoryRateLimits,
  isOpen: boolean,
  share: () => number
): MemoryRateLimits.MemoryRateLimits => {
  const unlimited = { limit: Number.POSITIVE_INFINITY }
  const ruleOf = (rule: RateLimitRule): RateLimitRule => ({
    ...rule,
    ...isOpen ? unlimited : { limit: rule.limit * share(), burst: Math.max(1, rule.burst * share()) }
  })
  /** Rounds down to whole units, because costs are integers. */
  const wholeUnits = (total: number): number => Math.floor(total * share() + 1e-9)
  const accountsOf = (accounts: ReadonlyArray<QuotaAccount>): ReadonlyArray<QuotaAccount> =>
    accounts.map((account) => ({
      ...account,
      quota: { ...account.quota, ...isOpen ? unlimited : { limit: wholeUnits(account.quota.limit) } }
    }))
  /** An open store reports its limits instead of infinite units. */
  const withinLimits = (accounts: ReadonlyArray<QuotaAccount>, remaining: ReadonlyArray<number>) =>
    accounts.map(({ quota }, index) => Math.min(remaining[index] ?? 0, quota.limit))
  return {
    ...memory,
    acquire: (id, rule, cost, lease) =>
      Effect.map(memory.acquire(id, ruleOf(rule), cost, lease), (permit) => ({
        ...permit,
        remaining: Math.min(permit.remaining, rule.burst)
      })),
    release: (id, rule, cost, age) =>
      Effect.map(memory.release(id, ruleOf(rule), cost, age), (remaining) => Math.min(remaining, rule.burst)),
    recordAcquired: (id, rule, cost, trial) => memory.recordAcquired(id, ruleOf(rule), cost, trial),
    consume: (accounts, cost) =>
      Effect.map(memory.consume(accountsOf(accounts), cost), (consumption) => ({
        ...consumption,
        remaining: withinLimits(accounts, consumption.remaining)
      })),
    refund: (accounts, cost, age) =>
      Effect.map(
        memory.refund(accountsOf(accounts), cost, age),
        (remaining) => withinLimits(accounts, remaining)
      ),
    peek: (accounts) =>
      Effect.map(memory.peek(accountsOf(accounts)), (quotas) =>
        quotas.map((quota, index) => ({
          ...quota,
          remaining: Math.min(quota.remaining, accounts[index]?.quota.limit ?? 0)
        }))),
    recordConsumed: (accounts, cost, remaining) =>
      memory.recordConsumed(accountsOf(accounts), cost, remaining.map(wholeUnits))
  }
}
