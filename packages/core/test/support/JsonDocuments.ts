/** Random JSON documents, as text: JSON.stringify never prints some of them. */
import * as LosslessJson from "@blockquarry/core/LosslessJson"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Reference from "lossless-json"

export const parsed = (text: string): LosslessJson.JsonValue => Either.getOrThrow(LosslessJson.parse(text))

/** The value of a document according to an independent parser. */
export const reference = (text: string): unknown =>
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

export const space = FastCheck.string({ unit: FastCheck.constantFrom(" ", "\n", "\r", "\t"), maxLength: 2 })

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

export const integer = FastCheck.oneof(
  FastCheck.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }).map(String),
  FastCheck.bigInt({ min: 2n ** 53n - 9n, max: 2n ** 53n + 9n }).map(String),
  FastCheck.bigInt({ min: -(2n ** 53n) - 9n, max: -(2n ** 53n) + 9n }).map(String),
  FastCheck.bigInt({ min: 10n ** 14n, max: 10n ** 17n }).map(String),
  FastCheck.integer().map(String),
  FastCheck.constantFrom("0", "-0")
)

export const number = FastCheck.oneof(
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
export const trap = FastCheck.constantFrom(
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

export const string = FastCheck.oneof(
  FastCheck.array(FastCheck.oneof(trap, digits), { maxLength: 6 }).map((pieces) => `"${pieces.join("")}"`),
  FastCheck.string({ unit: "binary" }).map((content) => JSON.stringify(content))
).filter((token) => JSON.parse(token) !== "__proto__")

const key = string.filter((token) => !endsInBackslash(JSON.parse(token)))

export const { document } = FastCheck.letrec<{ value: string; document: string }>((tie) => ({
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
