/** The schemas of single values: the inputs that they decode, the form in which they encode them, and what they reject. */
import { Address, checksum, make } from "@blockquarry/core/Address"
import { Amount, formatUnits, maxUint256, Uint64 } from "@blockquarry/core/Amount"
import { BooleanLike } from "@blockquarry/core/BooleanLike"
import { Cursor } from "@blockquarry/core/Cursor"
import { Decimal, Float } from "@blockquarry/core/Decimal"
import { Hash } from "@blockquarry/core/Hash"
import { Integer, PositiveInteger, TokenDecimals } from "@blockquarry/core/Integer"
import { Json } from "@blockquarry/core/Json"
import { openEnum } from "@blockquarry/core/OpenEnum"
import { TokenId } from "@blockquarry/core/TokenId"
import { PathSegment, WellFormedText } from "@blockquarry/core/WellFormedText"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as BigDecimal from "effect/BigDecimal"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { decode, decodeIssues, encode, isDecodable } from "./support/schema.ts"

interface Scalar {
  readonly schema: Schema.Schema.AnyNoContext
  /** The beginning of the message about an invalid input. */
  readonly expected: string
  /** Encoded values, each with inputs that are decoded to it. */
  readonly reads: ReadonlyArray<readonly [encoded: unknown, ...inputs: ReadonlyArray<unknown>]>
  readonly rejects: ReadonlyArray<unknown>
}

const address = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
const hash = "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b"

/** Hexadecimal digits in other cases than lower case. */
const recased = (
  text: string
) => [text.toUpperCase(), `0x${text.slice(2).toUpperCase()}`, `0X${text.slice(2)}`]

/** Texts that look like `text`, and values of other types. */
const unlike = (text: string) => [
  ...[text.slice(0, -1), `${text}0`, text.slice(2), `${text.slice(0, -1)}g`, ` ${text}`, `${text}\n`],
  ...[`${text}/../x`, "vitalik.eth", "", 5, null, [text]]
]

const notIntegers = [
  ...["-1", "1.5", "1.0", "abc", "1e3", "0x10", "0o10", "0b10"],
  ...[" 5 ", "+1", "1_000", "1,000", "１", "1\n", ""],
  ...[-1, 1.5, NaN, Infinity, true, null, [1], {}]
]
const maxSafe = 9007199254740991
const integer = {
  reads: [[7, 7, "7", "007", `${"0".repeat(100)}7`], [maxSafe, maxSafe, `${maxSafe}`]],
  rejects: [...notIntegers, maxSafe + 1, `${maxSafe + 1}`, 1n]
} as const

const notDecimals = [
  ...["", ".", "-", "abc", "0x10", "1,5", " 1 ", "1.2.3", "1e", "1e1000", "1e-1000", "NaN", "Infinity"],
  ...["1".repeat(1201), `0.${"1".repeat(1201)}`, NaN, Infinity, true, null, {}]
]

const texts = [
  ...["a", " ", "?x=1", "#top", "%", "100%", "a&b=c", "+", "a b"],
  ...["\u0000", "\n", "日本語", "👩‍👩‍👧", "...", "__proto__"]
]
const separators = ["a/b", "../..", "a\\b", "%2f", "a%2Fb", "a%5cb", "%2e%2e", ".", ".."]
const notTexts = ["", "\ud83d", "a\udc00b", "\udc00\ud83d", 5, null, ["a"]]

