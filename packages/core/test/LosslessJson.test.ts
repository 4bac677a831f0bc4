/**
 * Tests for `LosslessJson`: against `JSON.parse` for what is accepted, against the package `lossless-json`
 * for what is read.
 */
import * as LosslessJson from "@blockquarry/core/LosslessJson"
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Reference from "lossless-json"

const read = (text: string): LosslessJson.JsonValue => Either.getOrThrow(LosslessJson.parse(text))

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

/** What the text must read as, by a parser that shares no code with ours. */
const reference = (text: string): unknown =>
  Reference.parse(text, null, {
    parseNumber: (token): unknown =>
      /^-?[0-9]+$/.test(token) && !Number.isSafeInteger(Number(token)) ? token : JSON.parse(token),
    onDuplicateKey: ({ newValue }) => newValue
  })

// ----------------------------------------------------------------------------------------------------
// Random documents, as text: what JSON.stringify would never write must be tried too
// ----------------------------------------------------------------------------------------------------

const runs = { fastCheck: { numRuns: 2000 } }

const space = FastCheck.string({ unit: FastCheck.constantFrom(" ", "\n", "\r", "\t"), maxLength: 2 })

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
  FastCheck.tuple(integer, digits).map(([whole, fraction]) => `${whole}.${fraction}`),
  FastCheck.tuple(integer, FastCheck.constantFrom("e", "E", "e+", "E-", ".5e"), digits).map((parts) =>
    parts.join("")
  )
)

/** Pieces of string content that look like JSON around an unsafe integer. */
const trap = FastCheck.constantFrom(
  "\\\"",
  "\\\\",
  "\\/",
  "\\u0031",
  "\\u0022",
  "\\u005c",
  "\\ud800",
  ":12345678901234567890,",
  ",[-9007199254740993]",
  "[ 9007199254740993 ",
  "{\\\"value\\\": 12345678901234567890}",
  "12345678901234567890",
  "-",
  ":",
  ",",
  "[",
  "}",
  " ",
  "é",
  "😀"
)

const string = FastCheck.oneof(
  FastCheck.array(FastCheck.oneof(trap, digits), { maxLength: 6 }).map((pieces) => `"${pieces.join("")}"`),
  FastCheck.string({ unit: "binary" }).map((content) => JSON.stringify(content))
).filter((token) => JSON.parse(token) !== "__proto__")

const { document } = FastCheck.letrec<{ value: string; document: string }>((tie) => ({
  value: FastCheck.oneof(
    { depthSize: "small" },
    FastCheck.constantFrom("true", "false", "null", "[]", "{}"),
    number,
    number,
    string,
    FastCheck.array(tie("document"), { maxLength: 5 }).map((items) => `[${items.join(",")}]`),
    FastCheck.uniqueArray(FastCheck.tuple(space, string, space, tie("document")), {
      maxLength: 5,
      selector: ([, key]): unknown => JSON.parse(key)
    }).map((members) =>
      `{${members.map(([before, key, after, value]) => `${before}${key}${after}:${value}`).join(",")}}`
    )
  ),
  document: FastCheck.tuple(space, tie("value"), space).map((parts) => parts.join(""))
}))

const snippet = FastCheck.oneof(
  FastCheck.constantFrom(
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\\",
    "-",
    "+",
    ".",
    "e",
    "0",
    "\n",
    "\u00a0",
    "\ufeff"
  ),
  FastCheck.constantFrom(
    "12345678901234567890",
    "-9007199254740993",
    "00000000000000001",
    "{\"a\":",
    "true",
    " "
  ),
  trap
)

/** A document with a few pieces cut out, or put in at random places. */
const corrupted = FastCheck.tuple(
  document,
  FastCheck.array(FastCheck.tuple(FastCheck.nat(), FastCheck.nat({ max: 3 }), snippet), {
    minLength: 1,
    maxLength: 3
  })
).map(([text, edits]) =>
  edits.reduce((edited, [place, removed, inserted]) => {
    const at = place % (edited.length + 1)
    return edited.slice(0, at) + inserted + edited.slice(at + removed)
  }, text)
)

const soup = FastCheck.array(FastCheck.oneof(snippet, integer, string), { maxLength: 12 }).map((pieces) =>
  pieces.join("")
)

/** The same document last in an array with more brackets than the depth allows, though none of them deep. */
const amongBrackets = (text: string): string => `[${"[],".repeat(LosslessJson.maxDepth + 1)}${text}]`

// ----------------------------------------------------------------------------------------------------

