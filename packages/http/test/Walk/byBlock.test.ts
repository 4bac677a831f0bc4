/** The walk of a list that comes without cursors, held against a model of such a service. */
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import * as Clients from "../support/Clients.ts"
import { address } from "../support/Examples.ts"
import * as Transfers from "../support/Transfers.ts"

const questions = FastCheck.record({
  transfers: Transfers.transfers,
  size: FastCheck.integer({ min: 1, max: 20 }),
  total: FastCheck.boolean(),
  order: FastCheck.constantFrom<"ASC" | "DESC" | undefined>("ASC", "DESC", undefined),
  from_block: FastCheck.option(FastCheck.integer({ min: 90, max: 200 }), { nil: undefined }),
  to_block: FastCheck.option(FastCheck.integer({ min: 200, max: 400 }), { nil: undefined }),
  arriving: FastCheck.array(FastCheck.integer({ min: 1, max: 3 }), { maxLength: 4 })
})

type Question = typeof questions extends FastCheck.Arbitrary<infer A> ? A : never

const inputOf = ({ from_block, order, to_block }: Question) => ({
  address,
  limit: 100,
  from_block,
  order,
  to_block
})

/** What the service has of a question, by name and in order. */
const selected = (transfers: ReadonlyArray<Transfers.Transfer>, question: Question) => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(inputOf(question))) {
    if (value !== undefined) query.set(name, String(value))
  }
  return Transfers.select(transfers, query)
}

describe("a list without cursors", () => {
  it.effect.prop(
    "gives every record that was there at the first page once and in order, or says that it cannot",
    {
      question: questions
    },
    ({ question }) =>
      Effect.gen(function*() {
        const { size, total, transfers } = question
        const arriving = Transfers.after(transfers, question.arriving)
        const scene = yield* Clients.scene(Transfers.service({ transfers, size, total, arriving }))
        const walk = yield* Stream.runCollect(scene.data.walletTransfers.items(inputOf(question))).pipe(
          Effect.either
        )
        const expected = selected(transfers, question)
        const all = selected([...transfers, ...arriving.flat()], question)
        if (Either.isLeft(walk)) {
          expect(walk.left).toHaveProperty("reason", "BlockOverflow")
          // Only where a block may really hold more than a page shows.
          const seen = question.order === "ASC" ? all : expected
          const alone = [expected, seen].some((records) =>
            new Set(records.map(({ block }) => block)).size === 1
          )
          expect(Transfers.biggestBlock(seen) >= size || !total && alone).toBe(true)
          return
        }
        const given = Chunk.toReadonlyArray(walk.right).map(Transfers.name)
        const initial = new Set(expected.map(Transfers.nameOf))
        expect(given.filter((name) => initial.has(name))).toEqual(expected.map(Transfers.nameOf))
        const late = given.filter((name) => !initial.has(name))
        expect(new Set(late).size).toBe(late.length)
        if (question.order === "ASC") expect(given).toEqual(all.map(Transfers.nameOf).slice(0, given.length))
        else expect(late).toEqual([])
      }),
    { fastCheck: { numRuns: 120 } }
  )

  it.effect.prop("is walked to its end wherever its pages are longer than its blocks", {
    question: questions
  }, ({ question }) =>
    Effect.gen(function*() {
      const size = Transfers.biggestBlock(question.transfers) + 1
      const scene = yield* Clients.scene(
        Transfers.service({ transfers: question.transfers, size, total: true })
      )
      const given = yield* Stream.runCollect(scene.data.walletTransfers.items(inputOf(question)))
      expect(Chunk.toReadonlyArray(given).map(Transfers.name))
        .toEqual(selected(question.transfers, question).map(Transfers.nameOf))
    }), { fastCheck: { numRuns: 50 } })

  it.effect.prop(
    "goes on from any page's cursor with exactly the rest",
    { question: questions },
    ({ question }) =>
      Effect.gen(function*() {
        const { transfers } = question
        const size = Transfers.biggestBlock(transfers) + 1
        const service = Transfers.service({ transfers, size, total: true })
        const scene = yield* Clients.scene(service)
        const { pages, items } = scene.data.walletTransfers
        const input = inputOf(question)
        const whole = Chunk.toReadonlyArray(yield* Stream.runCollect(pages(input)))
        expect(whole.at(-1)?.cursor).toBe(null)
        for (const [index, { cursor }] of whole.slice(0, -1).entries()) {
          expect(cursor).toMatch(/^quarry-walk-1\./)
          const rest = whole.slice(index + 1).flatMap(({ result }) => result)
          const byOption = yield* Stream.runCollect(items({ ...input, limit: 7 }, { cursor: cursor ?? "" }))
          expect(Chunk.toReadonlyArray(byOption).map(Transfers.name)).toEqual(rest.map(Transfers.name))
          const byInput = yield* Stream.runCollect(items({ ...input, cursor: cursor ?? "" }))
          expect(Chunk.toReadonlyArray(byInput).map(Transfers.name)).toEqual(rest.map(Transfers.name))
        }
        expect(scene.asked.every(({ url }) => !url.href.includes("quarry-walk"))).toBe(true)
      }),
    { fastCheck: { numRuns: 30 } }
  )

  it.effect.prop("that begins to send cursors goes on by them, without a record lost or repeated", {
    question: questions,
    cursorsFrom: FastCheck.integer({ min: 1, max: 6 })
  }, ({ cursorsFrom, question }) =>
    Effect.gen(function*() {
      const size = Transfers.biggestBlock(question.transfers) + 1
      const { transfers } = question
      const scene = yield* Clients.scene(Transfers.service({ transfers, size, total: true, cursorsFrom }))
      const given = yield* Stream.runCollect(scene.data.walletTransfers.items(inputOf(question)))
      expect(Chunk.toReadonlyArray(given).map(Transfers.name))
        .toEqual(selected(transfers, question).map(Transfers.nameOf))
      const behind = scene.asked.findIndex(({ url }) => url.searchParams.has("cursor"))
      if (behind >= 0) {
        expect(scene.asked.slice(behind).every(({ url }) => url.searchParams.has("cursor"))).toBe(true)
      }
    }), { fastCheck: { numRuns: 50 } })
})
