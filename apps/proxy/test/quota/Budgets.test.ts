/** Laws of quotas per day and month: of clients, of teams, and of all clients together. */
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import * as SteadyClock from "@blockquarry/http/SteadyClock"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as TestClock from "effect/TestClock"
import { type AuthenticatedClient, make } from "../../src/auth/Clients.ts"
import { type Config, defaults } from "../../src/config/Config.ts"
import * as ClientQuotas from "../../src/quota/ClientQuotas.ts"
import { testClient } from "../support/proxy.ts"

const names = ["web", "app", "lab"]

type Limits = Config["clients"][number]["dailyQuota"]

const limits: FastCheck.Arbitrary<Limits> = FastCheck.oneof(
  FastCheck.constant(null),
  FastCheck.integer({ min: 1, max: 60 }),
  FastCheck.record({ soft: FastCheck.integer({ min: 1, max: 30 }) }),
  FastCheck.record({
    soft: FastCheck.integer({ min: 1, max: 30 }),
    hard: FastCheck.integer({ min: 31, max: 60 })
  })
)

const period = { dailyQuota: limits, monthlyQuota: limits }

const configs = FastCheck.record({
  clients: FastCheck.tuple(
    ...names.map((name) => FastCheck.record(period).map((own) => testClient(name, name, own)))
  ),
  teams: FastCheck.record(period).map((own) => [{ name: "front", clients: ["web", "app"], ...own }]),
  quotas: FastCheck.record({ ...period, billingDay: FastCheck.integer({ min: 1, max: 28 }) })
    .map((own) => ({ ...defaults.quotas, ...own }))
})

const day = 86_400_000

/** What a request costs, what it turns out to cost, and what happens before it. */
const requests = FastCheck.array(
  FastCheck.record({
    client: FastCheck.constantFrom(...names),
    price: FastCheck.integer({ min: 0, max: 12 }),
    result: FastCheck.oneof(FastCheck.constant("refunded" as const), FastCheck.integer({ min: 0, max: 15 })),
    days: FastCheck.oneof({ weight: 5, arbitrary: FastCheck.constant(0) }, FastCheck.nat(40))
  }),
  { maxLength: 40 }
)

/** The windows of a time: the day, and the month of a billing day. */
const windowOf = (name: string, now: number, billingDay: number): string =>
  name.endsWith("day")
    ? `day ${Math.floor(now / day)}`
    : `month ${new Date(now - (billingDay - 1) * day).toISOString().slice(0, 7)}`

describe("quotas per day and month", () => {
  it.effect.prop(
    "count each price once in every quota, reject above a hard one without a trace, and warn above a soft one",
    { config: configs, steps: requests },
    ({ config, steps }) =>
      Effect.gen(function*() {
        const { all } = make({ ...defaults, ...config })
        const clock = yield* SteadyClock.current
        const store = yield* RateLimitStore.memory
        const quotas = ClientQuotas.make(config.quotas, store, clock, Effect.runFork)
        yield* TestClock.setTime(Date.UTC(2026, 0, 20))
        const consumed = new Map<string, number>()
        for (const { client: name, days, price, result } of steps) {
          yield* TestClock.adjust(days * day)
          const now = yield* TestClock.currentTimeMillis
          const client = all.find((client): client is AuthenticatedClient => client.name === name)
          if (client === undefined) throw new Error(`no client ${name}`)
          const keys = client.budgets.map(({ account, name }) =>
            `${account} ${windowOf(name, now, config.quotas.billingDay)}`
          )
          const usedOf = (index: number) => consumed.get(keys[index] ?? "") ?? 0
          const exceeded = client.budgets.find(({ isHard, quota }, index) =>
            isHard && price > Math.max(0, quota.limit - usedOf(index))
          )
          const acquired = yield* Effect.either(
            Effect.uninterruptible(quotas.acquire(client, { price, rateCost: 1 }, now, undefined))
          )
          expect(acquired._tag).toBe(exceeded === undefined ? "Right" : "Left")
          if (acquired._tag === "Left") {
            expect(acquired.left).toMatchObject({
              code: "client-quota-exceeded",
              message: `${exceeded?.description} exceeded; it resets ${exceeded?.resets}`
            })
            continue
          }
          client.budgets.forEach((_, index) => consumed.set(keys[index] ?? "", usedOf(index) + price))
          expect(acquired.right.quotas.map(({ remaining, warns }) => [remaining, warns])).toEqual(
            client.budgets.map(({ quota, warnAt }, index) => {
              const remaining = Math.max(0, quota.limit - usedOf(index))
              return [remaining, remaining <= warnAt]
            })
          )
          const settled = result === "refunded" ? price : price - result
          if (result === "refunded") yield* acquired.right.refund
          else acquired.right.correct(settled)
          client.budgets.forEach((_, index) =>
            consumed.set(keys[index] ?? "", Math.max(0, usedOf(index) - settled))
          )
        }
      })
  )

  it("give a client no more than its team and all clients have, and no other client's units", () => {
    const { all } = make({
      ...defaults,
      clients: [testClient("web", "web", { dailyQuota: 5 }), testClient("lab", "lab")],
      teams: [{ name: "front", clients: ["web"], dailyQuota: null, monthlyQuota: { soft: 7, hard: 9 } }],
      quotas: { ...defaults.quotas, monthlyQuota: 20, billingDay: 3 }
    })
    expect(all.map(({ budgets }) => budgets.map(({ account, warnAt }) => [account, warnAt]))).toEqual([
      [["client:web", -1], ["team:front:month-3", 2], ["all:month-3", -1]],
      [["all:month-3", -1]]
    ])
  })
})
