/** Fresh answers are not asked for again, stale ones once; and what a call or a layer says otherwise. */
import * as Override from "@blockquarry/http/Override"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import * as Clients from "../../support/Clients.ts"
import { caching, counted, noStale, spying } from "../../support/Keeping.ts"
import { numbered } from "../../support/Numbered.ts"
import { bare, price } from "../../support/Numbered.ts"
import { settled } from "../../support/Passing.ts"
import * as Scripted from "../../support/Scripted.ts"

/** The price of token 1: the number of the request that it comes from. */
const ask = (clients: Clients.Clients) => Effect.map(price(clients, 1), ({ usdPrice }) => usdPrice)

describe("an answer", () => {
  it.effect("is given again for as long as it is fresh, and nothing is sent", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(counted, caching)
      expect(yield* ask(scene)).toBe(1)
      yield* TestClock.adjust(4999)
      expect(yield* ask(scene)).toBe(1)
      expect(scene.asked).toHaveLength(1)
    }))

  it.effect("is given while a fresh one is fetched, once for all who ask, for five seconds more", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(
        (asked, number) => Scripted.late(number === 1 ? 0 : 3000, counted(asked, number)),
        caching
      )
      yield* TestClock.adjust(0)
      const first = yield* Effect.fork(ask(scene))
      yield* TestClock.adjust(0)
      expect(yield* first).toBe(1)
      yield* TestClock.adjust(5000)
      const prices = yield* Effect.all(Array.from({ length: 50 }, () => ask(scene)), {
        concurrency: "unbounded"
      })
      expect(new Set(prices)).toEqual(new Set([1]))
      yield* settled
      expect(scene.asked).toHaveLength(2)
      yield* TestClock.adjust(2999)
      expect(yield* ask(scene)).toBe(1)
      yield* TestClock.adjust(1)
      expect(yield* ask(scene)).toBe(2)
      expect(scene.asked).toHaveLength(2)
    }))

  it.effect("that is older is waited for", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(counted, caching)
      yield* ask(scene)
      yield* TestClock.adjust(9999)
      expect(yield* ask(scene)).toBe(1)
      yield* settled
      // The fresh one was kept at 9.999 seconds.
      yield* TestClock.adjust(10_000)
      expect(yield* ask(scene)).toBe(3)
      expect(scene.asked).toHaveLength(3)
    }))

  it.effect("stays as it is where the fresh one cannot be fetched, and nobody notices", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(
        (asked, number) => number === 1 ? counted(asked, 1) : Scripted.answer(404),
        caching
      )
      yield* ask(scene)
      yield* TestClock.adjust(6000)
      expect(yield* ask(scene)).toBe(1)
      yield* settled
      expect(scene.asked).toHaveLength(2)
    }))

  it.effect("to one key is given to another, but nobody waits for another key's flight", () =>
    Effect.gen(function*() {
      const here = { ...caching, baseUrl: "https://here.test" }
      const { asked, clients } = yield* Clients.shared(
        (asked, number) => Scripted.late("1 second", counted(asked, number)),
        { one: here, same: here, other: { ...here, apiKey: Redacted.make("other") } }
      )
      const all = [clients.one, clients.same, clients.other]
      const fibers = yield* Effect.forEach(all, (client) => Effect.fork(ask(client)))
      yield* TestClock.adjust("1 second")
      expect(asked.map(({ headers }) => headers["x-api-key"])).toEqual([Clients.key, "other"])
      expect(yield* Effect.forEach(fibers, (fiber) => fiber)).toEqual([1, 1, 2])
      expect(new Set(yield* Effect.forEach(all, ask)).size).toBe(1)
      expect(asked).toHaveLength(2)
    }))
})

describe("the key of an answer", () => {
  const inputs = FastCheck.record({
    address: FastCheck.constantFrom(numbered(1), numbered(2)),
    chain: FastCheck.constantFrom("eth", "bsc", undefined),
    include: FastCheck.constantFrom("percent_change", undefined),
    exchange: FastCheck.constantFrom("a", "a&to_block=7", "a=b", "a?b", "é", "%", "a b", "a+b", undefined),
    to_block: FastCheck.constantFrom(7, 70, undefined)
  }, { requiredKeys: [] })

  it.effect.prop(
    "differs where any parameter or the address differs, and only there, and holds no API key",
    {
      one: inputs,
      another: inputs,
      alike: FastCheck.boolean(),
      host: FastCheck.constantFrom("https://one.test", "https://two.test", "https://one.test/path")
    },
    ({ alike, another, host, one }) =>
      Effect.gen(function*() {
        const other = alike ? one : another
        const [{ asked, clients }, kept] = yield* spying(Clients.shared(counted, {
          one: { ...caching, baseUrl: "https://one.test" },
          other: { ...caching, baseUrl: host }
        }))
        const said = ({ address = numbered(1), ...rest }: typeof one) =>
          Object.fromEntries(
            Object.entries({ address, ...rest }).filter(([, value]) => value !== undefined).toSorted()
          )
        const first = { address: numbered(1), ...said(one) }
        const second = { address: numbered(1), ...said(other) }
        yield* clients.one.data.tokenPrice(first)
        yield* clients.other.data.tokenPrice(second)
        const same = JSON.stringify(said(one)) === JSON.stringify(said(other)) && host === "https://one.test"
        expect(kept.size).toBe(same ? 1 : 2)
        expect(asked).toHaveLength(kept.size)
        expect([...kept.keys()].join()).not.toContain(Clients.key)
      }),
    { fastCheck: { numRuns: 60 } }
  )
})

describe("a call", () => {
  it.effect("that reloads asks in any case, and what comes is kept", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(counted, caching)
      yield* ask(scene)
      expect(yield* Override.effect({ cacheMode: "reload" })(ask(scene))).toBe(2)
      expect(yield* ask(scene)).toBe(2)
      expect(scene.asked).toHaveLength(2)
    }))

  it.effect("that reloads is not helped out by what was kept", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(
        (asked, number) => number === 1 ? counted(asked, 1) : Scripted.answer(500),
        caching
      )
      yield* ask(scene)
      expect(yield* Effect.flip(Override.effect({ cacheMode: "reload" })(ask(scene)))).toMatchObject({
        _tag: "ServiceFailed"
      })
    }))

  it.effect("without the store neither reads nor writes it, and shares no flight", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(counted, caching)
      const asNew = Override.effect({ cacheMode: "no-store" })(ask(scene))
      yield* Effect.all([asNew, asNew, asNew], { concurrency: "unbounded" })
      expect(scene.asked).toHaveLength(3)
      expect(yield* ask(scene)).toBe(4)
      expect(yield* asNew).toBe(5)
      expect(yield* ask(scene)).toBe(4)
    }))

  it.effect("of a layer without a cache is asked each time, even at the same time", () =>
    Effect.gen(function*() {
      const [scene, kept] = yield* spying(Clients.scene(counted, { ...bare, cache: ResponseCache.none }))
      yield* Effect.all([ask(scene), ask(scene), ask(scene)], { concurrency: "unbounded" })
      yield* Override.effect({ cacheMode: "reload" })(ask(scene))
      expect(scene.asked).toHaveLength(4)
      expect(kept.size).toBe(0)
    }))

  it.effect("finds nothing stale where stale answers are of no use", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(counted, { ...caching, cache: noStale })
      yield* ask(scene)
      yield* TestClock.adjust(4999)
      expect(yield* ask(scene)).toBe(1)
      yield* TestClock.adjust(1)
      expect(yield* ask(scene)).toBe(2)
    }))
})
