/** Tests circuit breakers: their states, compared with a model, and which results open them. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as CallOptions from "@blockquarry/http/CallOptions"
import type { CircuitBreaker } from "@blockquarry/http/CircuitBreaker"
import * as Breaker from "@blockquarry/http/CircuitBreaker"
import * as RateLimit from "@blockquarry/http/RateLimit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { CurrentClient } from "../../../src/CallClient.ts"
import { Circuit } from "../../../src/internal/breaker/CircuitBreakerStage.ts"
import { cachingOptions } from "../../support/CacheFixtures.ts"
import { breaker, circuitOpenError, failCalls, failingReply, options } from "../../support/CircuitFixtures.ts"
import { failureOf, failureOfFinished, immediateFailureOf } from "../../support/Failures.ts"
import { callNumberOf, fetchPrice, forkPrices, indices, priceReply } from "../../support/PriceCalls.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"
import { runPendingWork, whileTimePasses } from "../../support/TestTime.ts"

type Health = "healthy" | "unhealthy" | "unknown"

const health = FastCheck.oneof(
  { weight: 4, arbitrary: FastCheck.constant<Health>("unhealthy") },
  { weight: 4, arbitrary: FastCheck.constant<Health>("healthy") },
  { weight: 1, arbitrary: FastCheck.constant<Health>("unknown") }
)

const policies = FastCheck.record({
  threshold: FastCheck.constantFrom(0.1, 0.5, 0.8, 1),
  minimum: FastCheck.integer({ min: 1, max: 6 }),
  window: FastCheck.constant(1000),
  openDuration: FastCheck.constantFrom(20, 50, 300),
  maxOpenDuration: FastCheck.constantFrom(10, 50, 700, 1e6)
})

const events = FastCheck.array(
  FastCheck.record({
    gap: FastCheck.oneof({ weight: 3, arbitrary: FastCheck.nat(40) }, {
      weight: 1,
      arbitrary: FastCheck.nat(1500)
    }),
    /** Duration of the attempt. */
    duration: FastCheck.oneof(FastCheck.constant(0), FastCheck.nat(900)),
    health
  }),
  { minLength: 20, maxLength: 80 }
)

/** Computes the expected state from the whole history. */
class Model {
  openUntil: number | null = null
  trying = false
  rejections = 0
  /** Number of state changes. */
  changes = 0
  results: Array<{ readonly bucket: number; readonly health: Health }> = []
  readonly policy: Record<"threshold" | "minimum" | "window" | "openDuration" | "maxOpenDuration", number>

  constructor(policy: Model["policy"]) {
    this.policy = policy
  }

  decide(now: number): "admit" | "trial" | "reject" {
    if (this.openUntil === null) return "admit"
    return this.trying || now < this.openUntil ? "reject" : "trial"
  }

  /** Starts a trial, and returns the number of state changes at which an attempt starts. */
  admit(trial: boolean): number {
    if (trial) {
      this.trying = true
      this.changes += 1
    }
    return this.changes
  }

  record(now: number, health: Health, changes: number): void {
    // The state has changed since the attempt started.
    if (changes !== this.changes) return
    if (this.trying) {
      this.trying = false
      this.results = []
      this.changes += 1
      if (health === "healthy") {
        this.openUntil = null
        this.rejections = 0
      } else if (health === "unhealthy") {
        this.rejections += 1
        this.open(now)
      } else {
        this.openUntil = now
      }
      return
    }
    if (health === "unknown") return
    const bucket = Math.floor(now / (this.policy.window / 10))
    this.results.push({ bucket, health })
    const recent = this.results.filter((ended) => ended.bucket > bucket - 10)
    const unhealthy = recent.filter((ended) => ended.health === "unhealthy").length
    if (
      health === "unhealthy" && recent.length >= this.policy.minimum &&
      unhealthy / recent.length >= this.policy.threshold
    ) {
      this.results = []
      this.changes += 1
      this.open(now)
    }
  }

  private open(now: number): void {
    const { maxOpenDuration: longest, openDuration: openFor } = this.policy
    let length = openFor
    for (let time = 0; time < this.rejections; time += 1) length *= 2
    this.openUntil = now + Math.max(openFor, Math.min(length, longest))
  }
}

