/** Tests the laws of the cache and of coalescing. The timelines show which responses are cached, served and revalidated. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as CallContext from "@blockquarry/http/gateway/CallContext"
import * as Telemetry from "@blockquarry/http/Telemetry"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { cachingOptions, numberedPrice, withInspectableStore } from "../../support/CacheFixtures.ts"
import { increaseOf } from "../../support/MetricReader.ts"
import { addressOf, fetchPrice } from "../../support/PriceCalls.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"
import { type EngineHarness, engineHarness, requestOf } from "../../support/TestEngine.ts"
import { fewRuns, runPendingWork } from "../../support/TestTime.ts"

/** Each response takes a second. */
const delayedPrice: ScriptedClient.Script = (requests, number) =>
  ScriptedClient.delayed("1 second", numberedPrice(requests, number))

/** With a deadline, a request continues even if no caller waits for it. */
const limitedTimeouts = { ...cachingOptions, timeouts: { attempt: "10 seconds", call: "1 minute" } } as const

describe("the cache key", () => {
  const inputs = FastCheck.record({
    address: FastCheck.constantFrom(addressOf(1), addressOf(2)),
    chain: FastCheck.constantFrom("eth", "bsc", undefined),
    include: FastCheck.constantFrom("percent_change", undefined),
    exchange: FastCheck.constantFrom("a", "a&to_block=7", "a=b", "a?b", "é", "%", "a b", "a+b", undefined),
    to_block: FastCheck.constantFrom(7, 70, undefined)
  }, { requiredKeys: [] })

  it.effect.prop(
    "depends on every parameter and the base URL, on nothing else, and does not contain the API key",
    {
      one: inputs,
      another: inputs,
      alike: FastCheck.boolean(),
      host: FastCheck.constantFrom("https://one.test", "https://two.test", "https://one.test/path")
    },
    ({ alike: sameAddress, another, host, one }) =>
      Effect.gen(function*() {
        const other = sameAddress ? one : another
        const [{ requests, clients }, entries] = yield* withInspectableStore(
          TestClients.sharedEngine(numberedPrice, {
            one: { ...cachingOptions, baseUrl: "https://one.test" },
            other: { ...cachingOptions, baseUrl: host }
          })
        )
        const responded = ({ address = addressOf(1), ...rest }: typeof one) =>
          Object.fromEntries(
            Object.entries({ address, ...rest }).filter(([, value]) => value !== undefined).toSorted()
          )
        const first = { address: addressOf(1), ...responded(one) }
        const second = { address: addressOf(1), ...responded(other) }
        yield* clients.one.data.tokenPrice(first)
        yield* clients.other.data.tokenPrice(second)
        const same = JSON.stringify(responded(one)) === JSON.stringify(responded(other)) &&
          host === "https://one.test"
        expect(entries.size).toBe(same ? 1 : 2)
        expect(requests).toHaveLength(entries.size)
        expect([...entries.keys()].join()).not.toContain(TestClients.key)
      })
  )
})

describe("the cache", () => {
  const calls = FastCheck.array(
    FastCheck.record({
      after: FastCheck.nat(100),
      process: FastCheck.constantFrom(...["one", "other"] as const),
      cacheMode: FastCheck.constantFrom(...["default", "reload"] as const),
      attempts: FastCheck.constantFrom(1, 2)
    }),
    { minLength: 1, maxLength: 8 }
  )
  const replies = FastCheck.infiniteStream(
    FastCheck.record({ takes: FastCheck.nat(1000), succeeds: FastCheck.boolean() })
  )

  it.effect.prop(
    "keeps the response that was requested last, for any order of responses",
    { calls, replies },
    ({ calls, replies }) =>
      Effect.gen(function*() {
        const store = yield* CacheStore.memory()
        let newest = 0
        const { client, requests } = ScriptedClient.make((request, number) => {
          const { succeeds, takes } = replies.next().value
          if (succeeds) newest = number
          return ScriptedClient.delayed(
            takes,
            succeeds ? numberedPrice(request, number) : ScriptedClient.respond(500)
          )
        })
        const process = Effect.provideService(
          TestClients.clientsOver(client, cachingOptions),
          CacheStore.CacheStore,
          store
        )
        const processes = { one: yield* process, other: yield* process }
        for (const { after, process, cacheMode, attempts } of calls) {
          yield* TestClock.adjust(after)
          yield* fetchPrice(processes[process], 1).pipe(
            CallOptions.withCallOptions({ cacheMode, retry: TestClients.immediateRetries(attempts) }),
            Effect.fork
          )
          yield* runPendingWork
        }
        yield* TestClock.adjust("2 seconds")
        if (newest === 0) return
        const sent = requests.length
        expect(yield* fetchPrice(processes.one, 1)).toMatchObject({ usdPrice: newest })
        expect(requests).toHaveLength(sent)
      }),
    fewRuns
  )
})

