import { Hash } from "@blockquarry/core/Hash"
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { decode, decodeIssues, encode, isDecodable } from "./support/schema.ts"

const lower = "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b"

describe("Hash", () => {
  it.each([
    lower,
    lower.toUpperCase(),
    `0x${lower.slice(2).toUpperCase()}`,
    `0X${lower.slice(2)}`,
    "0x88Df016429689C079F3B2F6AD39FA052532C56795B733DA78A91EBE6A713944b"
  ])("decodes %s to lower case", (input) => {
    expect(decode(Hash, input)).toBe(lower)
    expect(encode(Hash, decode(Hash, input))).toBe(lower)
  })

  it.each([
    ["too short", lower.slice(0, -1)],
    ["too long", `${lower}0`],
    ["an address", lower.slice(0, 42)],
    ["without 0x", lower.slice(2)],
    ["with an invalid digit", `${lower.slice(0, -1)}g`],
    ["with a trailing line break", `${lower}\n`],
    ["empty", ""],
    ["a number", 5],
    ["null", null]
  ])("rejects an input that is %s", (_, input) => {
    expect(isDecodable(Hash, input)).toBe(false)
    expect(decodeIssues(Hash, input)).toContain("expected a hash: 0x followed by 64 hexadecimal digits, got ")
  })

  it("rejects a character that is not a hexadecimal digit at any position", () => {
    // U+0130 and U+FF11 have the low byte or the meaning of a digit, but are none.
    const character = FastCheck.oneof(
      FastCheck.constantFrom("/", ":", "`", "@", "G", "\u0000", "\u0130", "\uff11"),
      FastCheck.constantFrom(..."ghijklmnopqrstuvwxyz"),
      FastCheck.string({ unit: "binary", minLength: 1, maxLength: 1 }).filter((text) =>
        !/^[0-9a-f]/i.test(text)
      )
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.integer({ min: 2, max: 65 }), character, (at, character) => {
        expect(isDecodable(Hash, lower.slice(0, at) + character.charAt(0) + lower.slice(at + 1))).toBe(false)
      })
    )
  })
})
