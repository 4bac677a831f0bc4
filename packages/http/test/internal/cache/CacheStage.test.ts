/** Tests which responses the cache stores, serves, revalidates and keeps. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as CallOptions from "@blockquarry/http/CallOptions"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as TestClock from "effect/TestClock"
import { cachingOptions, numberedPrice, withInspectableStore } from "../../support/CacheFixtures.ts"
import { addressOf, fetchPrice } from "../../support/PriceCalls.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"
import { runPendingWork } from "../../support/TestTime.ts"

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

const reloadPrice = (clients: TestClients.Clients) =>
  CallOptions.withCallOptions({ cacheMode: "reload" })(fetchPrice(clients, 1))

describe("the cache", () => {
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