const scalars: Readonly<Record<string, Scalar>> = {
  Address: {
    schema: Address,
    expected: "expected an address: 0x followed by 40 hexadecimal digits, got ",
    reads: [[address, address, ...recased(address), "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"]],
    rejects: [...unlike(address), hash]
  },
  Hash: {
    schema: Hash,
    expected: "expected a hash: 0x followed by 64 hexadecimal digits, got ",
    reads: [[hash, hash, ...recased(hash), hash.slice(2), hash.slice(2).toUpperCase()]],
    rejects: [...unlike(hash).filter((text) => text !== hash.slice(2)), address, `0x${hash}`]
  },
  Amount: {
    schema: Amount,
    expected: "expected an integer of at least 0, got ",
    reads: [["0", 0, "0", 0n], ["7", "007", 7], [`${maxUint256}`, maxUint256], [`${maxSafe}`, maxSafe]],
    rejects: [...notIntegers, "1".padEnd(10_001, "0"), -1n, "12a45", maxSafe + 1]
  },
  Uint64: {
    schema: Uint64,
    expected: "expected an integer from 0 to 2^64-1, got ",
    reads: [["18446744073709551615", "18446744073709551615"], ["0", 0]],
    rejects: [...notIntegers, "18446744073709551616"]
  },
  TokenId: {
    schema: TokenId,
    expected: "expected a token ID of at most 256 bits, in decimal or in hexadecimal with 0x, got ",
    reads: [["15", 15, "15", "0xf", "0X0F", 15n], ["0", "0x0"], [`${maxUint256}`, `0x${"f".repeat(64)}`]],
    rejects: [
      ...["-1", "1.5", "1e3", "ff", "0x", "0b1", " 1", "1/owners", "..", "", `0x${"0".repeat(65)}`],
      ...[`${maxUint256 + 1n}`, maxUint256 + 1n, -1n, 1.5, maxSafe + 1, null]
    ]
  },
  Integer: { schema: Integer, expected: "expected an integer of at least 0, got ", ...integer },
  TokenDecimals: {
    schema: TokenDecimals,
    expected: "expected an integer from 0 to 255, got ",
    reads: [[18, 18, "18", "018"], [0, 0], [255, 255, "255"]],
    rejects: [...notIntegers, 256, "256", maxSafe, 1n]
  },
  PositiveInteger: {
    schema: PositiveInteger,
    expected: "expected an integer of at least 1, got ",
    ...integer,
    rejects: [...integer.rejects, 0, "0"]
  },
  Float: {
    schema: Float,
    expected: "expected a number, got ",
    reads: [[1.5, 1.5, "1.5"], [1e-21, "1e-21"], [5e-324, 5e-324], [-7, "-7"], [
      1.2345678901234567e19,
      "12345678901234567890"
    ]],
    rejects: [...notDecimals, "1e400"]
  },
  Decimal: {
    schema: Decimal,
    expected: "expected a decimal number, got ",
    reads: [
      ["0", "0", "-0", "0.000", 0],
      ["1.5", "1.50", 1.5, "1.5E+0"],
      ["7.25", "+7.25", "007.250"],
      ["0.5", ".5", 0.5],
      ["5", "5.", 5, "0.5e1"],
      ["1500", "1.5E+3"],
      ["-0.00000025", "-2.5e-7", -2.5e-7],
      ["1000000000000000000000", 1e21],
      ["0.000000000000000000001", "1e-21", 1e-21]
    ],
    rejects: notDecimals
  },
  BooleanLike: {
    schema: BooleanLike,
    expected: "expected true or false, got ",
    reads: [[true, true, "true", "TRUE", "True", 1, "1"], [false, false, "false", "FALSE", "False", 0, "0"]],
    rejects: ["yes", "no", "", "t", " true", 2, -1, null, [], {}]
  },
  Cursor: {
    schema: Cursor,
    expected: "expected a cursor string, got ",
    reads: [["42", 42, "42"], ["", ""], [" a+b&c=%20 ", " a+b&c=%20 "], ["👩‍👩‍👧", "👩‍👩‍👧"]],
    rejects: [null, true, [], {}, undefined]
  },
  WellFormedText: {
    schema: WellFormedText,
    expected: "expected a non-empty, well-formed string, got ",
    reads: [...texts, ...separators].map((text) => [text, text]),
    rejects: notTexts
  },
  PathSegment: {
    schema: PathSegment,
    expected:
      "expected a non-empty string without slashes (plain or as %2f), other than \".\" and \"..\", got ",
    reads: texts.map((text) => [text, text]),
    rejects: [...notTexts, ...separators]
  },
  "an open enumeration": {
    schema: openEnum("red", "green"),
    expected: "Expected string, actual ",
    reads: ["red", "green", "a future color", "RED", ""].map((text) => [text, text]),
    rejects: [1, true, null, undefined, ["red"], {}]
  },
  Json: {
    schema: Json,
    expected: "Expected Json, actual ",
    reads: [null, "", 0, true, [{ a: [1] }]].map((value) => [value, value]),
    // JSON cannot represent them
    rejects: [undefined, 1n, NaN, -Infinity, () => 1, Symbol.iterator, { a: [{ b: 1n }] }, [undefined]]
  }
}

describe.each(Object.entries(scalars))("%s", (_, { expected, reads, rejects, schema }) => {
  it("decodes every form of a value, and encodes it in one", () => {
    const encodeUnknown = Schema.encodeUnknownSync(schema)
    for (const [encoded, ...inputs] of reads) {
      for (const input of inputs) {
        expect([input, encodeUnknown(decode(schema, input))]).toEqual([input, encoded])
      }
    }
  })

  it("rejects everything else, and says what it expects", () => {
    for (const input of rejects) {
      expect([input, isDecodable(schema, input)]).toEqual([input, false])
      expect(decodeIssues(schema, input)).toContain(expected)
    }
  })

  it("decodes what it encodes", () => {
    FastCheck.assert(
      FastCheck.property(Arbitrary.make(Schema.typeSchema(schema)), (value) => {
        expect(decode(schema, Schema.encodeUnknownSync(schema)(value))).toEqual(value)
      })
    )
  })
})

