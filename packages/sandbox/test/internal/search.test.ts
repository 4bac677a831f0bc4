import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { firstIndex } from "../../src/internal/search.ts"

describe("firstIndex", () => {
  it.prop(
    "returns the first matching index, or the length",
    [FastCheck.nat(100), FastCheck.nat(100)],
    ([length, first]) => {
      expect(firstIndex(length, (index) => index >= first)).toBe(Math.min(length, first))
    }
  )
})