describe("parse", () => {
  describe("digits", () => {
    it("keeps every digit of an unsafe integer, wherever it stands", () => {
      const max = String(2n ** 256n - 1n)
      expect(read(max)).toBe(max)
      expect(read(` \n-${max}\t`)).toBe(`-${max}`)
      expect(read(`[${max},-${max} , \r\n${max}]`)).toStrictEqual([max, `-${max}`, max])
      expect(read(`{"value":${max},"more" : -${max}}`)).toStrictEqual({ value: max, more: `-${max}` })
    })

    it("draws the line where doubles stop being exact", () => {
      for (let distance = -20n; distance <= 20n; distance++) {
        for (const sign of [1n, -1n]) {
          const amount = sign * (2n ** 53n + distance)
          const safe = Number.isSafeInteger(Number(amount))
          expect(read(`[${amount}]`)).toStrictEqual([safe ? Number(amount) : String(amount)])
        }
      }
    })

    it("leaves fractions, exponents and signed zero to JSON.parse", () => {
      for (
        const token of [
          "-0",
          "0.12345678901234567890",
          "12345678901234567890.5",
          "-1e400",
          "12345678901234567890e2"
        ]
      ) {
        expect(read(`[${token}]`)).toStrictEqual(JSON.parse(`[${token}]`))
      }
    })

    it("rounds nothing beside a long fraction or a string that looks like an amount", () => {
      const amount = "12345678901234567890"
      for (const token of [`0.${amount}`, `1e-${amount}`, `",${amount},"`, `"\\",${amount},"`]) {
        expect(read(`[${amount},${token},-${amount}]`)).toStrictEqual([
          amount,
          JSON.parse(token),
          `-${amount}`
        ])
      }
    })

    it("leaves strings and keys alone", () => {
      const inside = "{\"value\":12345678901234567890,\"list\":[ -12345678901234567890 ]}"
      const text = `{"metadata":${JSON.stringify(inside)},":12345678901234567890,":12345678901234567890}`
      expect(read(text)).toStrictEqual({
        "metadata": inside,
        ":12345678901234567890,": "12345678901234567890"
      })
    })

    it.prop("reads as the reference does", [document], ([text]) => {
      expect(read(text)).toStrictEqual(reference(text))
    }, runs)

    it.prop("reads the same among many brackets", [document], ([text]) => {
      expect(read(amongBrackets(text))).toStrictEqual(reference(amongBrackets(text)))
    }, { fastCheck: { numRuns: 300 } })
  })

  describe("documents", () => {
    it("drops one byte order mark, and only at the start", () => {
      expect(read("\ufeff{\"value\":12345678901234567890}")).toStrictEqual({ value: "12345678901234567890" })
      expect(read("\ufeff12345678901234567890")).toBe("12345678901234567890")
      for (const text of ["\ufeff\ufeff1", " \ufeff1", "1\ufeff", "\ufeff"]) {
        expect(isAccepted(text)).toBe(false)
      }
      expect(parseError("\ufeff[1").offset).toBe(3)
    })

    it("takes __proto__ as a plain own key", () => {
      const value = read("{\"__proto__\":{\"admin\":12345678901234567890}}")
      expect(Object.entries(value ?? {})).toStrictEqual([["__proto__", { admin: "12345678901234567890" }]])
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    })

    it("lets the last of equal keys win", () => {
      expect(read("{\"a\":12345678901234567890,\"a\":1}")).toStrictEqual({ a: 1 })
      expect(read("{\"a\":1,\"a\":12345678901234567890}")).toStrictEqual({ a: "12345678901234567890" })
    })

    it("refuses a number in the place of a key, and one with a leading zero", () => {
      for (
        const text of [
          "{12345678901234567890:1}",
          "{\"a\":1,12345678901234567890:1}",
          "{\"a\":1,12345678901234567890}",
          "[00000000000000000001]",
          "[-00000000000000000001]",
          "[- 12345678901234567890]",
          "[--12345678901234567890]",
          "[+12345678901234567890]",
          "12345678901234567890 1",
          "[12345678901234567890n]",
          "[\u00a012345678901234567890]",
          ",12345678901234567890",
          "\"a\n:12345678901234567890,\""
        ]
      ) {
        expect(isAccepted(text), text).toBe(false)
      }
    })

    it.prop("accepts a corrupted document exactly when JSON.parse does", [corrupted], ([text]) => {
      const accepted = isJson(text.replace(/^\ufeff/, ""))
      expect(isAccepted(text)).toBe(accepted)
      expect(isAccepted(amongBrackets(text))).toBe(isJson(amongBrackets(text)))
      if (accepted && !text.startsWith("\ufeff")) expect(read(text)).toStrictEqual(reference(text))
    }, runs)

    it.prop("accepts a soup of tokens exactly when JSON.parse does", [soup], ([text]) => {
      expect(isAccepted(text)).toBe(isJson(text.replace(/^\ufeff/, "")))
      expect(isAccepted(`[${text}]`)).toBe(isJson(`[${text}]`))
      expect(isAccepted(`{"a":${text}}`)).toBe(isJson(`{"a":${text}}`))
    }, runs)
  })

  describe("refusals", () => {
    it("says that an empty text is empty", () => {
      for (const text of ["", "\ufeff", " \r\n\t"]) expect(parseError(text).reason).toBe("the text is empty")
    })

    it("refuses a document cut off at any offset", () => {
      const text =
        "{\"cursor\":\"a\\\"\\u0031:[1\",\"result\":[{\"value\":12345678901234567890,\"fee\":-1.5e-7},true]}"
      expect(isAccepted(text)).toBe(true)
      for (let end = 0; end < text.length; end++) expect(isAccepted(text.slice(0, end)), `${end}`).toBe(false)
    })

    it.prop("refuses a list cut off at any offset", [document, FastCheck.nat()], ([text, place]) => {
      const list = `[${text}]`
      expect(isAccepted(list.slice(0, place % list.length))).toBe(false)
    }, runs)

    it("says that a text is cut off, and where something is wrong in the text as it was given", () => {
      const cut = parseError("{\"value\":12345678901234567890,\"log_index\":")
      expect(cut).toMatchObject({ _tag: "LosslessJsonError", reason: "the JSON text is cut off", offset: 42 })
      expect(cut.message).toBe("the JSON text is cut off (at offset 42)")
      expect(parseError("[1,2")).toMatchObject({ reason: "the JSON text is cut off", offset: 4 })
      expect(parseError("[12345678901234567890 7]")).toMatchObject({
        reason: "the text is not JSON",
        offset: 22
      })
    })

    it("shows nothing of the text", () => {
      const error = parseError("<html>secret</html>")
      expect(error).toMatchObject({ reason: "the text is not JSON", offset: undefined })
      expect(error.message).not.toContain("secret")
    })
  })

  describe("depth", () => {
    const max = LosslessJson.maxDepth

    it("accepts what is as deep as allowed, and nothing deeper", () => {
      expect(isAccepted("[".repeat(max) + "]".repeat(max))).toBe(true)
      expect(isAccepted("{\"a\":".repeat(max) + "12345678901234567890" + "}".repeat(max))).toBe(true)
      expect(parseError("[".repeat(max + 1) + "]".repeat(max + 1))).toMatchObject({
        reason: `nested deeper than ${max} levels`,
        offset: max
      })
      expect(isAccepted("{\"a\":".repeat(max + 1) + "1" + "}".repeat(max + 1))).toBe(false)
      expect(isAccepted("[{\"a\":".repeat(max / 2) + "[]" + "}]".repeat(max / 2))).toBe(false)
    })

    it("counts no siblings, and no brackets in strings", () => {
      expect(read(`[${"{},".repeat(10_000)}[12345678901234567890]]`)).toHaveLength(10_001)
      expect(read(`["${"[{\\\"".repeat(10_000)}",12345678901234567890]`)).toHaveLength(2)
      expect(isAccepted(`${"[\"]\",".repeat(max + 1)}1${"]".repeat(max + 1)}`)).toBe(false)
    })
  })

  // Anything but linear work on these takes hours, not seconds
  describe("hostile texts", () => {
    const many = 2 ** 22
    const shapes: ReadonlyArray<readonly [name: string, text: string]> = [
      ["digits", "1".repeat(many)],
      ["digits in a list", `[${"1".repeat(many)}]`],
      ["digits in a string", `"${"1".repeat(many)}"`],
      ["digits cut off", `[${"1".repeat(many)}`],
      ["digits after a zero", `[0${"0".repeat(many)}]`],
      ["quotes", "\"".repeat(many)],
      ["backslashes", "\\".repeat(many)],
      ["backslashes in a string", `"${"\\".repeat(many)}"`],
      ["an open string of backslashes", `["${"\\".repeat(many + 1)}"`],
      ["escaped quotes around integers", `"${"\\\",12345678901234567890".repeat(many / 16)}"`],
      ["integers in a string", `"${",12345678901234567890".repeat(many / 16)}"`],
      ["integers in strings", `[${"\",12345678901234567890,\",".repeat(many / 16)}1]`],
      ["integers", `[${"12345678901234567890,".repeat(many / 16)}1]`],
      [
        "integers, and a string that looks so",
        `[${"12345678901234567890,".repeat(many / 16)}",12345678901234567890,"]`
      ],
      ["integers without end", "[" + "-12345678901234567890,".repeat(many / 16)],
      ["safe integers", `[${"9007199254740991,".repeat(many / 16)}1]`],
      ["runs one digit too short", "123456789012345,".repeat(many / 16)],
      ["white space", " ".repeat(many)],
      ["white space around an integer", `[${" ".repeat(many)}12345678901234567890${" ".repeat(many)}]`],
      ["white space between integers", `[${"12345678901234567890      ,\n\t".repeat(many / 16)}1]`],
      ["commas", ",".repeat(many)],
      ["colons and signs", ":-".repeat(many)],
      ["flat lists", `[${"[],".repeat(many / 16)}1]`]
    ]

    it.each(shapes)("%s", (_name, text) => {
      expect(isAccepted(text)).toBe(isJson(text))
    })

    it("keeps millions of digits", () => {
      const amount = `-${"123456789".repeat(500_000)}`
      expect(read(amount) === amount).toBe(true)
    })

    it("refuses millions of brackets at the first too many", () => {
      expect(parseError("[".repeat(many)).offset).toBe(LosslessJson.maxDepth)
      expect(parseError("{\"a\":".repeat(many)).offset).toBe(5 * LosslessJson.maxDepth)
    })
  })
})

