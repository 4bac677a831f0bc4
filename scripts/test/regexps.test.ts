/** The check that regular expressions take linear time, as a command. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { root } from "../release/workspace.mjs"

const check = (source: string) => {
  const folder = mkdtempSync(join(tmpdir(), "regexps-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, "Module.ts"), source)
  return spawnSync(process.execPath, [join(root, "scripts/regexps.mjs"), folder], { encoding: "utf8" })
}

it.each([
  ["one loop after another", String.raw`/^\s*\w*\w*$/`],
  ["a search that begins again at every position", "/0+$/"],
  ["a match that is shorter than what was read", "/a.*b|a/g"],
  ["a lookbehind of any length", String.raw`/(?<=\d\S*)x/`],
  ["loops around a lookahead", "/^a*(?!b)a*c/"],
  ["a back-reference, for which there is no proof", String.raw`/^(["'])(.*)\1$/`],
  [
    "constants of the module",
    String.raw`new RegExp([String.raw${"`^${loop}*`"}, loop].join("") + "*$", "i")`
  ],
  ["a value that the check does not know", "new RegExp(process.argv[5].trim())"]
])("fails for an expression with %s, and names its place", (_, expression) => {
  const { status, stdout } = check(`const loop: string = "[a-z]"\n\nexport const pattern = ${expression}\n`)
  expect([status, stdout.split(" ")[0]]).toEqual([1, expect.stringMatching(/Module\.ts:3:$/)])
  expect(stdout.split("\n")).toEqual([
    expect.stringContaining(expression.startsWith("/") ? expression : ""),
    expect.stringMatching(/^ {2}\S/),
    ""
  ])
})

it.each([
  ["an anchored loop", String.raw`/^\s*:\s*"?(\d+)/`],
  ["repeated matches of a loop", String.raw`text.split(/[\s,]+/g)`],
  ["a short lookahead", String.raw`/^(?!\w{1,40}:(?!\/\/))[!-~]*$/`],
  ["constants of the module", String.raw`new RegExp(${"`^${loop}*$`"}, "i")`]
])("passes an expression with %s", (_, expression) => {
  expect(check(`const loop: string = "[a-z]"\n\nexport const pattern = ${expression}\n`)).toMatchObject({
    status: 0,
    stdout: ""
  })
})
