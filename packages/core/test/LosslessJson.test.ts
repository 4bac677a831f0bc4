/** `parse` accepts the same documents as `JSON.parse`, and returns the same values as the package `lossless-json`. */
import * as LosslessJson from "@blockquarry/core/LosslessJson"
import { describe, expect, it, vi } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Reference from "lossless-json"
import { forgetAfter } from "../src/internal/unsafeIntegers.ts"
import { isFull } from "./support/sample.ts"

const parsed = (text: string): LosslessJson.JsonValue => Either.getOrThrow(LosslessJson.parse(text))

/** The value of a document according to an independent parser. */
const reference = (text: string): unknown =>
  Reference.parse(text, null, {
    parseNumber: (token): unknown =>
      (/^-?[0-9]+$/.test(token) ? Number.isSafeInteger(Number(token)) : isExact(token))
        ? JSON.parse(token)
        : token,
    onDuplicateKey: ({ newValue }) => newValue
  })

/** Whether JavaScript prints the same decimal number. */
const isExact = (token: string): boolean => {
  const value = Number(token)
  if (!Number.isFinite(value)) return false
  if (value === 0) return !/[1-9]/.test(token.replace(/e.*/i, ""))
  const [exact, printed] = [token, String(value)].map((text) =>
    BigDecimal.normalize(BigDecimal.unsafeFromString(text))
  )
  return exact?.value === printed?.value && exact?.scale === printed?.scale
}

const space = FastCheck.string({ unit: FastCheck.constantFrom(" ", "\n", "\r", "\t"), maxLength: 2 })

/** Most fractions of this kind round to an integer, or to one with few digits. */
const zeros = FastCheck.tuple(FastCheck.nat(30), FastCheck.constantFrom("", "1", "5", "9")).map((
  [length, last]
) => "0".repeat(length) + last).filter((fraction) => fraction !== "")

const digits = FastCheck.string({
  unit: FastCheck.constantFrom(..."0123456789"),
  minLength: 1,
  maxLength: 30,
  size: "max"
})

const integer = FastCheck.oneof(
  FastCheck.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }).map(String),
  FastCheck.bigInt({ min: 2n ** 53n - 9n, max: 2n ** 53n + 9n }).map(String),
  FastCheck.bigInt({ min: -(2n ** 53n) - 9n, max: -(2n ** 53n) + 9n }).map(String),
  FastCheck.bigInt({ min: 10n ** 14n, max: 10n ** 17n }).map(String),
  FastCheck.integer().map(String),
  FastCheck.constantFrom("0", "-0")
)

const number = FastCheck.oneof(
  { arbitrary: integer, weight: 3 },
  FastCheck.tuple(integer, FastCheck.oneof(digits, zeros)).map(([whole, fraction]) => `${whole}.${fraction}`),
  FastCheck.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  FastCheck.tuple(FastCheck.nat(30), FastCheck.constantFrom("e", "E-", ".5e-"), FastCheck.nat(450)).map(([
    length,
    mark,
    exponent
  ]) => `${"1".padEnd(length + 1, "0")}1${mark}${exponent}`),
  FastCheck.tuple(integer, FastCheck.constantFrom("e", "E", "e+", "E-", ".5e"), digits).map((parts) =>
    parts.join("")
  )
)

/** Parts of string literals that look like JSON with an unsafe integer. */
const trap = FastCheck.constantFrom(
  ...["\\\"", "\\\\", "\\/", "\\u0031", "\\u0022", "\\u005c", "\\ud800"],
  ...["-", ":", ",", "[", "}", " ", "é", "😀"],
  ...[":12345678901234567890,", ",[-9007199254740993]", "[ 9007199254740993 ", "12345678901234567890"],
  "{\\\"value\\\": 12345678901234567890}"
)

/**
 * `JSON.parse` of Node 24 reads the key `"\""` as `"\\"` if it has seen an object with the latter key at the same place.
 * The parser inherits that, so no key here ends in a backslash.
 */
const endsInBackslash = (key: string): boolean => key.endsWith("\\")

const string = FastCheck.oneof(
  FastCheck.array(FastCheck.oneof(trap, digits), { maxLength: 6 }).map((pieces) => `"${pieces.join("")}"`),
  FastCheck.string({ unit: "binary" }).map((content) => JSON.stringify(content))
).filter((token) => JSON.parse(token) !== "__proto__")