describe("coalescing", () => {
  it.effect.prop(
    "completes the request for the remaining callers, whichever are interrupted, and caches the response",
    {
      stays: FastCheck.array(FastCheck.boolean(), { minLength: 1, maxLength: 30 }),
      after: FastCheck.constantFrom(0, 500, 999)
    },
    ({ after, stays: waiting }) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness(delayedPrice, limitedTimeouts)
        const fibers = yield* Effect.forEach([false, ...waiting], () => Effect.fork(fetchPrice(harness, 1)))
        yield* runPendingWork
        yield* TestClock.adjust(after)
        const remaining = [false, ...waiting]
        yield* Effect.forEach(fibers, (fiber, index) =>
          remaining[index] === true ? Effect.void : Fiber.interrupt(fiber))
        yield* TestClock.adjust(1000)
        for (const [index, fiber] of fibers.entries()) {
          const exit = yield* Fiber.await(fiber)
          if (remaining[index] === true) {
            expect(exit).toMatchObject({ value: { usdPrice: 1 } })
          } else expect(Exit.isInterrupted(exit)).toBe(true)
        }
        expect(yield* fetchPrice(harness, 1)).toMatchObject({ usdPrice: 1 })
        expect(harness.requests).toHaveLength(1)
      })
  )

  it.effect("retries for the callers of other clients if a limit of the first client caused the result", () =>
    Effect.gen(function*() {
      const harness = yield* engineHarness(delayedPrice, cachingOptions)
      const noMemory = { tryAcquire: () => false, release: () => {} }
      const client = { name: "a", weight: 1, share: 1 }
      const first = yield* harness.send(1, CallContext.make({ client, memory: noMemory })).pipe(
        Effect.either,
        Effect.fork
      )
      yield* runPendingWork
      const second = yield* Effect.fork(harness.send(1))
      yield* runPendingWork
      expect(harness.requests).toHaveLength(1)
      yield* TestClock.adjust("1 second")
      yield* runPendingWork
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(first)).toMatchObject({ left: { limit: "memory" } })
      expect(yield* Fiber.join(second)).toMatchObject({ source: "upstream", coalesced: false })
    }))

  const callers = FastCheck.array(
    FastCheck.record({
      startsAt: FastCheck.nat(1000),
      call: FastCheck.integer({ min: 1, max: 3000 }),
      attempt: FastCheck.constantFrom(300, 700),
      cacheMode: FastCheck.constantFrom(...["default", "default", "reload"] as const)
    }),
    { minLength: 2, maxLength: 5 }
  )

  it.effect.prop(
    "succeeds for each caller with enough time, regardless of the deadlines of others, also with reloads",
    { callers, recoversAt: FastCheck.nat(1500), hangs: FastCheck.boolean() },
    ({ callers, hangs, recoversAt }) =>
      Effect.gen(function*() {
        const responseMillis = 100
        const maxBackoff = 400
        const script: ScriptedClient.Script = (request, number) => {
          if (request.at >= recoversAt) {
            return ScriptedClient.delayed(responseMillis, numberedPrice(request, number))
          }
          return hangs
            ? ScriptedClient.Hang()
            : ScriptedClient.delayed(responseMillis, ScriptedClient.respond(500))
        }
        const harness = yield* TestClients.harness(script, {
          ...cachingOptions,
          retry: {
            attempts: 1000,
            baseDelay: { transient: maxBackoff, throttled: maxBackoff },
            maxDelay: maxBackoff,
            budget: { capacity: 1000, refill: 1 }
          }
        })
        const fibers = yield* Effect.forEach(callers, ({ attempt, cacheMode, call, startsAt }) =>
          fetchPrice(harness, 1).pipe(
            CallOptions.withCallOptions({ cacheMode, timeouts: { attempt, call } }),
            Effect.exit,
            Effect.zip(Clock.currentTimeMillis),
            Effect.delay(startsAt),
            Effect.fork
          ))
        yield* TestClock.adjust("4 seconds")
        for (const [index, fiber] of fibers.entries()) {
          const { attempt, call, startsAt } = callers[index] ?? { attempt: 0, call: 0, startsAt: 0 }
          const [exit, endedAt] = yield* Fiber.join(fiber)
          const deadline = startsAt + call
          expect(endedAt).toBeLessThanOrEqual(deadline)
          // An attempt that began before the recovery, the backoff, and one more attempt
          const enough = Math.max(startsAt, recoversAt) + attempt + maxBackoff + responseMillis
          if (deadline > enough) {
            expect(Exit.isSuccess(exit)).toBe(true)
          }
        }
      }),
    fewRuns
  )

  it.effect("starts a new request while one is being cancelled", () =>
    Effect.gen(function*() {
      let requests = 0
      const client = HttpClient.make((request) =>
        Effect.suspend(() => {
          requests += 1
          return requests === 1
            // Takes a second to cancel
            ? Effect.onInterrupt(Effect.never, () => Effect.sleep("1 second"))
            : Effect.succeed(HttpClientResponse.fromWeb(request, Response.json({ usdPrice: requests })))
        })
      )
      const clients = yield* TestClients.clientsOver(client, cachingOptions)
      const first = yield* Effect.fork(fetchPrice(clients, 1))
      yield* runPendingWork
      yield* Fiber.interrupt(first)
      const second = yield* Effect.fork(fetchPrice(clients, 1))
      yield* TestClock.adjust("2 seconds")
      expect(yield* Fiber.join(second)).toMatchObject({ usdPrice: 2 })
    }))
})

