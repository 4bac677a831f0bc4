/** Quoted words reach a program unchanged, and contain nothing that a terminal interprets. */
import { expect, it } from "@effect/vitest"
import * as Arbitrary from "effect/FastCheck"
import { spawnSync } from "node:child_process"
import { shellCommand } from "../../src/text/ShellQuote.ts"

const words = Arbitrary.oneof(
  Arbitrary.string({ unit: "binary-ascii" }),
  Arbitrary.string({ unit: "grapheme" }),
  Arbitrary.array(
    Arbitrary.constantFrom(..."'\"\\$`!~*?[]{}()<>|&;#= \t\n\r\u001b\u009b\u0085\u200b\u202e\u2028aA0-")
  )
    .map((characters) => characters.join(""))
  // No argument of a process contains a null character
).filter((word) => !word.includes("\0") && word.isWellFormed())

it("passes any words through bash unchanged", () => {
  Arbitrary.assert(
    Arbitrary.property(Arbitrary.array(words, { minLength: 20, maxLength: 60 }), (all) => {
      const command = shellCommand(["printf", "%s\\0", ...all])
      const { stdout } = spawnSync("bash", ["-c", command], { encoding: "utf8" })
      expect(stdout.split("\0").slice(0, -1)).toEqual(all)
    })
  )
})
