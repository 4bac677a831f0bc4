/** NFTs of a contract in subranges, side by side. */
import * as SideBySide from "@blockquarry/http/SideBySide"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as Clients from "./support/Clients.ts"
import { address } from "./support/Examples.ts"
import { failure } from "./support/Failure.ts"
import * as Scripted from "./support/Scripted.ts"

/** A contract of `count` NFTs in pages of `size`: each subrange has every so many of them, and its own cursors. */
const service =
  (count: number, size: number, firstRange: number) => ({ url }: Scripted.Asked): Scripted.Reply => {
    const ask = (name: string) => Number(url.searchParams.get(name) ?? Number.NaN)
    const range = ask("range") - firstRange
    const all = Array.from({ length: count }, (_, id) => id).filter((id) => id % ask("totalRanges") === range)
    const [of, from] = (url.searchParams.get("cursor") ?? `${range}:0`).split(":").map(Number)
    if (of !== range || from === undefined) return Scripted.answer(400)
    return Scripted.json({
      cursor: from + size < all.length ? `${range}:${from + size}` : null,
      result: all.slice(from, from + size).map((id) => ({ token_address: address, token_id: String(id) }))
    })
  }

const idsOf = (scene: Clients.Scene, options: SideBySide.SideBySideOptions) =>
  Effect.map(
    Stream.runCollect(SideBySide.contractNfts(scene.data, { address, chain: "eth" }, options)),
    (nfts) => Chunk.toReadonlyArray(nfts).map(({ token_id }) => Number(token_id))
  )

describe("subranges side by side", () => {
  it.effect.prop("give every NFT once, and each subrange in its order", {
    count: FastCheck.nat(60),
    size: FastCheck.integer({ min: 1, max: 9 }),
    totalRanges: FastCheck.integer({ min: 1, max: 6 }),
    firstRange: FastCheck.constantFrom(undefined, 0, 1),
    concurrency: FastCheck.constantFrom(undefined, 1, 2)
  }, ({ concurrency, count, firstRange, size, totalRanges }) =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(service(count, size, firstRange ?? 1))
      const ids = yield* idsOf(scene, { totalRanges, firstRange, concurrency })
      expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, id) => id))
      for (let range = 0; range < totalRanges; range++) {
        const own = ids.filter((id) => id % totalRanges === range)
        expect(own).toEqual(own.toSorted((a, b) => a - b))
      }
    }), { fastCheck: { numRuns: 50 } })

  it.effect("are numbered from 1, or from the number that the option says", () =>
    Effect.gen(function*() {
      for (const [firstRange, expected] of [[undefined, ["1", "2", "3"]], [0, ["0", "1", "2"]]] as const) {
        const scene = yield* Clients.scene(() => Scripted.json({ result: [] }))
        yield* idsOf(scene, { totalRanges: 3, firstRange })
        expect(scene.asked.map(({ url }) => url.searchParams.get("range")).toSorted()).toEqual(expected)
        expect(scene.asked.every(({ url }) => url.searchParams.get("totalRanges") === "3")).toBe(true)
        expect(scene.asked.every(({ url }) => url.searchParams.get("chain") === "0x1")).toBe(true)
      }
    }))

  it.effect("are walked at the same time, as many as the option says", () =>
    Effect.gen(function*() {
      for (const [concurrency, atOnce] of [[undefined, 5], [2, 2], [1, 1]] as const) {
        const scene = yield* Clients.scene(() => Scripted.Hang())
        const fiber = yield* Effect.fork(idsOf(scene, { totalRanges: 5, concurrency }))
        yield* TestClock.adjust("1 second")
        expect(scene.asked).toHaveLength(atOnce)
        yield* Fiber.interrupt(fiber)
        expect(scene.asked.every(({ signal }) => signal.aborted)).toBe(true)
      }
    }))

  it.effect("fail when one of them fails, and stop the others", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(({ url }) =>
        url.searchParams.get("range") === "2" ? Scripted.answer(400) : Scripted.Hang()
      )
      expect((yield* failure(idsOf(scene, { totalRanges: 3 })))._tag).toBe("BadRequest")
      yield* TestClock.adjust("1 hour")
      expect(scene.asked.length).toBeLessThanOrEqual(3)
    }))

  it.effect("are refused when there are none", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene([])
      expect((yield* failure(idsOf(scene, { totalRanges: 0 })))._tag).toBe("InvalidRequest")
    }))
})