describe("Circuit", () => {
  it("behaves like the model", () => {
    FastCheck.assert(
      FastCheck.property(policies, events, (policy, events) => {
        const circuit = new Circuit()
        const model = new Model(policy)
        const inFlight: Array<{
          readonly ends: number
          readonly health: Health
          readonly epoch: number
          readonly changes: number
        }> = []
        let now = 0
        const until = (time: number) => {
          inFlight.sort((a, b) => a.ends - b.ends)
          for (let ended = inFlight[0]; ended !== undefined && ended.ends <= time; ended = inFlight[0]) {
            const before = circuit.tag
            const changed = circuit.record(ended.ends, ended.health, ended.epoch, policy)
            model.record(ended.ends, ended.health, ended.changes)
            // An inconclusive trial opens the circuit for no time.
            expect(changed).toBe(before !== circuit.tag)
            inFlight.shift()
          }
        }
        for (const { duration, gap, health } of events) {
          now += gap
          until(now)
          const expected = model.decide(now)
          const openMillis = circuit.remainingOpenMillis(now)
          expect(openMillis === null).toBe(expected !== "reject")
          if (model.openUntil !== null && !model.trying && openMillis !== null) {
            expect(openMillis).toBe(model.openUntil - now)
          }
          if (openMillis !== null) continue
          const epoch = circuit.admit(now)
          expect(circuit.tag).toBe(expected === "trial" ? "HalfOpen" : "Closed")
          const changes = model.admit(expected === "trial")
          inFlight.push({ ends: now + duration, health, epoch, changes })
          until(now)
        }
      })
    )
  })

  /** Creates a circuit and records results at times. */
  const circuitAfter = (
    options: Partial<CircuitBreaker>,
    results: ReadonlyArray<readonly [at: number, health: Health]>
  ) => {
    const circuit = new Circuit()
    const policy = { ...Breaker.standard, ...options }
    for (const [at, health] of results) circuit.record(at, health, circuit.admit(at), policy)
    return circuit
  }
  const many = (count: number, at: number, health: Health) =>
    Array.from({ length: count }, () => [at, health] as const)

  it("opens exactly at the minimum and the threshold", () => {
    expect(circuitAfter({}, many(19, 0, "unhealthy")).tag).toBe("Closed")
    expect(circuitAfter({}, many(20, 0, "unhealthy")).tag).toBe("Open")
    expect(circuitAfter({}, [...many(11, 0, "healthy"), ...many(10, 0, "unhealthy")]).tag).toBe("Closed")
    expect(circuitAfter({}, [...many(10, 0, "healthy"), ...many(10, 0, "unhealthy")]).tag).toBe("Open")
    expect(circuitAfter({}, many(100, 0, "unknown")).tag).toBe("Closed")
  })

  it("forgets results older than the window, and none younger than nine tenths of it", () => {
    expect(circuitAfter({}, [...many(19, 2999, "unhealthy"), [29_999, "unhealthy"]]).tag).toBe("Open")
    expect(circuitAfter({}, [...many(19, 2999, "unhealthy"), [30_000, "unhealthy"]]).tag).toBe("Closed")
    expect(circuitAfter({}, [...many(19, 0, "unhealthy"), [26_999, "unhealthy"]]).tag).toBe("Open")
    // Old successes do not keep it closed.
    expect(circuitAfter({}, [...many(500, 0, "healthy"), ...many(20, 30_000, "unhealthy")]).tag).toBe("Open")
  })

  it("counts the results of calls whose policies have different windows", () => {
    const windows = ["10 seconds", "1 minute"] as const
    const tags = [0, 1, 2, 4].map((gapSeconds) => {
      const circuit = new Circuit()
      for (let count = 0; count < 20; count += 1) {
        const policy = { ...Breaker.standard, window: windows[count % 2] ?? windows[0] }
        const at = count * gapSeconds * 1000
        circuit.record(at, "unhealthy", circuit.admit(at), policy)
      }
      return circuit.tag
    })
    // With a gap of 4 s, the first result is older than the longest window.
    expect(tags).toEqual(["Open", "Open", "Open", "Closed"])
  })

  it("abandons a trial that never ends", () => {
    const circuit = circuitAfter({ minimum: 1 }, [[0, "unhealthy"]])
    const abandoned = circuit.admit(5000)
    expect(circuit.remainingOpenMillis(304_999)).toBe(1000)
    expect(circuit.remainingOpenMillis(305_000)).toBeNull()
    const trial = circuit.admit(305_000)
    expect(circuit.remainingOpenMillis(305_001)).toBe(1000)
    expect(circuit.record(305_002, "healthy", abandoned, Breaker.standard)).toBe(false)
    expect(circuit.tag).toBe("HalfOpen")
    expect(circuit.record(305_003, "healthy", trial, Breaker.standard)).toBe(true)
    expect(circuit.tag).toBe("Closed")
  })

  it("never opens with the policy none", () => {
    expect(circuitAfter(Breaker.none, many(10_000, 0, "unhealthy")).tag).toBe("Closed")
  })
})

