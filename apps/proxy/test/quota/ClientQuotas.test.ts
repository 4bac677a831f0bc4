/** Laws of the queue of requests that exceed a quota. The record `quotas` has quotas over time. */
import * as SteadyClock from "@blockquarry/http/gateway/SteadyClock"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as AppliedQuotas from "../../src/auth/AppliedQuotas.ts"
import type { AuthenticatedClient } from "../../src/auth/Clients.ts"
import { type ClientConfig, type Config, defaults } from "../../src/config/Config.ts"
import * as ClientQuotas from "../../src/quota/ClientQuotas.ts"

const client = (
  { dailyQuota = null, rateLimit = null }: Partial<Pick<ClientConfig, "dailyQuota" | "rateLimit">>
): AuthenticatedClient => ({
  name: "one",
  scopes: new Set(),
  mayPassThrough: false,
  restrictions: null,
  rateLimit,
  quotas: AppliedQuotas.of(defaults, { name: "one", dailyQuota, monthlyQuota: null }),
  weight: 1
})

const tenPerSecond = client({ rateLimit: { limit: 10, window: 1000 } })

/** Quotas whose units are consumed at the time of the clock, as those of a page of a list. */
const quotasOver = (store: RateLimitStore.RateLimitStoreService, config: Partial<Config["quotas"]> = {}) =>
  Effect.map(SteadyClock.current, (clock) => {
    const quotas = ClientQuotas.make({ ...defaults.quotas, ...config }, store, clock, Effect.runFork)
    const acquire = (client: AuthenticatedClient, cost: number, maxWait?: Duration.Duration) =>
      Effect.uninterruptible(
        Effect.suspend(() =>
          quotas.acquire(
            client,
            { price: cost, rateCost: cost },
            clock.system.unsafeCurrentTimeMillis(),
            maxWait
          )
        )
      )
    return { ...quotas, acquire }
  })

const makeQuotas = (config?: Partial<Config["quotas"]>) =>
  Effect.flatMap(RateLimitStore.memory, (store) => quotasOver(store, config))

/** The result of a request: when it ended, and whether it was charged. */
interface Outcome {
  readonly index: number
  readonly startedAt: number
  readonly endedAt: number
  readonly cost: number
  readonly maxWaitMs: number
  readonly result: "charged" | "refused" | "interrupted"
}

/** Requests in arrival order; some are interrupted later. */
const arrivals = FastCheck.array(
  FastCheck.record({
    after: FastCheck.oneof(FastCheck.constant(0), FastCheck.nat(300)),
    cost: FastCheck.integer({ min: 1, max: 5 }),
    maxWaitMs: FastCheck.constantFrom(0, 500, 2000, 60_000),
    interruptedAfter: FastCheck.option(FastCheck.nat(1000), { nil: undefined, freq: 5 })
  }),
  { maxLength: 40 }
)

const runArrivals = (
  budgets: Effect.Effect.Success<ReturnType<typeof quotasOver>>,
  client: AuthenticatedClient,
  requests: ReadonlyArray<
    Pick<Outcome, "cost" | "maxWaitMs"> & {
      readonly after: number
      readonly interruptedAfter?: number | undefined
    }
  >
) =>
  Effect.gen(function*() {
    const ended: Array<Outcome> = []
    const fibers: Array<Fiber.Fiber<unknown>> = []
    for (const [index, { after, interruptedAfter, maxWaitMs, cost }] of requests.entries()) {
      yield* after === 0 ? Effect.yieldNow() : TestClock.adjust(after)
      const startedAt = yield* TestClock.currentTimeMillis
      const end = (result: Outcome["result"]) =>
        Effect.map(TestClock.currentTimeMillis, (endedAt) => {
          ended.push({ index, startedAt, endedAt, cost, maxWaitMs, result })
        })
      const acquired = budgets.acquire(client, cost, Duration.millis(maxWaitMs)).pipe(
        Effect.matchEffect({ onFailure: () => end("refused"), onSuccess: () => end("charged") }),
        Effect.onInterrupt(() => end("interrupted"))
      )
      fibers.push(
        yield* Effect.fork(
          interruptedAfter === undefined
            ? acquired
            : Effect.ignore(Effect.timeout(acquired, interruptedAfter))
        )
      )
    }
    yield* TestClock.adjust("1 hour")
    for (const fiber of fibers) yield* Fiber.await(fiber)
    return ended
  })

