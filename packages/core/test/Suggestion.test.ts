/** Suggestions for mistyped words. `Chain.test.ts` has the law about one letter. */
import { closestMatch } from "@blockquarry/core/Suggestion"
import { describe, expect, it } from "@effect/vitest"

const names = ["maxWait", "maxQueue", "clients", "block_hash", "ethereum", "polygon"]

describe("closestMatch", () => {
  it.each([
    ["maxwait", "maxWait"],
    ["maxQuueue", "maxQueue"],
    ["etherium", "ethereum"],
    ["eht", undefined],
    ["clinets", "clients"],
    ["poly", "polygon"],
    ["hash", "block_hash"],
    ["timeout", undefined]
  ])("of %s is %s", (word, match) => {
    expect(closestMatch(word, names)).toBe(match)
  })
})