/** Returns the price of token 1. */
const fetchPriceOf = ({ send }: EngineHarness): Effect.Effect<unknown> =>
  Effect.map(
    Effect.orDie(send(1)),
    ({ response }) => JSON.parse(new TextDecoder().decode(response.bytes)).usdPrice
  )

it.effect("an entry in memory is returned synchronously while it is fresh, and counted as a hit", () =>
  Effect.gen(function*() {
    const { lookUp, send } = yield* engineHarness(numberedPrice, cachingOptions)
    yield* send(1)
    const hit = Effect.sync(() =>
      expect(lookUp(1, 4999)).toMatchObject({
        _tag: "Hit",
        response: { storedAt: 0, freshUntil: 5000, response: { status: 200 } }
      })
    )
    const labels = { operation: "tokenPrice", result: "hit" }
    expect(yield* increaseOf(Telemetry.cacheRequests, labels, hit)).toBe(1)
    const off = yield* engineHarness(numberedPrice)
    yield* off.send(1)
    expect([lookUp(1, 5000)._tag, lookUp(2, 0)._tag, off.lookUp(1, 0)._tag]).toEqual(["Miss", "Miss", "Miss"])
  }))

it.effect("an entry of a store that is not in memory is found only later", () =>
  Effect.gen(function*() {
    const { peek: _, ...slow } = yield* CacheStore.memory()
    const { lookUp, send } = yield* Effect.provideService(
      engineHarness(numberedPrice, cachingOptions),
      CacheStore.CacheStore,
      slow
    )
    yield* send(1)
    const found = lookUp(1, 0)
    if (found._tag === "Hit") return expect.fail("the store is not in memory")
    for (const response of [yield* found.find, yield* found.send]) {
      expect(response).toMatchObject({ source: "cache", storedAt: 0 })
    }
  }))

describe("a purge", () => {
  const purges: ReadonlyArray<
    readonly [string, (harness: EngineHarness) => Effect.Effect<unknown>, others: string]
  > = [
    ["of one request", ({ engine, upstream }) => engine.invalidate(upstream)(requestOf(1)), "cache"],
    ["of everything", ({ engine }) => engine.invalidateAll, "upstream"]
  ]

  it.effect.each(purges)(
    "%s lets callers of requests in flight finish, caches none of their responses, and sends new ones",
    ([, purge, others]) =>
      Effect.gen(function*() {
        const [harness, entries] = yield* withInspectableStore(engineHarness(delayedPrice, limitedTimeouts))
        const other = yield* Effect.fork(harness.send(2))
        yield* TestClock.adjust(1000)
        yield* Fiber.join(other)
        const before = yield* Effect.fork(fetchPriceOf(harness))
        yield* runPendingWork
        yield* Effect.fork(CallOptions.withCallOptions({ cacheMode: "reload" })(harness.send(1)))
        yield* runPendingWork
        yield* purge(harness)
        yield* TestClock.adjust(500)
        const after = yield* Effect.fork(fetchPriceOf(harness))
        yield* TestClock.adjust(500)
        expect(yield* Fiber.join(before)).toBe(2)
        expect(entries.size).toBe(others === "cache" ? 1 : 0)
        yield* TestClock.adjust(500)
        expect(yield* Fiber.join(after)).toBe(4)
        expect(yield* fetchPriceOf(harness)).toBe(4)
        const found = yield* Effect.fork(harness.send(2))
        yield* TestClock.adjust(1000)
        expect(yield* Fiber.join(found)).toMatchObject({ source: others })
      })
  )

  it.effect("during a write removes the entry again", () =>
    Effect.gen(function*() {
      const store = yield* CacheStore.memory()
      const slow = yield* Effect.provideService(
        engineHarness(numberedPrice, limitedTimeouts),
        CacheStore.CacheStore,
        // The write completes after the invalidation.
        { ...store, set: (key, entry) => Effect.delay(store.set(key, entry), 300) }
      )
      yield* slow.send(1)
      yield* TestClock.adjust(100)
      yield* slow.engine.invalidateAll
      yield* TestClock.adjust(1000)
      expect(yield* fetchPriceOf(slow)).toBe(2)
      yield* TestClock.adjust(1000)
      expect(yield* fetchPriceOf(slow)).toBe(2)
    }))
})
