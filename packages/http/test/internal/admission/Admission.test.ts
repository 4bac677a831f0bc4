/** Tests the laws of the decision alone, with a simulated store, upstream and clock. */
import { LocalLimitError } from "@blockquarry/core/OperationError"
import { defaults } from "@blockquarry/http/ApiOptions"
import * as RateLimit from "@blockquarry/http/RateLimit"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Redacted from "effect/Redacted"
import {
  AdmissionState,
  type Answer,
  type Attempt,
  decide,
  leave,
  recheck,
  type RejectReason,
  setOutcome
} from "../../../src/internal/admission/Admission.ts"
import type { AttemptHealth, CallKey } from "../../../src/internal/call/Call.ts"
import * as Gcra from "../../../src/internal/stores/Gcra.ts"

const baseUrl = "https://host.test"

interface KeyOptions {
  readonly limit: number
  readonly burst: number
  readonly cost: number
  readonly quota: number
}

const breaker = { ...defaults.breaker, minimum: 3, openDuration: 50, maxOpenDuration: 200, window: 1000 }

/** A call, what its attempt gets, and how it ended. */
interface Case {
  readonly client: number
  readonly keys: number
  /** A patient attempt has no deadline. */
  readonly patience: number
  readonly duration: number
  readonly health: Exclude<AttemptHealth, "not-sent">
  readonly isStoreAvailable: boolean
}

interface Tracked {
  readonly attempt: Attempt
  readonly given: Case
  status: "asking" | "waiting" | "sent" | "ended"
  /** Rejections and, at the end, whether it was sent or interrupted. */
  readonly outcomes: Array<RejectReason | "sent" | "interrupted">
  resumes: number
}

interface Sent {
  readonly tracked: Tracked
  readonly key: CallKey
  readonly at: number
  readonly grantedAt: number
  readonly isTrial: boolean
}

/** Does what the stage does, with a store that takes `latency`. */
class World {
  now = 0
  readonly state = new AdmissionState()
  readonly all: Array<Tracked> = []
  readonly sent: Array<Sent> = []
  readonly granted = new Map<Tracked, number>()
  readonly cooldowns: Array<{ readonly key: string; readonly from: number; readonly until: number }> = []
  readonly units = { granted: 0, sent: 0, returned: 0 }
  readonly replacedAt = new Map<string, number>()
  private readonly limits = new Map<string, Gcra.GcraState>()
  private readonly consumed = new Map<string, number>()
  private readonly events: Array<{ readonly at: number; readonly run: () => void }> = []
  readonly keys: ReadonlyArray<CallKey>
  readonly slots: number
  readonly share: number
  readonly latency: number

  constructor(keys: ReadonlyArray<KeyOptions>, slots: number, share: number, latency: number) {
    this.slots = slots
    this.share = share
    this.latency = latency
    this.keys = keys.map((options, index) => this.keyOf(`key ${index}`, options))
  }

  private keyOf(id: string, { burst, cost, limit, quota }: KeyOptions): CallKey {
    const rateLimit = RateLimit.make({ limit, window: "1 second", burst, cost, price: 1, dailyQuota: quota })
    return {
      apiUrl: baseUrl,
      baseUrl,
      apiKey: Redacted.make(id),
      id,
      quotaId: id,
      label: id,
      setting: "apiKey",
      rateLimit,
      cost,
      price: { price: 1, per: undefined },
      rule: { limit, window: 1000, burst, maxCost: cost },
      maxWait: Number.POSITIVE_INFINITY,
      accounts: [{ id, quota: { limit: quota, period: Duration.toMillis("1 day") } }],
      isReplaced: () => this.replacedAt.has(id)
    }
  }

  start(given: Case): void {
    const keys = this.keys.filter(({ id }) => !this.replacedAt.has(id))
    const [first = keys[0]!, ...others] = keys.filter((_, index) => (given.keys >> index) % 2 === 1)
    const call: Attempt["call"] = {
      client: { name: `client ${given.client}`, weight: 1 + given.client, share: this.share },
      deadline: this.now + given.patience,
      keyPool: {
        apiUrl: baseUrl,
        baseUrl,
        setting: "baseUrl",
        id: "pool",
        keys: [first],
        uncacheable: [],
        tenant: null
      },
      keys: [first, ...others],
      policies: { ...defaults, breaker, concurrency: { limit: this.slots, maxQueue: 1000 } }
    }
    const tracked: Tracked = {
      attempt: this.state.begin(call),
      given,
      status: "waiting",
      outcomes: [],
      resumes: 0
    }
    this.all.push(tracked)
    this.advance(tracked)
  }