const key = string.filter((token) => !endsInBackslash(JSON.parse(token)))

/** Random documents as text: `JSON.stringify` never prints some of them. */
const { document } = FastCheck.letrec<{ value: string; document: string }>((tie) => ({
  value: FastCheck.oneof(
    { depthSize: "small" },
    FastCheck.constantFrom("true", "false", "null", "[]", "{}"),
    number,
    number,
    string,
    FastCheck.array(tie("document"), { maxLength: 5 }).map((items) => `[${items.join(",")}]`),
    FastCheck.uniqueArray(FastCheck.tuple(space, key, space, tie("document")), {
      maxLength: 5,
      selector: ([, key]): unknown => JSON.parse(key)
    }).map((members) =>
      `{${members.map(([before, key, after, value]) => `${before}${key}${after}:${value}`).join(",")}}`
    )
  ),
  document: FastCheck.tuple(space, tie("value"), space).map((parts) => parts.join(""))
}))

const parseError = (text: string): LosslessJson.LosslessJsonError =>
  Either.getOrThrow(Either.flip(LosslessJson.parse(text)))

const isAccepted = (text: string): boolean => Either.isRight(LosslessJson.parse(text))

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const snippet = FastCheck.oneof(
  FastCheck.constantFrom(..."{}[]:,\"\\-+.e0\n\u00a0\ufeff "),
  FastCheck.constantFrom("12345678901234567890", "-9007199254740993", "00000000000000001", "{\"a\":", "true"),
  trap
)

/** A document with parts removed or inserted at random positions. */
const corrupted = FastCheck.tuple(
  document,
  FastCheck.array(FastCheck.tuple(FastCheck.nat(), FastCheck.nat({ max: 3 }), snippet), {
    minLength: 1,
    maxLength: 3
  })
).map(([text, edits]) =>
  edits.reduce((edited, [position, removed, inserted]) => {
    const at = position % (edited.length + 1)
    return edited.slice(0, at) + inserted + edited.slice(at + removed)
  }, text)
)

const randomTokens = FastCheck.array(FastCheck.oneof(snippet, integer, string), { maxLength: 12 }).map((
  pieces
) => pieces.join(""))

/** The document at the end of an array with more brackets than `maxDepth`, none of them nested deeply. */
const amongBrackets = (text: string): string => `[${"[],".repeat(LosslessJson.maxDepth + 1)}${text}]`

/** The document at the end of an array that makes the parser scan every token. */
const afterMisleadingString = (text: string): string =>
  `[",12345678901234567890,",12345678901234567890,${text}]`

/** A parser that has seen no document yet. */
const freshParser = async (): Promise<typeof LosslessJson.parse> => {
  vi.resetModules()
  const { parse } = await import("@blockquarry/core/LosslessJson")
  return parse
}

/** Records whose large integers are values of few members, of many, or elements of arrays. */
const records = FastCheck.oneof(
  FastCheck.constantFrom(["value"], ["value", "amount"], ["value", "amount", "a", "a b", "1"]),
  FastCheck.constant(["id", "value"])
).chain((names) =>
  FastCheck.array(
    FastCheck.array(
      FastCheck.tuple(FastCheck.constantFrom(...names), space, space, FastCheck.oneof(number, string)),
      { maxLength: 3 }
    ).map((members) =>
      `{${members.map(([name, before, after, value]) => `"${name}"${before}:${after}${value}`).join(",")}}`
    ),
    { maxLength: 5 }
  ).map((items) => `[${items.join(",")}]`)
)