describe("a circuit breaker", () => {
  const failures: ReadonlyArray<readonly [string, ScriptedClient.ScriptedReply]> = [
    ...[500, 501, 502, 503, 504, 520, 599].map((status) =>
      [`a ${status}`, ScriptedClient.respond(status)] as const
    ),
    ["a connection reset", ScriptedClient.Disconnect({ code: "ECONNRESET" })],
    ["a refused connection", ScriptedClient.Disconnect({ code: "ECONNREFUSED" })],
    ["an attempt timeout", ScriptedClient.Hang()],
    ["a 408 of the upstream", ScriptedClient.respond(408)],
    ["half a document", ScriptedClient.respond(200, "{\"usdPrice\":")]
  ]

  it.effect.each(failures)("opens after %s", ([, reply]) =>
    Effect.gen(function*() {
      const timeouts = { attempt: "1 second", call: "1 minute" } as const
      const harness = yield* TestClients.harness(() => reply, { ...options, timeouts })
      for (let time = 0; time < 3; time += 1) {
        yield* whileTimePasses(Effect.ignore(fetchPrice(harness, time)), "1 second")
      }
      expect(yield* immediateFailureOf(fetchPrice(harness, 9))).toMatchObject({
        _tag: "CircuitOpenError"
      })
      expect(harness.requests).toHaveLength(3)
    }))

  const harmless: ReadonlyArray<readonly [string, ScriptedClient.ScriptedReply]> = [
    ...[400, 401, 402, 403, 404, 409, 410, 418, 422, 424, 425, 429, 451].map((status) =>
      [`a ${status}`, ScriptedClient.respond(status)] as const
    ),
    ["an unexpected shape", ScriptedClient.json({ usdPrice: "free" })],
    ["a body over the size limit", ScriptedClient.respond(200, "7".repeat(2000))],
    ["a success", priceReply]
  ]

  it.effect.each(harmless)("does not open after %s", ([, reply]) =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => reply, {
        ...options,
        breaker: { ...breaker, window: "1 day", openDuration: "1 day", maxOpenDuration: "1 day" },
        maxBodySize: 1000,
        rateLimit: { ...RateLimit.none, maxWait: "1 day" }
      })
      for (let time = 0; time < 9; time += 1) {
        yield* whileTimePasses(Effect.ignore(fetchPrice(harness, time)), "2 minutes")
      }
      expect(harness.requests).toHaveLength(9)
    }))

  it.effect("does not open after timeouts of the cache store", () =>
    Effect.gen(function*() {
      const store = yield* CacheStore.memory()
      const timeouts = { attempt: "1 second", call: "1 minute" } as const
      const harness = yield* TestClients.harness([], { ...cachingOptions, breaker, timeouts }).pipe(
        Effect.provideService(CacheStore.CacheStore, { ...store, nextVersion: Effect.never })
      )
      for (let time = 0; time < 9; time += 1) {
        expect(yield* whileTimePasses(failureOf(fetchPrice(harness, time)), "1 second")).toMatchObject({
          _tag: "TimeoutError"
        })
      }
    }))

  it.effect("does not open after interrupted calls, or calls with a short timeout", () =>
    Effect.gen(function*() {
      const timeouts = { attempt: "1 second", call: "1 second" } as const
      const harness = yield* TestClients.harness(
        (_, number) => number <= 12 ? ScriptedClient.Hang() : priceReply,
        {
          ...options,
          timeouts: { attempt: "10 seconds", call: "45 seconds" }
        }
      )
      for (let time = 0; time < 6; time += 1) {
        yield* whileTimePasses(
          Effect.ignore(CallOptions.withCallOptions({ timeouts })(fetchPrice(harness, time))),
          "1 second"
        )
      }
      for (let time = 0; time < 6; time += 1) {
        yield* Fiber.interrupt(yield* Effect.zipLeft(Effect.fork(fetchPrice(harness, time)), runPendingWork))
      }
      expect(yield* fetchPrice(harness, 1)).toMatchObject({ usdPrice: 1.5 })
      expect(harness.requests).toHaveLength(13)
    }))

  it.effect("opens after calls that exceed the attempt timeout of the layer", () =>
    Effect.gen(function*() {
      const timeouts = { attempt: "10 seconds", call: "1 second" } as const
      const harness = yield* TestClients.harness(() => ScriptedClient.Hang(), { ...options, timeouts })
      for (let time = 0; time < 3; time += 1) {
        yield* whileTimePasses(Effect.ignore(fetchPrice(harness, time)), "1 second")
      }
      expect(yield* immediateFailureOf(fetchPrice(harness, 9))).toMatchObject({
        _tag: "CircuitOpenError"
      })
    }))

  it.effect("applies to a base URL, for all API keys", () =>
    Effect.gen(function*() {
      const { requests, clients } = yield* TestClients.sharedEngine(
        ({ url }) => url.host === "here.test" ? failingReply : priceReply,
        {
          here: { ...options, baseUrl: "https://here.test" },
          otherKey: { ...options, baseUrl: "https://here.test", apiKey: Redacted.make("other") },
          there: { ...options, baseUrl: "https://there.test" }
        }
      )
      yield* failCalls(clients.here, 3)
      expect(yield* immediateFailureOf(fetchPrice(clients.otherKey, 1))).toMatchObject(circuitOpenError(5000))
      expect(yield* fetchPrice(clients.there, 1)).toMatchObject({ usdPrice: 1.5 })
      expect(requests).toHaveLength(4)
    }))

  it.effect("rejects queued attempts when it opens", () =>
    Effect.gen(function*() {
      const rateLimit = RateLimit.make({ limit: 1, window: "1 second", cost: 1, burst: 3 })
      const harness = yield* TestClients.harness(() => ScriptedClient.delayed("500 millis", failingReply), {
        ...options,
        rateLimit
      })
      const fibers = yield* forkPrices(harness, indices(6))
      yield* TestClock.adjust("3 seconds")
      expect(harness.requests.map(callNumberOf)).toEqual([0, 1, 2])
      // All of them when the first reaches the head of the queue
      for (const fiber of fibers.slice(3)) {
        expect(yield* failureOfFinished(fiber)).toMatchObject(circuitOpenError(4500))
      }
    }))

  it.effect("rejects before an attempt is queued", () =>
    Effect.gen(function*() {
      const rateLimit = RateLimit.make({ limit: 1, window: "4 seconds", cost: 1, burst: 3 })
      const harness = yield* TestClients.harness(() => failingReply, { ...options, rateLimit })
      yield* failCalls(harness, 3)
      expect(yield* immediateFailureOf(fetchPrice(harness, 9))).toMatchObject(circuitOpenError(5000))
    }))
})

describe("clients of a gateway", () => {
  const forClient = (name: string) => Effect.provideService(CurrentClient, { name, weight: 1, share: 1 })

  it.effect("have circuit breakers of their own, so that one that always fails does not stop the others", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        (request) => callNumberOf(request) === 1 ? failingReply : priceReply,
        options
      )
      for (let time = 0; time < 3; time += 1) {
        yield* Effect.ignore(fetchPrice(harness, 1)).pipe(forClient("failing"))
      }
      expect(yield* immediateFailureOf(fetchPrice(harness, 1).pipe(forClient("failing"))))
        .toMatchObject({ _tag: "CircuitOpenError" })
      expect(yield* fetchPrice(harness, 2).pipe(forClient("other"))).toMatchObject({ usdPrice: 1.5 })
    }))
})
