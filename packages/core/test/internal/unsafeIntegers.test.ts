/** Tests what a quoter learns from earlier texts. The values of documents are tested with `LosslessJson.parse`. */
import { expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { makeQuoter } from "../../src/internal/unsafeIntegers.ts"

const unsafe = "12345678901234567890"

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
