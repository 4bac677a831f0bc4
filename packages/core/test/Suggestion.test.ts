/** Suggestions for mistyped words. */
import { closestMatch } from "@blockquarry/core/Suggestion"
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"

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

  it("is the name itself, in any case, and the name with one letter missing, added or two swapped", () => {
    FastCheck.assert(FastCheck.property(
      FastCheck.constantFrom(...names),
      FastCheck.nat(),
      FastCheck.constantFrom("same", "missing", "added", "swapped"),
      (name, position, change) => {
        const at = 1 + position % (name.length - 2)
        const [before, letter, next, after] = [name.slice(0, at), name[at], name[at + 1], name.slice(at + 2)]
        const typos: Readonly<Record<string, string>> = {
          same: name.toUpperCase(),
          missing: `${before}${next}${after}`,
          added: `${before}x${letter}${next}${after}`,
          swapped: `${before}${next}${letter}${after}`
        }
        expect(closestMatch(typos[change] ?? "", names)).toBe(name)
      }
    ))
  })
})