  /** Carries out one decision. */
  private advance(tracked: Tracked): void {
    const { attempt, given } = tracked
    const resume = tracked.resumes += 1
    const decision = decide(this.state, attempt, this.now)
    switch (decision._tag) {
      case "Go": {
        expect(attempt.hasSlot).toBe(true)
        const { grant } = decision
        if (grant === null) {
          tracked.status = "asking"
          this.after(this.latency, () => {
            attempt.answer = this.answer(tracked)
            this.advance(tracked)
          })
          break
        }
        tracked.status = "sent"
        tracked.outcomes.push("sent")
        this.units.sent += attempt.cost
        this.sent.push({
          tracked,
          key: attempt.key,
          at: this.now,
          grantedAt: this.granted.get(tracked) ?? Number.NaN,
          isTrial: grant.permit.trial
        })
        this.after(given.duration, () => tracked.status === "sent" && this.end(tracked, given.health))
        break
      }
      case "Wait": {
        expect(decision.until).toBeGreaterThan(this.now)
        tracked.status = "waiting"
        const continues = () =>
          tracked.status === "waiting" && tracked.resumes === resume && this.advance(tracked)
        attempt.wake = () => this.after(0, continues)
        if (decision.until < Number.POSITIVE_INFINITY) this.after(decision.until - this.now, continues)
        break
      }
      case "Reject": {
        tracked.outcomes.push(decision.reason)
        if (decision.reason === "no_key") {
          tracked.status = "ended"
          break
        }
        const { grant, key } = attempt
        if (grant !== null) {
          this.units.returned += attempt.cost
          this.update(key, (state) => Gcra.release(state, this.now, key.rule, key.cost, this.latency)[0])
          if (grant.permit.trial) this.update(key, (state) => Gcra.settleTrial(state, this.now, false))
          const consumed = typeof grant.consumption === "object" && grant.consumption?._tag === "Consumed"
          if (consumed) this.consumed.set(key.id, (this.consumed.get(key.id) ?? 0) - 1)
        }
        leave(attempt)
        setOutcome(attempt, "failed")
        attempt.best = limited
        tracked.status = "ended"
        if (attempt.call.keys.length === 1 || ["circuit", "unavailable"].includes(decision.reason)) break
        this.advance(tracked)
      }
    }
    this.check()
  }

  /** Interrupts an attempt that waits, or whose request is in flight. */
  interrupt(tracked: Tracked | undefined): void {
    if (tracked === undefined) return
    if (tracked.status === "sent") this.end(tracked, "unknown")
    if (tracked.status !== "waiting") return
    tracked.outcomes.push("interrupted")
    tracked.status = "ended"
    leave(tracked.attempt)
    this.check()
  }

  private end(tracked: Tracked, health: AttemptHealth): void {
    const { attempt, attempt: { circuit, grant, key, startedIn } } = tracked
    tracked.status = "ended"
    circuit.record(this.now, health, startedIn!, attempt.call.policies.breaker)
    if (health === "throttled") {
      this.update(key, (state) => Gcra.startCooldown(state, this.now, 100))
      this.cooldowns.push({ key: key.id, from: this.now, until: this.now + 100 })
      recheck(attempt)
    } else if (grant?.permit.trial === true) {
      this.update(key, (state) => Gcra.settleTrial(state, this.now, health === "healthy"))
    }
    leave(attempt)
    this.check()
  }

  private answer(tracked: Tracked): Answer {
    const { attempt: { cost, key }, given } = tracked
    if (!given.isStoreAvailable) return { permit: null, consumption: null }
    const state = this.limits.get(key.id) ?? Gcra.initialState(this.now)
    const [next, permit] = Gcra.acquire(state, this.now, key.rule, cost, Gcra.maxTrialLease)
    this.limits.set(key.id, next)
    if (permit._tag === "Delayed") return { permit, consumption: "none" }
    this.units.granted += cost
    this.granted.set(tracked, this.now)
    const consumed = this.consumed.get(key.id) ?? 0
    if (consumed >= key.rateLimit.dailyQuota!) {
      return { permit, consumption: { _tag: "QuotaExceeded", remaining: [0], exceeded: 0, millis: 1e6 } }
    }
    this.consumed.set(key.id, consumed + 1)
    return { permit, consumption: { _tag: "Consumed", remaining: [] } }
  }

