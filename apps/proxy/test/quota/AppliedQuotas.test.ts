/** Laws of quotas per day and month: of clients, of teams, and of all clients together. */
import * as SteadyClock from "@blockquarry/http/gateway/SteadyClock"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
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

/** What the configuration says of the quotas of a client, in the order in which they apply. */
const expectedQuotas = (
  { clients, quotas, teams }: Pick<Config, "clients" | "quotas" | "teams">,
  name: string
) => {
  const team = teams.find(({ clients }) => clients.includes(name))
  return [
    { owner: name, of: "", limits: clients.find((client) => client.name === name) },
    { owner: "front", of: " of team front", limits: team },
    { owner: "all", of: " of all clients", limits: quotas }
  ].flatMap(({ limits, of, owner }) =>
    [
      {
        key: `${owner} day`,
        limit: limits?.dailyQuota ?? null,
        message: `daily quota${of} exceeded; it resets at midnight UTC`
      },
      {
        key: `${owner} month`,
        limit: limits?.monthlyQuota ?? null,
        message:
          `monthly quota${of} exceeded; it resets on day ${quotas.billingDay} of the month at midnight UTC`
      }
    ].flatMap(({ limit, ...quota }) => {
      if (limit === null) return []
      const { hard, soft } = typeof limit === "number"
        ? { hard: limit, soft: undefined }
        : { hard: undefined, ...limit }
      return [{ ...quota, hard, soft }]
    })
  )
}

const find = (all: ReadonlyArray<AuthenticatedClient>, name: string): AuthenticatedClient => {
  const client = all.find((client) => client.name === name)
  if (client === undefined) throw new Error(`no client ${name}`)
  return client
}

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
          const expected = expectedQuotas(config, name).map((quota) => ({
            ...quota,
            id: `${quota.key} ${windowOf(quota.key, now, config.quotas.billingDay)}`
          }))
          const usedOf = (id: string) => consumed.get(id) ?? 0
          const exceeded = expected.find(({ hard, id }) =>
            hard !== undefined && price > Math.max(0, hard - usedOf(id))
          )
          const acquired = yield* Effect.either(
            Effect.uninterruptible(quotas.acquire(find(all, name), { price, rateCost: 1 }, now, undefined))
          )
          expect(acquired._tag).toBe(exceeded === undefined ? "Right" : "Left")
          if (acquired._tag === "Left") {
            expect(acquired.left).toMatchObject({ code: "client-quota-exceeded", message: exceeded?.message })
            continue
          }
          for (const { id } of expected) consumed.set(id, usedOf(id) + price)
          expect(acquired.right.quotas.map(({ rejects, remaining, warns }) => [rejects, remaining, warns]))
            .toEqual(
              expected.map(({ hard, id, soft }) => [
                hard !== undefined,
                Math.max(0, (hard ?? soft ?? 0) - usedOf(id)),
                soft !== undefined && usedOf(id) >= soft
              ])
            )
          const settled = result === "refunded" ? price : price - result
          if (result === "refunded") yield* acquired.right.refund
          else acquired.right.correct(settled)
          for (const { id } of expected) consumed.set(id, Math.max(0, usedOf(id) - settled))
        }
      })
  )
})
