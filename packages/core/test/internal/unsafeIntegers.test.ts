/** Tests what a quoter learns from earlier texts. The values of documents are tested with `LosslessJson.parse`. */
import { expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { forgetAfter, makeQuoter } from "../../src/internal/unsafeIntegers.ts"

const unsafe = "12345678901234567890"

it("quotes the integers of members that it has learned", () => {
  const quoter = makeQuoter()
  quoter.quoteAll(`{"value":${unsafe}}`)
  expect(quoter.quoteKnown(`{"value":${unsafe},"other":${unsafe}}`)).toBe(
    `{"value":"${unsafe}","other":${unsafe}}`
  )
})

it("skips ahead, until it has skipped an integer of a member that it knows", () => {
  const quoter = makeQuoter()
  const text = (distances: ReadonlyArray<number>) =>
    `[${distances.map((distance) => `{"value":${unsafe},"x":"${"-".repeat(distance)}"}`).join()}]`
  const isExact = (quoted: string) => !quoted.includes(`:${unsafe}`)
  const [even, uneven] = [text([500, 500, 500, 500]), text([500, 500, 100, 500])]
  quoter.quoteAll(even)
  expect(isExact(quoter.quoteKnown(even))).toBe(true)
  const skipped = quoter.quoteKnown(uneven)
  expect(isExact(skipped)).toBe(false)
  expect(isExact(quoter.quoteAll(skipped))).toBe(true)
  expect(isExact(quoter.quoteKnown(uneven))).toBe(true)
})

it("quotes all unsafe integers, at any distance, and after any text", () => {
  const member = FastCheck.tuple(FastCheck.constantFrom("value", "amount"), FastCheck.nat(300))
  const texts = FastCheck.array(
    FastCheck.array(member, { maxLength: 12 }).map((members) =>
      `[${members.map(([name, length]) => `{"${name}":${unsafe},"x":"${"-".repeat(length)}"}`).join()}]`
    ),
    { maxLength: 8 }
  )
  FastCheck.assert(FastCheck.property(texts, (texts) => {
    const quoter = makeQuoter()
    for (const text of texts) {
      expect(quoter.quoteAll(quoter.quoteKnown(text))).toBe(text.replaceAll(unsafe, `"${unsafe}"`))
    }
  }))
})

it.each([
  ["a text with a large integer in one member", `{"other":${unsafe}}`],
  ["a text with large integers in many members", `{"a":${unsafe},"b":${unsafe},"c":${unsafe},"d":${unsafe}}`],
  ["a text with a large integer in an array", `[${unsafe}]`]
])("forgets %s after a while", (_, unusual) => {
  const quoter = makeQuoter()
  quoter.quoteAll(unusual)
  const isKnown = () => quoter.quoteKnown(`{"other":${unsafe}}`) !== `{"other":${unsafe}}`
  for (let text = 0; text < forgetAfter; text += 1) expect(isKnown()).toBe(true)
  expect(isKnown()).toBe(false)
  quoter.quoteAll(`{"other":${unsafe}}`)
  expect(isKnown()).toBe(true)
})
