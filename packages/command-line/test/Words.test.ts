/** The words of command lines. Their problems, letters and negations are in the records and tests of both programs. */
import { expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { readWords } from "../src/Words.ts"

const known = [
  { name: "output", alias: "o", value: "format" },
  { name: "verbose", alias: "v", value: null, isNegatable: true }
]

it("reads options anywhere among the other words, in every spelling", () => {
  const text = FastCheck.string({ minLength: 1 }).filter((text) => !text.startsWith("-"))
  const option = FastCheck.oneof(
    FastCheck.tuple(FastCheck.constantFrom("--output=", "-o"), text).map(([flag, value]) =>
      [`${flag}${value.replace(/^=/, "")}`] as const
    ).filter(([word]) => word !== "-o" && word !== "--output="),
    FastCheck.tuple(FastCheck.constantFrom("--output", "-o"), text)
  )
  FastCheck.assert(
    FastCheck.property(FastCheck.array(FastCheck.oneof(option, FastCheck.tuple(text))), (parts) => {
      const isOption = ([first]: (typeof parts)[number]) => first.startsWith("-")
      const { options, positionals, problems } = readWords(known, parts.flat())
      expect(problems).toEqual([])
      expect(positionals).toEqual(parts.filter((part) => !isOption(part)).flat())
      expect(options.get("output") ?? []).toEqual(
        parts.filter(isOption).map(([flag, value]) => value ?? flag.replace(/^(?:--output=|-o)/, ""))
      )
    })
  )
})