describe("a message about an invalid input", () => {
  it("has the beginning of a long text, on one line", () => {
    expect(decodeIssues(Address, "x".repeat(10_000)).length).toBeLessThan(200)
    expect(decodeIssues(Address, "a\nb")).not.toContain("\n")
  })

  it("says why a number beyond 2^53 is no integer", () => {
    expect(decodeIssues(Amount, 1e18)).toContain(
      "got 1000000000000000000, which is beyond 2^53, where only strings and bigints are exact"
    )
  })
})

describe("a hash", () => {
  it("is rejected with a character that is not a hexadecimal digit at any position", () => {
    // U+0130 and U+FF11 have the low byte or the meaning of a digit, but are none.
    const character = FastCheck.oneof(
      FastCheck.constantFrom(..."/:`@Gghijklmnopqrstuvwxyz\u0000\u0130\uff11"),
      FastCheck.string({ unit: "binary", minLength: 1, maxLength: 1 }).filter((text) =>
        !/^[0-9a-f]/i.test(text)
      )
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.integer({ min: 2, max: 65 }), character, (at, character) => {
        expect(isDecodable(Hash, hash.slice(0, at) + character.charAt(0) + hash.slice(at + 1))).toBe(false)
      })
    )
  })
})

/** The test vectors of EIP-55. */
const vectors = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
  "0xde709f2102306220921060314715629080e2fb77",
  "0x27b1fdb04752bbc536007a920d24acb045561c26",
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb"
]

describe("make", () => {
  it("creates an address in lower case, whose type begins with 0x", () => {
    const address = make("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
    expect(address).toBe("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed")
    expectTypeOf(address).toExtend<`0x${string}`>()
    expectTypeOf<`0x${string}`>().not.toExtend<Address>()
  })
})

describe("checksum", () => {
  it.each(vectors)("matches the EIP-55 test vector %s", (expected) => {
    expect(checksum(decode(Address, expected))).toBe(expected)
  })
})

describe("formatUnits", () => {
  it.each([-1, 0.5, NaN, 256, 2 ** 29])("rejects %s decimals, which no token has", (decimals) => {
    expect(() => formatUnits(1n, decimals)).toThrow(RangeError)
  })

  it("returns the exact quotient of the amount and a power of ten, in its shortest form", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.bigInt({ min: -maxUint256, max: maxUint256 }),
        FastCheck.integer({ min: 0, max: 255 }),
        (amount, decimals) => {
          const text = formatUnits(amount, decimals)
          expect(text).toMatch(/^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/)
          const exact = BigDecimal.make(amount, decimals)
          expect(BigDecimal.equals(BigDecimal.unsafeFromString(text), exact)).toBe(true)
          const [whole = "", fraction = ""] = text.replace("-", "").split(".")
          const back = BigInt(whole + fraction.padEnd(decimals, "0"))
          expect(amount < 0n ? -back : back).toBe(amount)
        }
      )
    )
  })
})

describe("Decimal", () => {
  it("is exact for any digits and scale, and never prints an exponent", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }),
        FastCheck.integer({ min: 0, max: 120 }),
        (digits, scale) => {
          const magnitude = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0")
          const fraction = scale === 0 ? "" : `.${magnitude.slice(-scale)}`
          const text = `${digits < 0n ? "-" : ""}${magnitude.slice(0, magnitude.length - scale)}${fraction}`
          const value = decode(Decimal, text)
          expect(BigDecimal.equals(value, BigDecimal.make(digits, scale))).toBe(true)
          const encoded = encode(Decimal, value)
          expect(encoded).toMatch(/^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/)
          expect(BigDecimal.equals(decode(Decimal, encoded), value)).toBe(true)
        }
      )
    )
  })

  it("decodes strings with any leading and trailing zeros as Effect does", () => {
    const parts = ({ scale, value }: BigDecimal.BigDecimal) => ({ scale, value })
    FastCheck.assert(
      FastCheck.property(FastCheck.stringMatching(/^[-+]?0*\d{1,30}(\.\d{0,30}0*)?(e-?\d)?$/), (text) => {
        const value = BigDecimal.normalize(BigDecimal.unsafeFromString(text))
        expect(parts(decode(Decimal, text))).toEqual(parts(value))
      })
    )
  })

  it("decodes a JSON number to its shortest decimal representation", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(Number(encode(Decimal, decode(Decimal, number)))).toBe(number === 0 ? 0 : number)
      })
    )
  })

  it("expands an exponent to at most 1000 digits", () => {
    expect(encode(Decimal, decode(Decimal, "1e999"))).toHaveLength(1000)
    expect(encode(Decimal, decode(Decimal, "1e-999"))).toHaveLength(1001)
  })
})