describe("the queue", () => {
  it.effect.prop(
    "holds no request longer than its maxWait, keeps to the rate limit and the order, and no state after it drains",
    { latency: FastCheck.constantFrom(0, 20), requests: arrivals },
    ({ latency, requests }) =>
      Effect.gen(function*() {
        const store = yield* RateLimitStore.memory
        const budgets = yield* quotasOver({
          ...store,
          acquire: (...args) => Effect.delay(store.acquire(...args), latency)
        })
        const ended = yield* runArrivals(budgets, tenPerSecond, requests)
        expect(ended).toHaveLength(requests.length)
        for (const { endedAt, startedAt, maxWaitMs } of ended) {
          expect(endedAt - startedAt).toBeLessThanOrEqual(maxWaitMs + latency)
        }
        const charged = ended.filter(({ result }) => result === "charged")
        for (const { endedAt: from } of charged) {
          const inWindow = charged.filter(({ endedAt }) => endedAt >= from && endedAt < from + 1000 - latency)
          expect(inWindow.reduce((sum, { cost }) => sum + cost, 0)).toBeLessThanOrEqual(20)
        }
        const singles = charged.filter(({ maxWaitMs }) => maxWaitMs === 2000).map(({ index }) => index)
        if (latency === 0) expect(singles).toEqual([...singles].sort((one, other) => one - other))
        const after = yield* Effect.fork(budgets.acquire(tenPerSecond, 10))
        yield* TestClock.adjust(latency)
        expect((yield* Fiber.join(after)).waitMs).toBe(latency)
      })
  )

  it.effect("decides within 1 s in all if the store must reply and is slow, and takes nothing then", () =>
    Effect.gen(function*() {
      const store = yield* RateLimitStore.memory
      const slowly = Effect.delay(800)
      const closed = yield* RateLimitStore.withFallback({
        ...store,
        acquire: (...args) => slowly(store.acquire(...args)),
        consume: (...args) => slowly(store.consume(...args)),
        heartbeat: Effect.succeed(1)
      }, { whenUnavailable: "closed" })
      const both = client({ rateLimit: { limit: 10, window: 1_000_000 }, dailyQuota: 100 })
      const request = yield* Effect.fork(Effect.flip((yield* quotasOver(closed)).acquire(both, 5)))
      yield* TestClock.adjust(1000)
      expect(request.unsafePoll()).not.toBeNull()
      expect(yield* Fiber.join(request)).toMatchObject({ code: "store-unavailable" })
      yield* TestClock.adjust(1000)
      const other = yield* Effect.orDie((yield* quotasOver(store)).acquire(both, 10))
      expect(other.quotas.map(({ remaining }) => remaining)).toEqual([0, 90])
    }).pipe(Effect.scoped))

  it.effect.prop(
    "rejects immediately a request that cannot be served in time, and serves all others",
    [FastCheck.array(FastCheck.integer({ min: 1, max: 5 }), { maxLength: 30 })],
    ([costs]) =>
      Effect.gen(function*() {
        const requests = costs.map((cost) => ({ after: 0, cost, maxWaitMs: 2000 }))
        const ended = yield* runArrivals(yield* makeQuotas(), tenPerSecond, requests)
        for (const { endedAt, result } of ended) if (result === "refused") expect(endedAt).toBe(0)
        const units = (how: Outcome["result"]) =>
          ended.filter((one) => one.result === how).map(({ cost }) => cost)
        // The burst, and the units that are refilled in 2 s
        const left = 30 - units("charged").reduce((sum, units) => sum + units, 0)
        for (const cost of units("refused")) expect(cost).toBeGreaterThan(left)
      })
  )
})