describe("stringify", () => {
  const awkward = FastCheck.oneof(
    FastCheck.string({ unit: "binary" }),
    FastCheck.string({ unit: FastCheck.constantFrom("\u007f", "\"", "\\", "5", "-", ":"), maxLength: 8 })
  )

  const leaf = FastCheck.oneof(
    FastCheck.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }),
    FastCheck.bigInt({ min: 2n ** 53n - 9n, max: 2n ** 53n + 9n }),
    awkward,
    FastCheck.double().map((number) => number === 0 ? 0 : number),
    FastCheck.constantFrom(null, undefined, true, false)
  )

  const { value } = FastCheck.letrec<{ value: unknown }>((tie) => ({
    value: FastCheck.oneof(
      { depthSize: "small" },
      leaf,
      leaf,
      FastCheck.array(tie("value"), { maxLength: 5 }),
      FastCheck.dictionary(awkward, tie("value"), { maxKeys: 5 })
    )
  }))

  /** What a value is after a round trip. */
  const arrived = (value: unknown): unknown => {
    if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
    // A large double is written as an integer too, up to 1e21
    if (typeof value === "number") return reference(JSON.stringify(value))
    if (Array.isArray(value)) return value.map((item: unknown) => arrived(item ?? null))
    if (typeof value === "object" && value !== null) {
      return Object.fromEntries(
        Object.entries(value).flatMap(([key, member]) => member === undefined ? [] : [[key, arrived(member)]])
      )
    }
    return value ?? null
  }

  it("prints a bigint as an integer with every digit", () => {
    expect(LosslessJson.stringify({ value: 2n ** 256n - 1n, list: [-(2n ** 64n), 7n], none: undefined }))
      .toBe(
        `{"value":${2n ** 256n - 1n},"list":[-18446744073709551616,7]}`
      )
    expect(LosslessJson.stringify(5n)).toBe("5")
  })

  it("takes no string for a bigint", () => {
    const value = {
      "5\u007f": ["5\u007f", "5\u007f\u007f", "\"5\u007f", "\u007f", "5"],
      "\u007f\u007f": "\u007f\u007f"
    }
    expect(LosslessJson.stringify(value)).toBe(JSON.stringify(value))
  })

  it("is null for what has no JSON form", () => {
    for (const value of [undefined, () => 1, Symbol.iterator]) {
      expect(LosslessJson.stringify(value)).toBe("null")
    }
  })

  it("uses toJSON, and throws on a value that contains itself", () => {
    expect(LosslessJson.stringify({ at: new Date(0), amount: { toJSON: () => 2n ** 64n } })).toBe(
      "{\"at\":\"1970-01-01T00:00:00.000Z\",\"amount\":18446744073709551616}"
    )
    const loop: Array<unknown> = [1n]
    loop.push(loop)
    expect(() => LosslessJson.stringify(loop)).toThrow(TypeError)
  })

  it.prop("writes as the reference does", [value], ([value]) => {
    expect(LosslessJson.stringify(value)).toBe(Reference.stringify(value) ?? "null")
  }, runs)

  it.prop("is read back with every digit", [value], ([value]) => {
    expect(read(LosslessJson.stringify(value))).toStrictEqual(arrived(value))
  }, runs)

  it.prop("is JSON.stringify for what JSON.parse can give", [document], ([text]) => {
    const value: unknown = JSON.parse(text)
    expect(LosslessJson.stringify(value)).toBe(JSON.stringify(value))
  }, runs)
})
