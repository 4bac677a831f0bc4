/** The walk of a list by the service's cursors. */
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import * as Clients from "../support/Clients.ts"
import { address } from "../support/Examples.ts"
import { failure } from "../support/Failure.ts"
import * as Scripted from "../support/Scripted.ts"

const owner = (balance: number) => ({ owner_address: address, balance: String(balance) })

/** A list of pages as the service has it: each page behind its own cursor, the last with an end of some kind. */
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

const service = ({ cursors, end, pages }: List) => ({ url }: Scripted.Asked): Scripted.Reply => {
  const cursor = url.searchParams.get("cursor")
  const number = cursor === null ? 0 : cursors.findIndex((one) => String(one) === cursor) + 1
  const last = number === pages.length - 1
  return Scripted.json({ ...(last ? end : { cursor: cursors[number] }), result: pages[number]?.map(owner) })
}

const input = { token_address: address, chain: "eth", limit: 4, order: "DESC" } as const

const balances = <E, R>(walk: Stream.Stream<{ readonly balance: bigint | null }, E, R>) =>
  Effect.map(
    Stream.runCollect(walk),
    (records) => Chunk.toReadonlyArray(records).map(({ balance }) => Number(balance))
  )

describe("a list with cursors", () => {
  it.effect.prop(
    "is walked to its end: an absent, null or empty cursor, and nothing else",
    { list: lists },
    ({ list }) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene(service(list))
        const { items, pages } = scene.data.tokenOwners
        expect(yield* balances(items(input))).toEqual(list.pages.flat())
        expect(scene.asked).toHaveLength(list.pages.length)
        const walked = Chunk.toReadonlyArray(yield* Stream.runCollect(pages(input)))
        expect(walked.map(({ result }) => result.length)).toEqual(list.pages.map(({ length }) => length))
        expect(walked.map(({ cursor }) => cursor)).toEqual([
          ...list.cursors.slice(0, list.pages.length - 1).map(String),
          null
        ])
      }),
    { fastCheck: { numRuns: 20 } }
  )

  it.effect.prop(
    "is asked for with the same parameters, and each cursor exactly as it came",
    { list: lists },
    ({ list }) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene(service(list))
        yield* Stream.runDrain(scene.data.tokenOwners.items(input))
        for (const [index, { url }] of scene.asked.entries()) {
          expect(Object.fromEntries(url.searchParams)).toEqual({
            chain: "0x1",
            limit: "4",
            order: "DESC",
            ...(index === 0 ? {} : { cursor: String(list.cursors[index - 1]) })
          })
        }
      }),
    { fastCheck: { numRuns: 20 } }
  )

  it.effect.prop(
    "goes on from any page's cursor with exactly the rest",
    { list: lists },
    ({ list }) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene(service(list))
        const { items } = scene.data.tokenOwners
        for (const [index, cursor] of list.cursors.slice(0, list.pages.length - 1).entries()) {
          const rest = list.pages.slice(index + 1).flat()
          expect(yield* balances(items(input, { cursor: String(cursor) }))).toEqual(rest)
          expect(yield* balances(items({ ...input, cursor: String(cursor) }))).toEqual(rest)
        }
      }),
    { fastCheck: { numRuns: 20 } }
  )

  it.effect.prop("breaks at a cursor that it followed before, and gives the pages until then", {
    list: lists,
    back: FastCheck.nat(7)
  }, ({ back, list }) =>
    Effect.gen(function*() {
      const to = back % list.pages.length
      const cursors = list.cursors.slice(0, list.pages.length)
      // The last page points back at the page behind cursor `to`.
      const scene = yield* Clients.scene(service({ ...list, cursors, end: { cursor: cursors[to] } }))
      const given: Array<number> = []
      const walk = Stream.runForEach(scene.data.tokenOwners.items(input), ({ balance }) =>
        Effect.sync(() => given.push(Number(balance))))
      const first = to === list.pages.length - 1
      if (first) {
        return
      }
      expect(yield* failure(walk)).toMatchObject({ _tag: "WalkBroken", reason: "CursorRepeated" })
      expect(scene.asked).toHaveLength(list.pages.length)
      expect(given).toEqual(list.pages.slice(0, -1).flat())
    }), { fastCheck: { numRuns: 40 } })
})

describe("a cursor", () => {
  it.effect("that points at its own page breaks the walk, when resumed from too", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => Scripted.json({ cursor: "again", result: [owner(1)] }))
      const { items } = scene.data.tokenOwners
      expect(yield* failure(Stream.runDrain(items(input)))).toMatchObject({ reason: "CursorRepeated" })
      expect(scene.asked).toHaveLength(2)
      expect(yield* failure(Stream.runDrain(items(input, { cursor: "again" })))).toMatchObject({
        reason: "CursorRepeated"
      })
      expect(scene.asked).toHaveLength(3)
    }))

  it.effect("behind an empty page is followed", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene([
        Scripted.json({ cursor: "a", result: [] }),
        Scripted.json({ cursor: "b", result: [] }),
        Scripted.json({ cursor: "", result: [owner(5)] })
      ])
      expect(yield* balances(scene.data.tokenOwners.items(input))).toEqual([5])
    }))

  it.effect("that no URL can carry is a failure, not a defect", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene([Scripted.json({ cursor: "\ud800", result: [owner(5)] })])
      const error = yield* failure(Stream.runDrain(scene.data.tokenOwners.items(input)))
      expect(["InvalidRequest", "ResponseInvalid", "WalkBroken"]).toContain(error._tag)
    }))

  it.effect("that is empty text begins at the beginning", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => Scripted.json({ cursor: null, result: [owner(5)] }))
      expect(yield* balances(scene.data.tokenOwners.items(input, { cursor: "" }))).toEqual([5])
      expect(yield* balances(scene.data.tokenOwners.items({ ...input, cursor: "" }))).toEqual([5])
      expect(scene.asked.every(({ url }) => !url.searchParams.has("cursor"))).toBe(true)
    }))

  it.effect("of the option wins over the one among the parameters", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene([Scripted.json({ result: [] })])
      yield* balances(scene.data.tokenOwners.items({ ...input, cursor: "a" }, { cursor: "b" }))
      expect(scene.asked[0]?.url.searchParams.get("cursor")).toBe("b")
    }))

  it.effect("may fail to lead on: the pages until then were given", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene([
        Scripted.json({ cursor: "a", result: [owner(5)] }),
        Scripted.answer(400)
      ])
      const given: Array<unknown> = []
      const walk = Stream.runForEach(scene.data.tokenOwners.pages(input), (page) =>
        Effect.sync(() => given.push(page.cursor)))
      expect((yield* failure(walk))._tag).toBe("BadRequest")
      expect(given).toEqual(["a"])
    }))
})
