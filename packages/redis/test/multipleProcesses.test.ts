/** Two processes of the operating system over one Redis: what one does, the other keeps to. */
import type { Quota, RateLimitRule } from "@blockquarry/http/RateLimitStore"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Scope from "effect/Scope"
import * as Inspector from "./support/Inspector.ts"
import * as ProcessGroup from "./support/ProcessGroup.ts"
import * as RedisServer from "./support/RedisServer.ts"
import { until } from "./support/WaitUntil.ts"

const now = (): number => Number(process.hrtime.bigint()) / 1e6

let program = ""

const twoMembers = Effect.gen(function*() {
  const server = yield* RedisServer.make()
  const [one, other] = yield* Effect.all([
    ProcessGroup.member(program, server.url),
    ProcessGroup.member(program, server.url)
  ], { concurrency: 2 })
  return { one, other, server }
})

/** The most grants that lie within a window, each from before it was asked for until after it was there. */
const maxInWindow = (grants: ReadonlyArray<ProcessGroup.PermitInterval>, window: number): number =>
  Math.max(
    0,
    ...grants.map(([from]) =>
      grants.filter(([before, after]) => before >= from && after <= from + window).length
    )
  )

const duration = 3000

const loads: FastCheck.Arbitrary<Omit<ProcessGroup.Load, "budget">> = FastCheck.record({
  perSecond: FastCheck.oneof(
    FastCheck.integer({ min: 2, max: 300 }),
    FastCheck.double({ min: 2, max: 300, noNaN: true })
  ),
  window: FastCheck.constantFrom(100, 300, 333, 700, 1000, 1e3 / 3),
  part: FastCheck.double({ min: 0, max: 1, noNaN: true }),
  cost: FastCheck.constantFrom(1, 1, 2, 3)
}).map(({ cost, part, perSecond, window }) => {
  const limit = perSecond * window / 1000
  const rule: RateLimitRule = { limit, window, burst: Math.max(cost, limit * part) }
  return { rule, cost, fibers: 2 }
})

