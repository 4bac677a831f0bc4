/** Tests concurrent pagination of the subranges of a contract's NFTs. */
import * as ParallelRanges from "@blockquarry/http/ParallelRanges"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { address } from "./support/Examples.ts"
import { failureOf } from "./support/Failures.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import * as TestClients from "./support/TestClients.ts"

/** A contract with `count` NFTs in pages of `size`. They are divided among the subranges, each with its own cursors. */
const service =
  (count: number, size: number, firstRange: number) =>
  ({ url }: ScriptedClient.RecordedRequest): ScriptedClient.ScriptedReply => {
    const parameter = (name: string) => Number(url.searchParams.get(name) ?? Number.NaN)
    const range = parameter("range") - firstRange
    const all = Array.from({ length: count }, (_, id) => id).filter((id) =>
      id % parameter("totalRanges") === range
    )
    const [of, from] = (url.searchParams.get("cursor") ?? `${range}:0`).split(":").map(Number)
    if (of !== range || from === undefined) return ScriptedClient.respond(400)
    return ScriptedClient.json({
      cursor: from + size < all.length ? `${range}:${from + size}` : null,
      result: all.slice(from, from + size).map((id) => ({ token_address: address, token_id: String(id) }))
    })
  }

const idsOf = (harness: TestClients.Harness, options: ParallelRanges.ParallelRangesOptions) =>
  Effect.map(
    Stream.runCollect(ParallelRanges.contractNfts(harness.data, { address, chain: "eth" }, options)),
    (nfts) => Chunk.toReadonlyArray(nfts).map(({ token_id }) => Number(token_id))
  )

describe("ParallelRanges", () => {
  it.effect.prop("returns every NFT once, and the NFTs of each subrange in order", {
    count: FastCheck.nat(30),
    size: FastCheck.integer({ min: 1, max: 9 }),
    totalRanges: FastCheck.integer({ min: 1, max: 6 }),
    firstRange: FastCheck.constantFrom(undefined, 0, 1),
    concurrency: FastCheck.constantFrom(undefined, 1, 2)
  }, ({ concurrency, count, firstRange, size, totalRanges }) =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(service(count, size, firstRange ?? 1))
      const ids = yield* idsOf(harness, { totalRanges, firstRange, concurrency })
      expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, id) => id))
      for (let range = 0; range < totalRanges; range++) {
        const idsOfRange = ids.filter((id) => id % totalRanges === range)
        expect(idsOfRange).toEqual(idsOfRange.toSorted((a, b) => a - b))
      }
    }))

  it.effect.each([0, -1, 1.5, Number.NaN])(
    "fails if totalRanges is %d",
    (totalRanges) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness([])
        expect(yield* failureOf(idsOf(harness, { totalRanges }))).toMatchObject({
          _tag: "InvalidInputError",
          issues: [{ parameter: "totalRanges" }]
        })
      })
  )

  it.effect("fails with a page of a subrange that fails", () =>
    Effect.gen(function*() {
      const nfts = service(60, 5, 1)
      const harness = yield* TestClients.harness((request, number) =>
        number === 7 ? ScriptedClient.respond(400) : nfts(request)
      )
      expect(yield* failureOf(idsOf(harness, { totalRanges: 3 }))).toMatchObject({
        _tag: "RequestRejectedError"
      })
    }))

  it.effect("paginates as many subranges concurrently as the option allows", () =>
    Effect.gen(function*() {
      for (const [concurrency, atOnce] of [[undefined, 5], [2, 2], [1, 1]] as const) {
        const harness = yield* TestClients.harness(() => ScriptedClient.Hang())
        const fiber = yield* Effect.fork(idsOf(harness, { totalRanges: 5, concurrency }))
        yield* TestClock.adjust("1 second")
        expect(harness.requests).toHaveLength(atOnce)
        yield* Fiber.interrupt(fiber)
        expect(harness.requests.every(({ signal }) => signal.aborted)).toBe(true)
      }
    }))
})