  private update(key: CallKey, transition: (state: Gcra.GcraState) => Gcra.GcraState): void {
    this.limits.set(key.id, transition(this.limits.get(key.id) ?? Gcra.initialState(this.now)))
  }

  private after(millis: number, run: () => void): void {
    this.events.push({ at: this.now + millis, run })
  }

  /** Lets time pass. */
  pass(millis: number): void {
    const end = this.now + millis
    for (;;) {
      const at = Math.min(...this.events.map((event) => event.at))
      if (at > end) break
      this.now = Math.max(this.now, at)
      const index = this.events.findIndex((event) => event.at === at)
      for (const { run } of this.events.splice(index, 1)) run()
    }
    this.now = end
  }

  /** Slots never exceed the limit or a share, and at most one request is the trial of a circuit breaker. */
  private check(): void {
    const holding = this.all.filter(({ attempt }) => attempt.hasSlot)
    expect(holding.length).toBeLessThanOrEqual(this.slots)
    for (const client of [0, 1, 2]) {
      const own = holding.filter(({ given }) => given.client === client)
      expect(own.length).toBeLessThanOrEqual(Math.max(1, Math.floor(this.share * this.slots)))
      const { circuit } = own[0]?.attempt ?? {}
      const trials = own.filter(({ attempt: { startedIn }, status }) =>
        status === "sent" && startedIn?._tag === "HalfOpen"
      )
      if (circuit?.tag === "HalfOpen") expect(trials.length).toBe(1)
    }
  }
}

const limited = Either.left({
  error: new LocalLimitError({
    operation: "tokenPrice",
    request: { method: "GET", path: "/" },
    limit: "rate",
    retryAfter: null
  }),
  retryHint: null,
  health: "not-sent" as const
})

const patient = Number.POSITIVE_INFINITY

const cases: FastCheck.Arbitrary<Case> = FastCheck.record({
  client: FastCheck.nat(2),
  keys: FastCheck.integer({ min: 1, max: 7 }),
  patience: FastCheck.constantFrom(patient, patient, 10, 300, 1000),
  duration: FastCheck.nat(200),
  health: FastCheck.constantFrom("healthy", "healthy", "healthy", "unhealthy", "throttled", "unknown"),
  isStoreAvailable: FastCheck.integer({ min: 0, max: 20 }).map((number) => number > 0)
})

const example: Case = {
  client: 0,
  keys: 1,
  patience: patient,
  duration: 20,
  health: "healthy",
  isStoreAvailable: true
}

type Step = ((world: World) => void) | { readonly start: Case }

const steps: FastCheck.Arbitrary<ReadonlyArray<Step>> = FastCheck.array(
  FastCheck.oneof(
    { weight: 8, arbitrary: cases.map((start) => ({ start })) },
    {
      weight: 3,
      arbitrary: FastCheck.oneof(FastCheck.nat(20), FastCheck.nat(400)).map((millis) => (world: World) =>
        world.pass(millis)
      )
    },
    {
      weight: 2,
      arbitrary: FastCheck.nat().map((index) => (world: World) =>
        world.interrupt(world.all[index % Math.max(1, world.all.length)])
      )
    },
    {
      weight: 1,
      arbitrary: FastCheck.nat(2).map((index) => (world: World) => {
        // At least one key stays.
        const id = `key ${index}`
        if (index < world.keys.length - 1 && !world.replacedAt.has(id)) world.replacedAt.set(id, world.now)
      })
    }
  ),
  { minLength: 1, maxLength: 40 }
)

const keyOptions = FastCheck.record({
  limit: FastCheck.integer({ min: 5, max: 100 }),
  burst: FastCheck.integer({ min: 1, max: 10 }),
  cost: FastCheck.integer({ min: 1, max: 3 }),
  quota: FastCheck.constantFrom(1, 1000, 1000)
})