describe.skipIf(RedisServer.program === undefined)(`a fleet${RedisServer.skipReason}`, () => {
  const built = Effect.runSync(Scope.make())
  beforeAll(async () => {
    program = await Effect.runPromise(Scope.extend(ProcessGroup.build, built))
  })

  afterAll(() => Effect.runPromise(Scope.close(built, Exit.void)))

  it.scopedLive(
    "keeps any limit in every window, and uses nine tenths of it at least",
    () =>
      Effect.gen(function*() {
        const { one, other } = yield* twoMembers
        const random = FastCheck.sample(loads, 16).map((load, index): ProcessGroup.Load => ({
          budget: `budget ${index}`,
          ...load
        }))
        // So much of a burst is there that nobody who is late on a busy machine leaves anything unused.
        const steady: ProcessGroup.Load = {
          budget: "steady",
          rule: { limit: 400, window: 1000, burst: 200 },
          cost: 1,
          fibers: 8
        }
        const all = [steady, ...random]
        const begun = now()
        const [ones, others] = yield* Effect.all(
          [one, other].map((member) => member.send({ do: "saturate", loads: all, until: begun + duration })),
          { concurrency: 2 }
        )
        for (const [index, { budget, cost, rule }] of all.entries()) {
          const ownGrants = ones?.[index] ?? []
          const otherGrants = others?.[index] ?? []
          const grants = [...ownGrants, ...otherGrants]
          expect(
            maxInWindow(grants, rule.window) * cost,
            `${budget}: ${JSON.stringify(rule)}, cost ${cost}`
            // The clock that is set by the network may run that much faster than the one that is not.
          ).toBeLessThanOrEqual(rule.limit * 1.001 + rule.burst + 1e-3)
          const possible = rule.limit / rule.window * duration + rule.burst
          if (budget !== "steady") continue
          expect(grants.length).toBeGreaterThanOrEqual(0.9 * possible)
          // Neither is left behind
          expect(Math.min(ownGrants.length, otherGrants.length)).toBeGreaterThan(0.1 * possible)
        }
      }),
    30_000
  )

  it.scopedLive(
    "waits together after a 429, sends one probe, and goes on when that has passed",
    () =>
      Effect.gen(function*() {
        const { one, other } = yield* twoMembers
        const rule: RateLimitRule = { limit: 1e6, window: 1000, burst: 1000 }
        const acquire = { do: "acquire", budget: "budget", rule, lease: 60_000 } as const
        const both = Effect.all([one.send(acquire), other.send(acquire)], { concurrency: 2 })
        const paused = { _tag: "Delayed", reason: "cooldown" }
        expect(yield* both).toMatchObject([{ _tag: "Granted", probe: false }, {
          _tag: "Granted",
          probe: false
        }])

        yield* one.send({ do: "cooldown", budget: "budget", millis: 1000 })
        const begun = now()
        expect(yield* both).toMatchObject([paused, paused])
        // One of the two is told to try
        const [first, second] = yield* Effect.gen(function*() {
          let permits = yield* both
          yield* until(Effect.map(both, (next) => {
            permits = next
            return permits.some(({ _tag }) => _tag === "Granted")
          }))
          return permits
        })
        expect(now() - begun).toBeGreaterThan(500)
        expect([first, second]).toEqual(expect.arrayContaining([
          expect.objectContaining({ _tag: "Granted", probe: true }),
          expect.objectContaining(paused)
        ]))
        // The others go on waiting, whoever asks
        expect(yield* both).toMatchObject([paused, paused])

        // It was refused again: now the pause is longer, for both
        yield* other.send({ do: "cooldown", budget: "budget", millis: null })
        const longer = yield* both
        for (const permit of longer) {
          expect(permit).toMatchObject(paused)
          expect(permit._tag === "Delayed" ? permit.millis : 0).toBeGreaterThan(1000)
        }
        yield* until(Effect.map(one.send(acquire), ({ _tag }) => _tag === "Granted"))
        expect(yield* both).toMatchObject([paused, paused])
        yield* one.send({ do: "settle", budget: "budget", passed: true })
        expect(yield* both).toMatchObject([{ _tag: "Granted", probe: false }, {
          _tag: "Granted",
          probe: false
        }])
      }),
    20_000
  )

  it.scopedLive(
    "spends all of a limit and no more, both together",
    () =>
      Effect.gen(function*() {
        const { one, other, server } = yield* twoMembers
        const inspector = yield* Inspector.make(server)
        const spend = (account: string, cap: Quota, costs: ReadonlyArray<number>) =>
          Effect.all(
            [one, other].map((member) => member.send({ do: "consume", account, quota: cap, costs })),
            { concurrency: 2 }
          )
        const left = (account: string, cap: Quota) =>
          Effect.map(one.send({ do: "peek", account, quota: cap }), ({ remaining: left }) => left)
        const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((sum, number) => sum + number, 0)

        // A window that does not end while this test runs
        const year = { limit: 3000, period: 365 * 24 * 3600 * 1000 }
        const ones = yield* spend("ones", year, Array.from({ length: 2500 }, () => 1))
        expect(sum(ones)).toBe(3000)
        // Neither is left behind
        expect(Math.min(...ones)).toBeGreaterThan(300)
        expect(yield* left("ones", year)).toBe(0)

        const several = yield* spend(
          "several",
          year,
          Array.from({ length: 1500 }, (_, index) => 1 + index % 7)
        )
        expect(sum(several) + (yield* left("several", year))).toBe(3000)
        // There was always someone who could use the last unit
        expect(sum(several)).toBe(3000)

        // Many windows that do, by the clock of the server
        const short = { limit: 30, period: 50 }
        const begun = yield* inspector.time
        const granted = yield* spend("short", short, Array.from({ length: 5000 }, () => 1))
        const ended = yield* inspector.time
        const windows = Math.floor(ended / short.period) - Math.floor(begun / short.period) + 1
        expect(sum(granted)).toBeLessThanOrEqual(windows * short.limit)
        expect(sum(granted)).toBeGreaterThan(short.limit)
      }),
    30_000
  )

  it.scopedLive("ends at once and by itself, whatever Redis is doing", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<
        readonly [string, (server: RedisServer.RedisServer) => Effect.Effect<void>]
      > = [
        ["at work", () => Effect.void],
        ["stopped", ({ stop }) => stop],
        ["paused", ({ pause }) => pause]
      ]
      yield* Effect.forEach(cases, ([state, bring]) =>
        Effect.gen(function*() {
          const server = yield* RedisServer.make()
          const member = yield* ProcessGroup.member(program, server.url)
          const rule: RateLimitRule = { limit: 10, window: 1000, burst: 10 }
          const acquire = { do: "acquire", budget: "budget", rule, lease: 1000, withFallback: true } as const
          yield* member.send(acquire)
          yield* bring(server)
          yield* member.send(acquire)
          yield* member.send({ do: "close" })
          const begun = now()
          const [code, written] = yield* member.exited
          expect([state, code]).toEqual([state, 0])
          expect(written).not.toContain("rror")
          expect(now() - begun, state).toBeLessThan(5000)
        }), { concurrency: 3 })
    }), 20_000)
})
