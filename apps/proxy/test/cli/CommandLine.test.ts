/** Options of the command line. The record `commands-errors` has its errors. */
import { expect, it } from "@effect/vitest"
import * as CommandLine from "../../src/cli/CommandLine.ts"
import { help, optionDescriptions } from "../../src/cli/Help.build.ts"

const parsed = (...args: ReadonlyArray<string>) => {
  const line = CommandLine.read(args, "1.2.3")
  return line._tag === "Information" ? line.text : line._tag === "Invalid" ? line.reason : line
}

it("accepts options before and after commands, and values that are names of commands", () => {
  const expected = {
    command: { _tag: "CheckConfig", connect: true },
    optionValues: { QUARRY_PROXY_CONFIG: "config" }
  }
  expect(parsed("--config", "config", "config", "check", "--connect")).toMatchObject(expected)
  expect(parsed("--", "config", "--connect", "check", "-cconfig")).toMatchObject(expected)
  expect(parsed("-p0", "--sandbox")).toMatchObject({
    command: { _tag: "Serve" },
    optionValues: { QUARRY_PROXY_PORT: "0", QUARRY_SANDBOX: "true" }
  })
})

it("parses and suggests each option, and help lists it, because it is data", () => {
  for (const { description, name, value } of optionDescriptions) {
    const rows = help.split("\n").map((line) => line.trim().replace(/^-., /, "").split(/ {2,}/))
    expect(rows).toContainEqual([`--${name}${value === null ? "" : ` ${value}`}`, description])
    const words = [`--${name}`, ...value === null ? [] : ["1"]]
    expect(JSON.stringify(parsed(...words, "serve"))).not.toContain("Unknown option")
    expect(parsed(`--${name}x`)).toContain(`did you mean --${name}?`)
  }
})

it("answers each form of help", () => {
  for (const words of [["help"], ["config", "check", "-h"], ["nowhere", "--help"]]) {
    expect(parsed(...words)).toBe(help)
  }
})
