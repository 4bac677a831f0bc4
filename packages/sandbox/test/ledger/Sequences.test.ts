import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { hexDigits } from "../../src/ledger/Identifiers.ts"
import { makeRandom } from "../../src/ledger/Random.ts"
import { byPosition, fromList, merge } from "../../src/ledger/Sequences.ts"
import { toArray } from "./consistency.ts"

const positions = FastCheck.uniqueArray(
  FastCheck.record({ block: FastCheck.nat(20), logIndex: FastCheck.nat(20) }),
  { selector: ({ block, logIndex }) => block * 100 + logIndex, maxLength: 60 }
)

describe("merge", () => {
  it.prop(
    "sorts by position",
    [positions, FastCheck.infiniteStream(FastCheck.boolean())],
    ([items, coinFlips]) => {
      const sorted = [...items].sort(byPosition)
      const sides = sorted.map((item) => ({ item, isShort: coinFlips.next().value }))
      const side = (short: boolean) =>
        sides.filter(({ isShort }) => isShort === short).map(({ item }) => item)
      const merged = merge(side(true), fromList(side(false)))
      expect(toArray(merged)).toEqual(sorted)
      expect([merged.at(-1), merged.at(merged.length), merged.at(0.5)]).toEqual([
        undefined,
        undefined,
        undefined
      ])
    }
  )
})

describe("hexDigits", () => {
  it("returns unique digits for indexes below and above 2^32", () => {
    const text = hexDigits("test")
    const seen = new Set<string>()
    for (let index = 0; index < 50_000; index++) seen.add(text(index)).add(text(index + 2 ** 32))
    expect(seen.size).toBe(100_000)
    for (const word of seen) if (!/^[0-9a-f]{64}$/.test(word)) expect.fail(word)
  })
})

describe("makeRandom", () => {
  it.prop(
    "stays below its limit",
    [FastCheck.string(), FastCheck.bigInt({ min: 1n, max: 2n ** 256n })],
    ([name, limit]) => {
      const { bigBelow } = makeRandom(name)
      for (let i = 0; i < 10; i++) {
        const value = bigBelow(limit)
        expect(value >= 0n && value < limit).toBe(true)
      }
    }
  )
})
