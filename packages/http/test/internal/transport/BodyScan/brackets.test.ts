/** Tests that the check of brackets agrees with the parser, above all about truncated documents. */
import { maxDepth, parse } from "@blockquarry/core/LosslessJson"
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { isBalanced } from "../../../../src/internal/transport/BodyScan.ts"

const encode = (text: string) => new TextEncoder().encode(text)

/** Strings in which brackets, quotes and separators are as frequent as anywhere outside of strings. */
const trickyText = FastCheck.string({
  unit: FastCheck.constantFrom(..."{}[]:,\"\\ \n1aé😀", "\ud800"),
  maxLength: 8
})

const document = FastCheck.letrec<{ readonly value: unknown }>((tie) => ({
  value: FastCheck.oneof(
    { maxDepth: 4 },
    trickyText,
    FastCheck.constantFrom(null, true, 0, -1.5e300, "", "}", "],", "\":{", "{\"a\":\"}"),
    FastCheck.array(tie("value"), { maxLength: 4 }),
    FastCheck.dictionary(trickyText, tie("value"), { maxKeys: 4 })
  )
})).value

const body = FastCheck.tuple(
  document,
  FastCheck.constantFrom(undefined, 1, "\t"),
  FastCheck.constantFrom("", "\ufeff", " \r\n"),
  FastCheck.constantFrom("", " \n\t")
).map(([value, indent, before, after]) => before + JSON.stringify(value, null, indent) + after)

const isContainer = (text: string) => /^[\ufeff\s]*[[{]/.test(text)

const countBrackets = (text: string) => text.replace(/[^[\]{}]/g, "").length

const accepts = (bytes: Uint8Array): boolean => {
  try {
    return Either.isRight(parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)))
  } catch {
    return false
  }
}

describe("isBalanced", () => {
  it("agrees with the parser about every prefix of an object or array", () => {
    FastCheck.assert(
      FastCheck.property(body, (text) => {
        const bytes = encode(text)
        for (let length = 0; length < bytes.byteLength; length++) {
          const prefix = bytes.subarray(0, length)
          if (isBalanced(prefix)) expect([text, length, accepts(prefix)]).toEqual([text, length, true])
        }
        // With few brackets, every object or array needs no parser.
        if (countBrackets(text) <= 64) expect([text, isBalanced(bytes)]).toEqual([text, isContainer(text)])
      })
    )
  })

  const rejected = [
    ...["", " \n", "null", "7", "\"{}\"", "<html>{}</html>", "{}{}", "{} []", "[}", "{]", "{[}]", "]", "}{"],
    ...[`{"a":"}`, `{"a":"}","b":{"c":1}`, `{"a":"},","b":{"c":1}`, `[["],"],[1]`, `{"a":"\\"}`]
  ]

  it.each(rejected)("rejects %s", (text) => {
    expect(isBalanced(encode(text))).toBe(false)
  })

  it("rejects what is not UTF-8", () => {
    expect(isBalanced(new Uint8Array([0x5b, 0x22, 0xff, 0xfe, 0x22, 0x5d]))).toBe(false)
    expect(isBalanced(new Uint8Array(Buffer.from(`{"a":1}`, "utf16le")))).toBe(false)
  })

  it("leaves a document that is too deep, or has very many brackets, to the parser", () => {
    const nested = (depth: number) =>
      encode(`${"[".repeat(depth)}"${"x".repeat(200_000)}"${"]".repeat(depth)}`)
    expect(isBalanced(nested(maxDepth))).toBe(true)
    expect(isBalanced(nested(maxDepth + 1))).toBe(false)
    expect(isBalanced(encode(`[${"{},".repeat(10_000)}{}]`))).toBe(false)
  })
})
