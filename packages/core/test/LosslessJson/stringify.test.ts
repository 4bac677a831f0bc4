/** `stringify` prints what the package `lossless-json` prints. */
import * as LosslessJson from "@blockquarry/core/LosslessJson"
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Reference from "lossless-json"
import { document, endsInBackslash, parsed, reference } from "../support/JsonDocuments.ts"

describe("stringify", () => {
  const unusualStrings = FastCheck.oneof(
    FastCheck.string({ unit: "binary" }),
    FastCheck.string({ unit: FastCheck.constantFrom("\u007f", "\"", "\\", "5", "-", ":"), maxLength: 8 })
  )

  const leaf = FastCheck.oneof(
    FastCheck.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }),
    FastCheck.bigInt({ min: 2n ** 53n - 9n, max: 2n ** 53n + 9n }),
    unusualStrings,
    FastCheck.double().map((number) => number === 0 ? 0 : number),
    FastCheck.constantFrom(null, undefined, true, false)
  )

  const { value } = FastCheck.letrec<{ value: unknown }>((tie) => ({
    value: FastCheck.oneof(
      { depthSize: "small" },
      leaf,
      leaf,
      FastCheck.array(tie("value"), { maxLength: 5 }),
      FastCheck.dictionary(unusualStrings.filter((key) => !endsInBackslash(key)), tie("value"), {
        maxKeys: 5
      })
    )
  }))

  /** The value after a round trip. */
  const roundTripped = (value: unknown): unknown => {
    if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
    // JSON prints doubles up to 1e21 as integers
    if (typeof value === "number") return reference(JSON.stringify(value))
    if (Array.isArray(value)) return value.map((item: unknown) => roundTripped(item ?? null))
    if (typeof value === "object" && value !== null) {
      return Object.fromEntries(
        Object.entries(value).flatMap(([key, member]) =>
          member === undefined ? [] : [[key, roundTripped(member)]]
        )
      )
    }
    return value ?? null
  }

  it("prints a bigint as an integer with all digits", () => {
    expect(LosslessJson.stringify({ value: 2n ** 256n - 1n, list: [-(2n ** 64n), 7n], none: undefined }))
      .toBe(
        `{"value":${2n ** 256n - 1n},"list":[-18446744073709551616,7]}`
      )
    expect(LosslessJson.stringify(5n)).toBe("5")
  })

  it("does not confuse strings with bigints", () => {
    const value = {
      "5\u007f": ["5\u007f", "5\u007f\u007f", "\"5\u007f", "\u007f", "5"],
      "\u007f\u007f": "\u007f\u007f"
    }
    expect(LosslessJson.stringify(value)).toBe(JSON.stringify(value))
  })

  it("returns null for values without a JSON representation", () => {
    for (const value of [undefined, () => 1, Symbol.iterator]) {
      expect(LosslessJson.stringify(value)).toBe("null")
    }
  })

  it("calls toJSON, and throws if a value contains itself", () => {
    expect(LosslessJson.stringify({ at: new Date(0), amount: { toJSON: () => 2n ** 64n } })).toBe(
      "{\"at\":\"1970-01-01T00:00:00.000Z\",\"amount\":18446744073709551616}"
    )
    const loop: Array<unknown> = [1n]
    loop.push(loop)
    expect(() => LosslessJson.stringify(loop)).toThrow(TypeError)
  })

  it.prop("prints the same as the reference printer", [value], ([value]) => {
    expect(LosslessJson.stringify(value)).toBe(Reference.stringify(value) ?? "null")
  })

  it.prop("survives a round trip with all digits", [value], ([value]) => {
    expect(parsed(LosslessJson.stringify(value))).toStrictEqual(roundTripped(value))
  })

  it.prop("prints the same as JSON.stringify for values from JSON.parse", [document], ([text]) => {
    const value: unknown = JSON.parse(text)
    expect(LosslessJson.stringify(value)).toBe(JSON.stringify(value))
  })
})