describe("parse", () => {
  describe("digits", () => {
    const max = String(2n ** 256n - 1n)
    const boundary = Array.from({ length: 9 }, (_, distance) => 2n ** 53n - 5n + BigInt(distance))

    it.each([
      ...[max, `-${max}`, "-900719925474100", ...boundary.flatMap((amount) => [`${amount}`, `-${amount}`])],
      // JavaScript prints the same numbers
      ...["-0", "1.0", "1.50", "1e2", "-1.5E+300", "5e-324", "0.1", "0.12345678901234568", "1e22", "0e999"],
      // JavaScript rounds these
      ...["4503599627370497.5", "-9007199254740993.0", "1.00000000000000000000000000000001"],
      ...["0.99999999999999999999", "123456789.012345678901234567890123", "1e400", "-1E+400", "1e-400"],
      ...["0.5E-400", "123456789012345678e3", "100000000000000000001e-20"],
      // Strings that look like numbers
      ...["\",12345678901234567890,\"", "\"\\\",12345678901234567890,\"", "\" 1.00000000000000000001 \""]
    ])("returns %s as the reference parser does, in any position", (token) => {
      const amount = "12345678901234567890"
      const texts = [token, ` \n${token}\t`, `[${token},-${max} , \r\n${token}]`, `[" ${amount} ",${token}]`]
      const objects = [`{"a": 1.5, "b" : ${token} , "c":[0.5,${token}]}`, `{":${amount},":${token}}`]
      for (const text of [...texts, ...objects, afterMisleadingString(token)]) {
        expect(parsed(text)).toStrictEqual(reference(text))
      }
    })

    it.prop("returns the same value as the reference parser", [document], ([text]) => {
      expect(parsed(text)).toStrictEqual(reference(text))
    })

    it("returns the same values after any other documents", () =>
      FastCheck.assert(
        FastCheck.asyncProperty(
          FastCheck.array(
            FastCheck.tuple(FastCheck.oneof(records, document), FastCheck.constantFrom(0, forgetAfter - 1)),
            { minLength: 2, maxLength: 5 }
          ),
          async (history) => {
            const parse = await freshParser()
            for (const [text, emptyDocuments] of history) {
              expect(Either.getOrThrow(parse(text))).toStrictEqual(reference(text))
              for (let count = 0; count < emptyDocuments; count += 1) parse("[]")
            }
          }
        )
      ))

    it.prop(
      "returns the same value where every token is scanned, and among many brackets",
      [document],
      ([text]) => {
        for (const unusual of [afterMisleadingString(text), amongBrackets(text)]) {
          expect(parsed(unusual)).toStrictEqual(reference(unusual))
        }
      }
    )
  })

  describe("documents", () => {
    it("ignores one byte order mark at the start", () => {
      expect(parsed("\ufeff{\"value\":12345678901234567890}")).toStrictEqual({
        value: "12345678901234567890"
      })
      expect(parsed("\ufeff12345678901234567890")).toBe("12345678901234567890")
      for (const text of ["\ufeff\ufeff1", " \ufeff1", "1\ufeff", "\ufeff"]) {
        expect(isAccepted(text)).toBe(false)
      }
    })

    it("parses __proto__ as an own key", () => {
      const value = parsed("{\"__proto__\":{\"admin\":12345678901234567890}}")
      expect(Object.entries(value ?? {})).toStrictEqual([["__proto__", { admin: "12345678901234567890" }]])
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    })

    it("returns the last of duplicate keys", () => {
      expect(parsed("{\"a\":12345678901234567890,\"a\":1}")).toStrictEqual({ a: 1 })
      expect(parsed("{\"a\":1,\"a\":12345678901234567890}")).toStrictEqual({ a: "12345678901234567890" })
    })

    it.prop("accepts a corrupted document exactly when JSON.parse does", [corrupted], ([text]) => {
      const accepted = isJson(text.replace(/^\ufeff/, ""))
      expect(isAccepted(text)).toBe(accepted)
      expect(isAccepted(amongBrackets(text))).toBe(isJson(amongBrackets(text)))
      expect(isAccepted(afterMisleadingString(text))).toBe(isJson(afterMisleadingString(text)))
      if (accepted && !text.startsWith("\ufeff")) expect(parsed(text)).toStrictEqual(reference(text))
    })

    it.prop("accepts random tokens exactly when JSON.parse does", [randomTokens], ([text]) => {
      expect(isAccepted(text)).toBe(isJson(text.replace(/^\ufeff/, "")))
      expect(isAccepted(`[${text}]`)).toBe(isJson(`[${text}]`))
      expect(isAccepted(`{"a":${text}}`)).toBe(isJson(`{"a":${text}}`))
    })
  })

  describe("errors", () => {
    it("reports an empty document", () => {
      for (const text of ["", "\ufeff", " \r\n\t"]) expect(parseError(text).reason).toBe("empty document")
    })

    it.prop("rejects an array truncated at any offset", [document, FastCheck.nat()], ([text, position]) => {
      const list = `[${text}]`
      expect(isAccepted(list.slice(0, position % list.length))).toBe(false)
    })

    it("tells truncation from other errors, and does not include the document", () => {
      for (const text of ["{\"value\":12345678901234567890,\"log_index\":", "[1,2", "[\"a"]) {
        expect(parseError(text).message).toBe("truncated JSON")
      }
      for (const text of ["[12345678901234567890 7]", "<html>secret</html>"]) {
        expect(parseError(text).message).toBe("invalid JSON")
      }
    })
  })

  describe("depth", () => {
    const max = LosslessJson.maxDepth
    const tooDeep = `JSON nested more than ${max} levels deep`

    it("accepts documents up to the maximum depth", () => {
      expect(isAccepted("[".repeat(max) + "]".repeat(max))).toBe(true)
      expect(isAccepted("{\"a\":".repeat(max) + "12345678901234567890" + "}".repeat(max))).toBe(true)
      expect(parseError("[".repeat(max + 1) + "]".repeat(max + 1)).reason).toBe(tooDeep)
      expect(isAccepted("{\"a\":".repeat(max + 1) + "1" + "}".repeat(max + 1))).toBe(false)
      expect(isAccepted("[{\"a\":".repeat(max / 2) + "[]" + "}]".repeat(max / 2))).toBe(false)
      expect(parseError("[".repeat(2 ** 21)).reason).toBe(tooDeep)
    })

    it("does not count siblings and brackets in strings", () => {
      expect(parsed(`[${"{},".repeat(10_000)}[12345678901234567890]]`)).toHaveLength(10_001)
      expect(parsed(`["${"[{\\\"".repeat(10_000)}",12345678901234567890]`)).toHaveLength(2)
      expect(isAccepted(`${"[\"]\",".repeat(max + 1)}1${"]".repeat(max + 1)}`)).toBe(false)
    })
  })

  // With more than linear time these take hours
  describe("hostile texts", () => {
    const many = isFull ? 2 ** 22 : 2 ** 19
    const shapes: ReadonlyArray<readonly [name: string, text: string]> = [
      ["digits", "1".repeat(many)],
      ["quotes", "\"".repeat(many)],
      ["backslashes in a string", `"${"\\".repeat(many)}"`],
      ["escaped quotes around integers", `"${"\\\",12345678901234567890".repeat(many / 16)}"`],
      ["integers in strings", `[${"\",12345678901234567890,\",".repeat(many / 16)}1]`],
      ["integers", `[${"12345678901234567890,".repeat(many / 16)}1]`],
      [
        "integers, and a string that looks like one",
        `[${"12345678901234567890,".repeat(many / 16)}",12345678901234567890,"]`
      ],
      ["fractions", `[${"1.00000000000000000001,".repeat(many / 16)}1]`],
      ["exponents", "1e-1".repeat(many)],
      ["a fraction of zeros with a large value", `[1e99,1.${"0".repeat(many)}]`],
      ["white space around an integer", `[${" ".repeat(many)}12345678901234567890${" ".repeat(many)}]`]
    ]

    it.each(shapes)("%s", (_name, text) => {
      expect(isAccepted(text)).toBe(isJson(text))
    })

    it("keeps millions of digits", () => {
      const amount = `-${"123456789".repeat(many / 9)}`
      expect(parsed(amount) === amount).toBe(true)
    })
  })
})

/** Finds the elements of an array without parsing them. */
describe("elementTexts", () => {
  it.prop("returns the text of every element, in order", {
    elements: FastCheck.array(document, { maxLength: 5 }),
    before: document,
    after: document
  }, ({ after, before, elements }) => {
    const text = `{"before":${before},"list":[${elements.join(",")}],"after":${after}}`
    expect(LosslessJson.elementTexts(text, "list")).toEqual(elements.map((element) => element.trim()))
  })

  it("uses the last of several members with the name, however it is escaped", () => {
    expect(LosslessJson.elementTexts("{\"list\":[1],\"\\u006cist\":[2,3]}", "list")).toEqual(["2", "3"])
    expect(LosslessJson.elementTexts("{\"list\":[1],\"list\":null}", "list")).toEqual([])
  })

  it("returns nothing if the document has no such array", () => {
    const texts = ["null", "3", "{}", "[1]", "[\"list\",[1]]", "{\"a\":[1]}", "{\"a\":\"list\"}"]
    for (const text of [...texts, "{\"a\":{\"list\":[1]}}", "{\"list\":{\"a\":1}}", "{\"list\":[]}"]) {
      expect(LosslessJson.elementTexts(text, "list"), text).toEqual([])
    }
  })
})
