/** Walks as streams: bounded, prefetched, interrupted, run again. */
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as Clients from "../support/Clients.ts"
import { address } from "../support/Examples.ts"
import * as Scripted from "../support/Scripted.ts"
import * as Transfers from "../support/Transfers.ts"

const input = { token_address: address }

/** Twenty pages of three records. */
const service = ({ url }: Scripted.Asked): Scripted.Reply => {
  const page = Number(url.searchParams.get("cursor") ?? 0)
  return Scripted.json({
    cursor: page === 19 ? null : page + 1,
    result: [0, 1, 2].map((place) => ({ owner_address: address, balance: page * 3 + place }))
  })
}

describe("a walk", () => {
  it.effect("asks nothing before it is run, and each page when it is wanted", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(service)
      const { items, pages } = scene.data.tokenOwners
      const stream = items(input)
      expect(scene.asked).toHaveLength(0)
      yield* Stream.runDrain(Stream.take(stream, 3))
      expect(scene.asked).toHaveLength(1)
      yield* Stream.runDrain(Stream.take(stream, 4))
      expect(scene.asked).toHaveLength(3)
      yield* Stream.runHead(pages(input))
      expect(scene.asked).toHaveLength(4)
    }))

  it.effect("gives one chunk for each page", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(service)
      const chunks = yield* Stream.runCollect(Stream.chunks(scene.data.tokenOwners.items(input)))
      expect(Chunk.toReadonlyArray(chunks).map(Chunk.size)).toEqual(Array.from({ length: 20 }, () => 3))
    }))

  it.effect("ends after maxPages, whose last cursor continues", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(service)
      const { items, pages } = scene.data.tokenOwners
      for (const maxPages of [0, 1, 2, 7]) {
        scene.asked.length = 0
        expect(yield* Stream.runCount(pages(input, { maxPages }))).toBe(maxPages)
        expect(scene.asked).toHaveLength(maxPages)
        expect(yield* Stream.runCount(items(input, { maxPages }))).toBe(3 * maxPages)
      }
      expect(yield* Stream.runCount(pages(input, { maxPages: 99 }))).toBe(20)
      const two = Chunk.toReadonlyArray(yield* Stream.runCollect(pages(input, { maxPages: 2 })))
      expect(two.map(({ cursor }) => cursor)).toEqual(["1", "2"])
    }))

  it.effect("ends after maxItems, and asks for no page that it does not need", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(service)
      for (
        const [maxItems, requests] of [[0, 0], [1, 1], [3, 1], [4, 2], [6, 2], [60, 20], [99, 20]] as const
      ) {
        scene.asked.length = 0
        expect(yield* Stream.runCount(scene.data.tokenOwners.items(input, { maxItems })))
          .toBe(Math.min(maxItems, 60))
        expect(scene.asked).toHaveLength(requests)
      }
    }))

  it.effect("gives the same each time that the same value is run, side by side too", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(service)
      const stream = scene.data.tokenOwners.items(input)
      const once = yield* Stream.runCollect(stream)
      expect(yield* Stream.runCollect(stream)).toEqual(once)
      const both = yield* Effect.all([Stream.runCollect(stream), Stream.runCollect(stream)], {
        concurrency: 2
      })
      expect(both).toEqual([once, once])
    }))

  it.effect("by blocks gives the same each time as well", () =>
    Effect.gen(function*() {
      const transfers = [3, 5, 5, 8].map((block, id) => ({ block, id, log: null }))
      const scene = yield* Clients.scene(Transfers.service({ transfers, size: 3 }))
      const stream = scene.data.walletTransfers.items({ address })
      const once = yield* Stream.runCollect(stream)
      expect(Chunk.toReadonlyArray(once).map(Transfers.name)).toEqual([
        "3:null",
        "2:null",
        "1:null",
        "0:null"
      ])
      expect(yield* Stream.runCollect(stream)).toEqual(once)
    }))
})

describe("prefetch", () => {
  it.effect.each([undefined, 0, 1, 3, 8])(
    "%s keeps that many pages ready, fetches one more and no further",
    (prefetch) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene(service)
        const ahead: Array<number> = []
        let read = 0
        yield* Stream.runForEach(scene.data.tokenOwners.pages(input, { prefetch }), () =>
          Effect.gen(function*() {
            read += 1
            // Time for everything that does not wait for the reader.
            yield* TestClock.adjust(0)
            ahead.push(scene.asked.length - read)
          }))
        expect(ahead).toHaveLength(20)
        expect(Math.max(...ahead)).toBe(prefetch === undefined || prefetch === 0 ? 0 : prefetch + 1)
      })
  )

  it.effect("changes nothing of what is read", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(service)
      const { items } = scene.data.tokenOwners
      const plain = yield* Stream.runCollect(items(input))
      expect(yield* Stream.runCollect(items(input, { prefetch: 4 }))).toEqual(plain)
      expect(yield* Stream.runCount(items(input, { prefetch: 4, maxPages: 3 }))).toBe(9)
    }))
})

describe("interruption", () => {
  it.effect.each([0, 3])(
    "of a walk with prefetch %d stops the request that is under way, and asks no more",
    (prefetch) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene((asked, number) => number < 3 ? service(asked) : Scripted.Hang())
        const fiber = yield* Effect.fork(Stream.runDrain(scene.data.tokenOwners.items(input, { prefetch })))
        yield* TestClock.adjust("1 second")
        expect(scene.asked).toHaveLength(3)
        yield* Fiber.interrupt(fiber)
        expect(scene.asked[2]?.signal.aborted).toBe(true)
        yield* TestClock.adjust("1 hour")
        expect(scene.asked).toHaveLength(3)
      })
  )

  it.effect("by a reader that has enough stops the pages that were asked for ahead", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene((asked, number) => number < 2 ? service(asked) : Scripted.Hang())
      yield* Stream.runDrain(Stream.take(scene.data.tokenOwners.items(input, { prefetch: 4 }), 1))
      yield* TestClock.adjust("1 hour")
      expect(scene.asked.slice(1).every(({ signal }) => signal.aborted)).toBe(true)
      expect(scene.asked.length).toBeLessThanOrEqual(2)
    }))
})
