/** Tests pagination by the upstream's cursors. */
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { address } from "../support/Examples.ts"
import { failureOf } from "../support/Failures.ts"
import { addressOf } from "../support/PriceCalls.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import * as TestClients from "../support/TestClients.ts"

const owner = (balance: number, number = 0) => ({
  owner_address: addressOf(number),
  balance: String(balance)
})

/** Pages, each after its own cursor. The last has an absent, null or empty cursor. */
const lists = FastCheck.record({
  pages: FastCheck.array(FastCheck.array(FastCheck.nat(), { maxLength: 4 }), { minLength: 1, maxLength: 8 }),
  cursors: FastCheck.uniqueArray(
    FastCheck.oneof(
      FastCheck.string({ unit: "grapheme", minLength: 1 }),
      FastCheck.stringMatching(/^[A-Za-z0-9+/]{400}={0,2}$/),
      FastCheck.constantFrom("null", "0", "?", "&cursor=x", "a b", "%20", "../..", "é😀", "undefined"),
      FastCheck.nat()
    ),
    { minLength: 8, maxLength: 8, selector: String }
  ),
  end: FastCheck.constantFrom<Readonly<Record<string, unknown>>>({}, { cursor: null }, { cursor: "" })
})

type List = typeof lists extends FastCheck.Arbitrary<infer A> ? A : never

const service =
  ({ cursors, end, pages }: List) =>
  ({ url }: ScriptedClient.RecordedRequest): ScriptedClient.ScriptedReply => {
    const cursor = url.searchParams.get("cursor")
    const number = cursor === null ? 0 : cursors.findIndex((candidate) => String(candidate) === cursor) + 1
    const last = number === pages.length - 1
    return ScriptedClient.json({
      ...(last ? end : { cursor: cursors[number] }),
      result: pages[number]?.map((balance, index) => owner(balance, number * 100 + index))
    })
  }

const input = { token_address: address, chain: "eth", limit: 4, order: "DESC" } as const

const balances = <E, R>(pagination: Stream.Stream<{ readonly balance: bigint | null }, E, R>) =>
  Effect.map(
    Stream.runCollect(pagination),
    (records) => Chunk.toReadonlyArray(records).map(({ balance }) => Number(balance))
  )

describe("a list with cursors", () => {
  it.effect.prop(
    "ends only at an absent, null or empty cursor, repeats the parameters with each cursor unchanged, and continues after any",
    { list: lists, nth: FastCheck.nat() },
    ({ list, nth }) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness(service(list))
        const { items, pages } = harness.data.tokenOwners
        // An empty cursor is that of the first page
        expect(yield* balances(items(input, { cursor: "" }))).toEqual(list.pages.flat())
        expect(harness.requests.map(({ url }) => Object.fromEntries(url.searchParams))).toEqual(
          list.pages.map((_, index) => ({
            chain: "0x1",
            limit: "4",
            order: "DESC",
            ...(index === 0 ? {} : { cursor: String(list.cursors[index - 1]) })
          }))
        )
        const collected = Chunk.toReadonlyArray(yield* Stream.runCollect(pages({ ...input, cursor: "" })))
        expect(collected.map(({ result }) => result.length)).toEqual(list.pages.map(({ length }) => length))
        expect(collected.map(({ cursor }) => cursor)).toEqual([
          ...list.cursors.slice(0, list.pages.length - 1).map(String),
          null
        ])
        const { cursor } = collected[nth % list.pages.length] ?? expect.fail("no page")
        if (cursor === null) return
        const remaining = list.pages.slice(nth % list.pages.length + 1).flat()
        expect(yield* balances(items(input, { cursor }))).toEqual(remaining)
        expect(yield* balances(items({ ...input, cursor }))).toEqual(remaining)
      })
  )

  it.effect.prop("fails at a repeated cursor, after the pages before it", {
    list: lists,
    back: FastCheck.nat(7)
  }, ({ back, list }) =>
    Effect.gen(function*() {
      const to = back % list.pages.length
      const cursors = list.cursors.slice(0, list.pages.length)
      // The last page repeats cursor `to`.
      const harness = yield* TestClients.harness(service({ ...list, cursors, end: { cursor: cursors[to] } }))
      const delivered: Array<number> = []
      const pagination = Stream.runForEach(harness.data.tokenOwners.items(input), ({ balance }) =>
        Effect.sync(() => delivered.push(Number(balance))))
      if (to === list.pages.length - 1) {
        return
      }
      expect(yield* failureOf(pagination)).toMatchObject({
        _tag: "PaginationError",
        reason: "CursorRepeated"
      })
      expect(harness.requests).toHaveLength(list.pages.length)
      expect(delivered).toEqual(list.pages.slice(0, -1).flat())
    }))
})

describe("a cursor", () => {
  it.effect.each(["\ud800", {}, [], true])(
    "that is %j fails the list, instead of ending it",
    (cursor) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness([ScriptedClient.json({ cursor, result: [owner(5)] })])
        const error = yield* failureOf(Stream.runDrain(harness.data.tokenOwners.items(input)))
        expect(["InvalidInputError", "InvalidResponseError", "PaginationError"]).toContain(error._tag)
      })
  )
})
