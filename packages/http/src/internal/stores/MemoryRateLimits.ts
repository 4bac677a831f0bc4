/** Rate limits and quotas in the memory of this process. */
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import * as LruMap from "../../gateway/LruMap.ts"
import * as SteadyClock from "../../gateway/SteadyClock.ts"
import * as Gcra from "./Gcra.ts"
import * as QuotaWindow from "./QuotaWindow.ts"
import type { Consumption, QuotaAccount, RateLimitBackend } from "./RateLimitBackend.ts"

/** The store, which can also count what this process has consumed from a shared store. */
export interface MemoryRateLimits extends RateLimitBackend<never> {
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

/** Creates a store, which evicts what was not used for long of very many rate limits and quotas. */
export const make: Effect.Effect<MemoryRateLimits> = Effect.map(SteadyClock.current, (clock) => {
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
  const quotaWindows = LruMap.make<QuotaWindow.QuotaWindow>({ maxSize: 100_000 })
  const setQuota = (id: string, quotaWindow: QuotaWindow.Stored) => {
    if (quotaWindow !== undefined) quotaWindows.set(id, quotaWindow)
  }
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
        setQuota(account.id, quotaWindow)
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
    consume: (accounts, cost) =>
      new MemoryOperation((now): Consumption => {
        const consume = (units: number) =>
          accounts.map(({ id, quota, soft }) =>
            QuotaWindow.consume(quotaWindows.get(id), now, quota, units, soft)
          )
        const wanted = consume(cost)
        const exceeded = wanted.findIndex(([, consumption]) => consumption.exceeded)
        const results = exceeded < 0 ? wanted : consume(0)
        accounts.forEach(({ id }, index) => setQuota(id, results[index]?.[0]))
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