const scenarios = FastCheck.record({
  keys: FastCheck.array(keyOptions, { minLength: 1, maxLength: 3 }),
  slots: FastCheck.integer({ min: 1, max: 8 }),
  share: FastCheck.constantFrom(0.25, 0.5, 1),
  latency: FastCheck.constantFrom(0, 20),
  steps
})

describe("decide", () => {
  it("holds its laws with any calls, interruptions, failures and replaced keys", () => {
    FastCheck.assert(FastCheck.property(scenarios, ({ keys, latency, share, slots, steps }) => {
      const world = new World(keys, slots, share, latency)
      for (const step of steps) {
        if (typeof step === "function") step(world)
        else world.start(step.start)
      }
      world.pass(1e6)
      // No starvation: every attempt ends.
      expect(world.all.filter(({ status }) => status !== "ended")).toEqual([])
      // No unit, slot or place is lost.
      expect(world.units.granted).toBe(world.units.sent + world.units.returned)
      for (const { attempt: { queue } } of world.all) {
        expect([queue.slots.used, queue.lanes.size]).toEqual([0, 0])
      }
      for (const { given, outcomes } of world.all) {
        const last = outcomes.filter((outcome) => outcome !== "no_key")
        // The deadlines of others, and waits, never fail a patient attempt.
        if (given.patience === patient) {
          for (const outcome of last) {
            expect(["sent", "interrupted", "circuit", "unavailable", "daily", "key_replaced"]).toContain(
              outcome
            )
          }
          // Only if its key was replaced.
          if (last.includes("key_replaced")) expect(world.replacedAt.size).toBeGreaterThan(0)
        }
      }
      for (const { at, grantedAt, isTrial, key, tracked } of world.sent) {
        // A permit that was requested in time may arrive later, that of each key.
        const { deadline, keys } = tracked.attempt.call
        expect(at).toBeLessThanOrEqual(deadline + latency * keys.length)
        expect(at).toBeLessThanOrEqual((world.replacedAt.get(key.id) ?? patient) + latency)
        // A 429 pauses the key. Then one request is the trial.
        for (const { from, key: id, until } of world.cooldowns) {
          if (id === key.id) expect(grantedAt > from && grantedAt < until).toBe(false)
        }
        if (!isTrial) continue
        const { duration } = tracked.given
        const during = world.sent.filter((other) =>
          other.key === key && other.grantedAt > grantedAt && other.grantedAt < at + duration
        )
        if (!tracked.outcomes.includes("interrupted")) expect(during).toEqual([])
      }
    }))
  })

  it("continues with another key if one is exhausted, and the next is replaced in the meantime", () => {
    const key = { limit: 10, burst: 1, cost: 1, quota: 1000 }
    const world = new World([{ ...key, quota: 0 }, key, key], 1, 1, 20)
    world.start({ ...example, keys: 7 })
    world.replacedAt.set("key 1", 0)
    world.pass(1000)
    expect(world.all.map(({ outcomes }) => outcomes)).toEqual([["daily", "key_replaced", "sent"]])
    expect(world.sent.map(({ key }) => key.id)).toEqual(["key 2"])
  })

  it("serves waiting clients in proportion to their weights", () => {
    const loads = FastCheck.record({
      limit: FastCheck.constantFrom(20, Number.POSITIVE_INFINITY),
      slots: FastCheck.integer({ min: 1, max: 4 }),
      latency: FastCheck.constantFrom(0, 20),
      order: FastCheck.shuffledSubarray(Array.from({ length: 60 }, (_, index) => index % 3), {
        minLength: 60
      })
    })
    FastCheck.assert(FastCheck.property(loads, ({ latency, limit, order, slots }) => {
      const world = new World([{ limit, burst: 1, cost: 1, quota: 1000 }], slots, 1, latency)
      for (const client of order) world.start({ ...example, client })
      world.pass(1e6)
      const served = [0, 0, 0]
      for (const { tracked: { given: { client } } } of world.sent) {
        served[client]! += 1
        const perWeight = served.map((count, index) => count / (1 + index))
        expect(Math.max(...perWeight) - Math.min(...perWeight)).toBeLessThanOrEqual(2 + slots)
        if (served.includes(20)) break
      }
      expect(world.sent.length).toBe(60)
    }))
  })
})
