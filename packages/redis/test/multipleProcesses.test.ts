/** Tests two operating system processes that share a Redis server. */
import type { Quota, RateLimitRule } from "@blockquarry/http/RateLimitStore"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Scope from "effect/Scope"
import { isFull } from "../../core/test/support/sample.ts"
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

/** The most permits within one window. Each counts from before its request until after its reply. */
const maxInWindow = (permits: ReadonlyArray<ProcessGroup.PermitInterval>, window: number): number =>
  Math.max(
    0,
    ...permits.map(([from]) =>
      permits.filter(([before, after]) => before >= from && after <= from + window).length
    )
  )

const duration = isFull ? 3000 : 1500

const loads: FastCheck.Arbitrary<Omit<ProcessGroup.Load, "id">> = FastCheck.record({
  perSecond: FastCheck.oneof(
    FastCheck.integer({ min: 2, max: 300 }),
    FastCheck.double({ min: 2, max: 300, noNaN: true })
  ),
  window: FastCheck.constantFrom(100, 300, 333, 700, 1000, 1e3 / 3),
  burstShare: FastCheck.double({ min: 0, max: 1, noNaN: true }),
  cost: FastCheck.constantFrom(1, 1, 2, 3)
}).map(({ burstShare, cost, perSecond, window }) => {
  const limit = perSecond * window / 1000
  const rule: RateLimitRule = { limit, window, burst: Math.max(cost, limit * burstShare) }
  return { rule, cost, fibers: 2 }
})

