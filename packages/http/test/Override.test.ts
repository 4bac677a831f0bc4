/** Regions under other policies: the inner one wins, and nothing leaks out of one. */
import * as Override from "@blockquarry/http/Override"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Clients from "./support/Clients.ts"
import { address } from "./support/Examples.ts"
import { failure } from "./support/Failure.ts"
import { caching, counted } from "./support/Keeping.ts"
import { bare, price } from "./support/Numbered.ts"
import { passing } from "./support/Passing.ts"
import * as Scripted from "./support/Scripted.ts"

const once = Override.effect({ retry: RetryPolicy.none })
const twice = Override.effect({ retry: Clients.atOnce(2) })
const often = Override.effect({ retry: Clients.atOnce(5) })

/** How many attempts a region makes of a call that always fails, where the layer says three. */
const attempts = (region: <A, E>(self: Effect.Effect<A, E>) => Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const scene = yield* Clients.scene(() => Scripted.answer(500), { ...bare, retry: Clients.atOnce(3) })
    yield* region(Effect.ignore(price(scene, 1)))
    return scene.asked.length
  })

describe("a region of an effect", () => {
  it.effect("wins over the layer, and the inner one over the outer", () =>
    Effect.gen(function*() {
      expect(yield* attempts((self) => self)).toBe(3)
      expect(yield* attempts(once)).toBe(1)
      expect(yield* attempts(often)).toBe(5)
      expect(yield* attempts((self) => often(once(self)))).toBe(1)
      expect(yield* attempts((self) => once(often(self)))).toBe(5)
    }))

  it.effect("leaves alone what it says nothing of: the outer one holds", () =>
    Effect.gen(function*() {
      const timeouts = Override.effect({ timeouts: { attempt: "3 seconds", total: "1 minute" } })
      const scene = yield* Clients.scene(() => Scripted.Hang(), { ...bare, retry: Clients.atOnce(3) })
      const error = yield* passing(failure(timeouts(twice(price(scene, 1)))), "6 seconds")
      expect(error).toMatchObject({ _tag: "TimedOut", limit: "attempt" })
      expect(scene.asked.map(({ at }) => at)).toEqual([0, 3000])
    }))

  it.effect("bounds the time of its calls", () =>
    Effect.gen(function*() {
      const total = Override.effect({ timeouts: { attempt: "1 minute", total: "2 seconds" } })
      const scene = yield* Clients.scene(() => Scripted.Hang(), bare)
      expect(yield* passing(failure(total(price(scene, 1))), "2 seconds")).toMatchObject({
        _tag: "TimedOut",
        limit: "total"
      })
    }))

  it.effect("does not reach those beside it, at the same time or after", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => Scripted.answer(500), { ...bare, retry: Clients.atOnce(3) })
      const ask = Effect.ignore(price(scene, 1))
      yield* Effect.all([once(ask), ask, twice(ask)], { concurrency: "unbounded" })
      expect(scene.asked).toHaveLength(6)
      yield* ask
      expect(scene.asked).toHaveLength(9)
    }))

  it.effect("holds in the fibers that it starts", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => Scripted.answer(500), { ...bare, retry: Clients.atOnce(3) })
      const ask = Effect.ignore(price(scene, 1))
      yield* once(Effect.all([ask, ask], { concurrency: "unbounded" }))
      expect(scene.asked).toHaveLength(2)
    }))
})

describe("a region of a stream", () => {
  /** Three pages, each of which fails at first. */
  const service = () => {
    const failed = new Set<string>()
    return ({ url }: Scripted.Asked): Scripted.Reply => {
      const page = url.searchParams.get("cursor") ?? "0"
      if (!failed.has(page)) {
        failed.add(page)
        return Scripted.answer(500)
      }
      return Scripted.json({
        cursor: page === "2" ? null : `${Number(page) + 1}`,
        result: [{ owner_address: address, balance: "1" }]
      })
    }
  }
  const input = { token_address: address }
  const retried = { retry: Clients.atOnce(2) }

  it.effect("holds for every page of a walk", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(service(), bare)
      const { items, pages } = scene.data.tokenOwners
      expect(yield* Stream.runCount(Override.stream(retried)(pages(input)))).toBe(3)
      expect(scene.asked).toHaveLength(6)
      const other = yield* Clients.scene(service(), bare)
      expect(yield* Stream.runCount(Override.stream(retried)(other.data.tokenOwners.items(input)))).toBe(3)
      expect(yield* Stream.runCount(items(input))).toBe(3)
    }))

  it.effect("is the inner one, around a walk inside an effect; and what is said around its run holds too", () =>
    Effect.gen(function*() {
      const inner = yield* Clients.scene(service(), bare)
      const walk = Override.stream(retried)(inner.data.tokenOwners.pages(input))
      expect(yield* once(Stream.runCount(walk))).toBe(3)
      const outer = yield* Clients.scene(service(), bare)
      expect(yield* twice(Stream.runCount(outer.data.tokenOwners.pages(input)))).toBe(3)
      const both = yield* Clients.scene(service(), bare)
      const none = Override.stream({ retry: RetryPolicy.none })(
        Override.stream(retried)(both.data.tokenOwners.pages(input))
      )
      expect(yield* Stream.runCount(none)).toBe(3)
    }))

  it.effect("does not reach the streams beside it", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(service(), bare)
      const plain = scene.data.tokenOwners.pages(input)
      const mixed = Stream.concat(
        Stream.take(Override.stream(retried)(plain), 1),
        Stream.drop(plain, 1)
      )
      expect(yield* failure(Stream.runDrain(mixed))).toMatchObject({ _tag: "ServiceFailed" })
      expect(scene.asked).toHaveLength(4)
    }))

  it.effect("keeps what the region around its run says of other things", () =>
    Effect.gen(function*() {
      const page = { cursor: null, result: [] }
      const scene = yield* Clients.scene(() => Scripted.json(page), caching)
      const walk = Override.stream(retried)(scene.data.tokenOwners.pages(input))
      yield* Stream.runDrain(walk)
      yield* Stream.runDrain(walk)
      expect(scene.asked).toHaveLength(1)
      yield* Override.effect({ cacheMode: "reload" })(Stream.runDrain(walk))
      expect(scene.asked).toHaveLength(2)
    }))
})

describe("a cache mode", () => {
  it.effect("holds in its region alone", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(counted, caching)
      const ask = Effect.map(price(scene, 1), ({ usdPrice }) => usdPrice)
      const reload = Override.effect({ cacheMode: "reload" })
      expect(yield* Effect.all([ask, ask, reload(ask), ask])).toEqual([1, 1, 2, 2])
      expect(yield* reload(Override.effect({ cacheMode: "default" })(ask))).toBe(2)
    }))
})
