/** Tests that the cache keeps the response of the request that was sent last, in whichever order responses arrive. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as CallOptions from "@blockquarry/http/CallOptions"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { cachingOptions, numberedPrice } from "../../../support/CacheFixtures.ts"
import { fetchPrice } from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { runPendingWork } from "../../../support/TestTime.ts"

/** The first response takes 3 s, later ones take 1 s. The price is the number of the request. */
const slowFirst: ScriptedClient.Script = (request, number) =>
  ScriptedClient.delayed(number === 1 ? "3 seconds" : "1 second", numberedPrice(request, number))

const reloadPrice = (clients: TestClients.Clients) =>
  CallOptions.withCallOptions({ cacheMode: "reload" })(fetchPrice(clients, 1))

/** Starts two calls one after the other, and returns their prices in the order in which they end. */
const pricesInOrder = <E>(
  first: Effect.Effect<{ readonly usdPrice: unknown }, E>,
  second: Effect.Effect<{ readonly usdPrice: unknown }, E>
) =>
  Effect.gen(function*() {
    const prices: Array<unknown> = []
    const fibers = yield* Effect.forEach([first, second], (call) =>
      call.pipe(
        Effect.map(({ usdPrice }) => prices.push(usdPrice)),
        Effect.fork,
        Effect.zipLeft(runPendingWork)
      ))
    yield* TestClock.adjust("4 seconds")
    yield* Fiber.joinAll(fibers)
    return prices
  })

describe("the cache", () => {
  it.effect("keeps the response of a reload that ends before an older request", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(slowFirst, cachingOptions)
      expect(yield* pricesInOrder(fetchPrice(harness, 1), reloadPrice(harness))).toEqual([2, 1])
      expect(yield* fetchPrice(harness, 1)).toMatchObject({ usdPrice: 2 })
      expect(harness.requests).toHaveLength(2)
    }))

  it.effect("keeps the newer response of two calls with different retry policies", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(slowFirst, cachingOptions)
      const otherPolicy = CallOptions.withCallOptions({ retry: TestClients.immediateRetries(3) })
      expect(yield* pricesInOrder(fetchPrice(harness, 1), otherPolicy(fetchPrice(harness, 1)))).toEqual([
        2,
        1
      ])
      expect(yield* fetchPrice(harness, 1)).toMatchObject({ usdPrice: 2 })
      expect(harness.requests).toHaveLength(2)
    }))

  it.effect("keeps the newer response of two processes that share a store", () =>
    Effect.gen(function*() {
      const store = yield* CacheStore.memory()
      const { requests, client } = ScriptedClient.make(slowFirst)
      const process = Effect.provideService(
        TestClients.clientsOver(client, cachingOptions),
        CacheStore.CacheStore,
        store
      )
      const [one, other] = yield* Effect.all([process, process])
      expect(yield* pricesInOrder(fetchPrice(one, 1), fetchPrice(other, 1))).toEqual([2, 1])
      expect(yield* fetchPrice(one, 1)).toMatchObject({ usdPrice: 2 })
      expect(yield* fetchPrice(other, 1)).toMatchObject({ usdPrice: 2 })
      expect(requests).toHaveLength(2)
    }))

  it.effect("counts a retried call from its last attempt", () =>
    Effect.gen(function*() {
      const script: ScriptedClient.Script = (request, number) =>
        number === 1
          ? ScriptedClient.respond(503, "", { "retry-after": "1" })
          : ScriptedClient.delayed(number === 2 ? "3 seconds" : "1 second", numberedPrice(request, number))
      const harness = yield* TestClients.harness(script, {
        ...cachingOptions,
        retry: TestClients.immediateRetries(2)
      })
      // The requests: the call, the reload, the retry of the call
      expect(yield* pricesInOrder(fetchPrice(harness, 1), reloadPrice(harness))).toEqual([3, 2])
      expect(yield* fetchPrice(harness, 1)).toMatchObject({ usdPrice: 3 })
      expect(harness.requests).toHaveLength(3)
    }))

  it.effect("stores responses also if the store cannot issue versions", () =>
    Effect.gen(function*() {
      const store = yield* CacheStore.memory()
      const harness = yield* Effect.provideService(
        TestClients.harness(numberedPrice, cachingOptions),
        CacheStore.CacheStore,
        { ...store, nextVersion: Effect.succeed(CacheStore.unknownVersion) }
      )
      yield* fetchPrice(harness, 1)
      expect(yield* reloadPrice(harness)).toMatchObject({ usdPrice: 2 })
      expect(yield* fetchPrice(harness, 1)).toMatchObject({ usdPrice: 2 })
      expect(harness.requests).toHaveLength(2)
    }))

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
      })
  )
})