describe.skipIf(RedisServer.program === undefined)(`a fleet${RedisServer.skipReason}`, () => {
  const scope = Effect.runSync(Scope.make())
  beforeAll(async () => {
    program = await Effect.runPromise(Scope.extend(ProcessGroup.build, scope))
  })

  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  it.scopedLive(
    "never exceeds a rate limit in any window, and uses at least 90% of it",
    () =>
      Effect.gen(function*() {
        const { one, other } = yield* twoMembers
        const random = FastCheck.sample(loads, 16).map((load, index): ProcessGroup.Load => ({
          id: `random ${index}`,
          ...load
        }))
        // The burst is large enough to make up for delays of a busy machine.
        const steady: ProcessGroup.Load = {
          id: "steady",
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
        for (const [index, { id, cost, rule }] of all.entries()) {
          const ownPermits = ones?.[index] ?? []
          const otherPermits = others?.[index] ?? []
          const permits = [...ownPermits, ...otherPermits]
          expect(
            maxInWindow(permits, rule.window) * cost,
            `${id}: ${JSON.stringify(rule)}, cost ${cost}`
            // NTP may speed up the server's clock by that much, compared to the monotonic clock.
          ).toBeLessThanOrEqual(rule.limit * 1.001 + rule.burst + 1e-3)
          const possible = rule.limit / rule.window * duration + rule.burst
          if (id !== "steady") continue
          expect(permits.length).toBeGreaterThanOrEqual(0.9 * possible)
          // Both processes get a share
          expect(Math.min(ownPermits.length, otherPermits.length)).toBeGreaterThan(0.1 * possible)
        }
      })
  )

  it.scopedLive(
    "starts one cooldown after a 429, sends one trial, and resumes when the trial succeeds",
    () =>
      Effect.gen(function*() {
        const { one, other } = yield* twoMembers
        const rule: RateLimitRule = { limit: 1e6, window: 1000, burst: 1000 }
        const acquire = { do: "acquire", id: "key", rule, lease: 60_000 } as const
        const both = Effect.all([one.send(acquire), other.send(acquire)], { concurrency: 2 })
        const delayed = { _tag: "Delayed", reason: "cooldown" }
        expect(yield* both).toMatchObject([{ _tag: "Granted", trial: false }, {
          _tag: "Granted",
          trial: false
        }])

        yield* one.send({ do: "cooldown", id: "key", millis: 1000 })
        const begun = now()
        expect(yield* both).toMatchObject([delayed, delayed])
        // One of the two becomes the trial
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
          expect.objectContaining({ _tag: "Granted", trial: true }),
          expect.objectContaining(delayed)
        ]))
        // Every other request is delayed until the trial is settled
        expect(yield* both).toMatchObject([delayed, delayed])

        // The trial gets a 429: the next cooldown is longer, for both processes
        yield* other.send({ do: "cooldown", id: "key", millis: null })
        const longer = yield* both
        for (const permit of longer) {
          expect(permit).toMatchObject(delayed)
          expect(permit._tag === "Delayed" ? permit.millis : 0).toBeGreaterThan(1000)
        }
        yield* until(Effect.map(one.send(acquire), ({ _tag }) => _tag === "Granted"))
        expect(yield* both).toMatchObject([delayed, delayed])
        yield* one.send({ do: "settle", id: "key", succeeded: true })
        expect(yield* both).toMatchObject([{ _tag: "Granted", trial: false }, {
          _tag: "Granted",
          trial: false
        }])
      })
  )

  it.scopedLive(
    "consumes exactly the quota, across both processes",
    () =>
      Effect.gen(function*() {
        const { one, other, server } = yield* twoMembers
        const inspector = yield* Inspector.make(server)
        const consume = (id: string, quota: Quota, costs: ReadonlyArray<number>) =>
          Effect.all(
            [one, other].map((member) => member.send({ do: "consume", id, quota, costs })),
            { concurrency: 2 }
          )
        const remaining = (id: string, quota: Quota) =>
          Effect.map(one.send({ do: "peek", id, quota }), (reply) => reply.remaining)
        const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((sum, number) => sum + number, 0)

        // A window that does not end while this test runs
        const year = { limit: 3000, period: 365 * 24 * 3600 * 1000 }
        const ones = yield* consume("ones", year, Array.from({ length: 2500 }, () => 1))
        expect(sum(ones)).toBe(3000)
        // Both processes get a share
        expect(Math.min(...ones)).toBeGreaterThan(300)
        expect(yield* remaining("ones", year)).toBe(0)

        const mixed = yield* consume(
          "mixed",
          year,
          Array.from({ length: 1500 }, (_, index) => 1 + index % 7)
        )
        expect(sum(mixed) + (yield* remaining("mixed", year))).toBe(3000)
        // Requests of one unit use up the rest
        expect(sum(mixed)).toBe(3000)

        // Many windows that end during the test, by the server's clock
        const short = { limit: 30, period: 50 }
        const begun = yield* inspector.time
        const consumed = yield* consume("short", short, Array.from({ length: 5000 }, () => 1))
        const ended = yield* inspector.time
        const windows = Math.floor(ended / short.period) - Math.floor(begun / short.period) + 1
        expect(sum(consumed)).toBeLessThanOrEqual(windows * short.limit)
        expect(sum(consumed)).toBeGreaterThan(short.limit)
      })
  )

  it.scopedLive("exits promptly without a forced exit, in any state of Redis", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<
        readonly [string, (server: RedisServer.RedisServer) => Effect.Effect<void>]
      > = [
        ["running", () => Effect.void],
        ["stopped", ({ stop }) => stop],
        ["paused", ({ pause }) => pause]
      ]
      yield* Effect.forEach(cases, ([state, prepare]) =>
        Effect.gen(function*() {
          const server = yield* RedisServer.make()
          const member = yield* ProcessGroup.member(program, server.url)
          const rule: RateLimitRule = { limit: 10, window: 1000, burst: 10 }
          const acquire = { do: "acquire", id: "key", rule, lease: 1000, withFallback: true } as const
          yield* member.send(acquire)
          yield* prepare(server)
          yield* member.send(acquire)
          yield* member.send({ do: "close" })
          const begun = now()
          const [code, output] = yield* member.exited
          expect([state, code]).toEqual([state, 0])
          expect(output).not.toContain("rror")
          expect(now() - begun, state).toBeLessThan(5000)
        }), { concurrency: 3 })
    }))
})
