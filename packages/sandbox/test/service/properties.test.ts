import { describe, expect, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import { Fault, parseFault } from "../../src/service/Fault.ts"
import { sliceByBlock } from "../../src/service/ReadPage.ts"
import * as SignedCursor from "../../src/service/SignedCursor.ts"

const text = FastCheck.string({ unit: "grapheme" })

describe("properties", () => {
  it("a cursor decodes for its own list only, to the encoded state", () => {
    const cursors = SignedCursor.make(1)
    const scope = FastCheck.record({ operation: text, parameters: text })
    const state = FastCheck.record({
      page: FastCheck.integer(),
      position: FastCheck.array(text, { maxLength: 2 })
    })
    FastCheck.assert(FastCheck.property(scope, scope, state, (scope, other, state) => {
      const cursor = cursors.encode(scope, state)
      expect(Either.getOrThrow(cursors.decode(scope, cursor))).toMatchObject(state)
      const isEqual = scope.operation === other.operation && scope.parameters === other.parameters
      expect(Either.isRight(cursors.decode(other, cursor))).toBe(isEqual)
      expect(Either.isLeft(SignedCursor.make(2).decode(scope, cursor))).toBe(true)
    }))
    FastCheck.assert(FastCheck.property(scope, text, (scope, invalid) => {
      expect(Either.isLeft(cursors.decode(scope, invalid))).toBe(true)
    }))
  })

  it("a fault is parsed from its directives if its strings have no semicolons and outer spaces", () => {
    FastCheck.assert(FastCheck.property(Arbitrary.make(Fault), (fault) => {
      const texts = [fault.redirect, fault["retry-after"]].filter((value) => value !== undefined)
      FastCheck.pre(texts.every((value) => value === value.trim() && !value.includes(";")))
      const directives = Object.entries(fault).map(([name, value]) =>
        name === "kind" ? String(value) : `${name}=${value}`
      )
      expect(Option.getOrThrow(parseFault(directives.join("; ")))).toEqual(fault)
    }))
  })

  it("pagination by block returns every record of the range once for every page size", () => {
    const blocks = FastCheck.array(FastCheck.nat(20), { maxLength: 40 }).map((blocks) =>
      blocks.sort((a, b) => a - b)
    )
    const range = FastCheck.record({ from: FastCheck.nat(20), to: FastCheck.nat(20) })
    const order = FastCheck.constantFrom("ASC" as const, "DESC" as const)
    FastCheck.assert(
      FastCheck.property(
        blocks,
        range,
        order,
        FastCheck.integer({ min: 1, max: 7 }),
        (blocks, range, order, size) => {
          const records = blocks.map((block, index) => ({ block, index }))
          const sequence = { length: records.length, at: (index: number) => records[index] }
          const inside = records.filter(({ block }) => block >= range.from && block <= range.to)
          const slice = sliceByBlock(sequence, range, order)
          const read: Array<typeof records[number]> = []
          let position: SignedCursor.RecordPosition | null = []
          while (position !== null) {
            const page: ReturnType<typeof slice> = slice(size, position)
            expect(page.records.length).toBeLessThanOrEqual(size)
            read.push(...page.records)
            position = page.next
          }
          expect(read).toEqual(order === "ASC" ? inside : inside.toReversed())
        }
      )
    )
  })
})
