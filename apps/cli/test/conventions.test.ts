/** Conventions of command lines: colors, errors for programs, the version, help, and options in odd places. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { isEnabled, singleValue } from "../src/args/ArgumentValues.ts"
import { commandLine } from "../src/commands/Descriptions.build.ts"
import { exitCodes, signalExitCodes } from "../src/errors/CommandError.ts"
import {
  exampleValues,
  exitStatus,
  formatHelp,
  formatOverview,
  formatTopic,
  helpTopics,
  isHelpTopic
} from "../src/help/Help.ts"
import { arrange } from "../src/invocation/Arrange.ts"
import { information } from "../src/invocation/Information.ts"
import { streamInfo } from "../src/terminal/StreamInfo.ts"
import { quarry, sandboxEnvironment } from "./support/quarry.ts"
import { respondingWith } from "./support/stubClient.ts"

const price = ["token", "price", exampleValues.token]

describe("colors", () => {
  const hasColors = (isTTY: boolean, env: Readonly<Record<string, string>>, ...argv: ReadonlyArray<string>) =>
    streamInfo({ isTTY, columns: 80 }, env, singleValue(arrange(commandLine, argv).options, "color"))
      .hasColors

  it("are used on terminals only", () => {
    expect(hasColors(true, {})).toBe(true)
    expect(hasColors(false, {})).toBe(false)
    expect(hasColors(true, { TERM: "dumb" })).toBe(false)
  })

  it("follow the variables of other programs", () => {
    expect(hasColors(true, { NO_COLOR: "1" })).toBe(false)
    expect(hasColors(true, { NO_COLOR: "" })).toBe(true)
    expect(hasColors(false, { FORCE_COLOR: "1" })).toBe(true)
    expect(hasColors(true, { FORCE_COLOR: "0" })).toBe(false)
    expect(hasColors(false, { FORCE_COLOR: "" })).toBe(false)
    expect(hasColors(false, { CLICOLOR_FORCE: "1" })).toBe(true)
    expect(hasColors(true, { CLICOLOR: "0" })).toBe(false)
    expect(hasColors(false, { NO_COLOR: "1", FORCE_COLOR: "1" })).toBe(false)
  })

  it("follow --color before QUARRY_COLOR before other variables", () => {
    expect(hasColors(false, { NO_COLOR: "1" }, "--color", "always")).toBe(true)
    expect(hasColors(true, { FORCE_COLOR: "1" }, "--color=never")).toBe(false)
    expect(hasColors(false, { NO_COLOR: "1", QUARRY_COLOR: "always" })).toBe(true)
    expect(hasColors(false, { QUARRY_COLOR: "always" }, "--color", "never")).toBe(false)
    expect(hasColors(true, {}, "--color", "auto")).toBe(true)
  })
})

it("reads options before --, of which the last value counts, also of an invalid command line", () => {
  const color = (...argv: ReadonlyArray<string>) => singleValue(arrange(commandLine, argv).options, "color")
  expect(color("--color", "always", "--color=never", "--", "--color=auto")).toBe("never")
  expect(color("--color")).toBeUndefined()
  expect(color("--color=a=b")).toBe("a=b")
  expect(color("--limit", "--color", "never", "nowhere")).toBe("never")
  const hasJsonErrors = (...argv: ReadonlyArray<string>) =>
    isEnabled(arrange(commandLine, argv).options, "json-errors")
  expect(hasJsonErrors("--json-errors", "x")).toBe(true)
  expect(hasJsonErrors("--json-errors", "--no-json-errors")).toBe(false)
  expect(hasJsonErrors("--json-errors=false")).toBe(false)
  expect(hasJsonErrors("--json-errors", "false")).toBe(false)
  expect(hasJsonErrors("--", "--json-errors")).toBe(false)
})

describe("--json-errors", () => {
  const reportOf = (argv: ReadonlyArray<string>, options: Parameters<typeof quarry>[1] = {}) =>
    Effect.map(quarry([...argv, "--json-errors"], options), ({ code, err, out }) => {
      const lines = err.trimEnd().split("\n")
      expect(lines).toHaveLength(1)
      const report: unknown = JSON.parse(lines[0] ?? "")
      return { code, out, report }
    })

  it.live("describes an invalid command line", () =>
    Effect.gen(function*() {
      expect(yield* reportOf(["walet", "chains"])).toEqual({
        code: 2,
        out: "",
        report: {
          tag: "UsageError",
          message: "unknown command \"walet\"",
          hint: "did you mean quarry wallet chains?",
          exitCode: 2,
          retryable: false,
          requestId: null
        }
      })
    }))

  it.live("describes an error of the upstream, with its request ID", () =>
    Effect.gen(function*() {
      const headers = { "content-type": "application/json", "x-request-id": "req-7" }
      const { client } = respondingWith("{\"message\":\"Invalid API key\"}", 401, headers)
      expect(yield* reportOf(price, { client, env: sandboxEnvironment })).toMatchObject({
        code: 4,
        report: { tag: "AuthenticationError", exitCode: 4, retryable: false, requestId: "req-7" }
      })
    }))

  it.live("marks errors that may pass", () =>
    Effect.gen(function*() {
      const headers = { "content-type": "application/json", "retry-after": "3600" }
      const { client } = respondingWith("{\"message\":\"Too many requests\"}", 429, headers)
      expect(yield* reportOf(price, { client, env: sandboxEnvironment })).toMatchObject({
        code: 5,
        report: { tag: "RateLimitError", retryable: true }
      })
    }))
})

it("prints the version alone in the first line", () => {
  const text = information(commandLine, { _tag: "Version" }, {
    isTerminal: false,
    hasColors: false,
    columns: null
  }, "1.2.3")
  expect(text.split("\n")).toEqual([
    "1.2.3",
    `node ${process.versions.node} ${process.platform} ${process.arch}`,
    ""
  ])
})

describe("help", () => {
  const stream = (columns: number | null) => ({ isTerminal: columns !== null, hasColors: false, columns })
  const allHelp = (columns: number | null) =>
    [
      formatHelp(commandLine, [], null, stream(columns)),
      ...new Set(commandLine.commands.flatMap(({ path }) => path.length > 1 ? [path[0] ?? ""] : []))
    ].map((text, index) => index === 0 ? text : formatHelp(commandLine, [text], null, stream(columns)))
      .concat(
        commandLine.commands.flatMap((command) =>
          [false, true].map((isComplete) =>
            formatHelp(commandLine, command.path, command, stream(columns), isComplete)
          )
        ),
        Object.keys(helpTopics).filter(isHelpTopic).map((topic) =>
          formatTopic(commandLine, topic, stream(columns))
        )
      )

  it.each([60, 80, 100, 200])(
    "fits a terminal of %i columns, except for single words and command lines",
    (columns) => {
      for (const line of allHelp(columns).flatMap((text) => text.split("\n"))) {
        if (/^ {2}quarry /.test(line) || !line.trim().includes(" ")) continue
        expect(line.length, line).toBeLessThanOrEqual(columns)
      }
    }
  )

  it("is at most 24 lines of 80 columns without a command, and names every command", () => {
    const text = formatOverview(commandLine, stream(80))
    const lines = text.trimEnd().split("\n")
    // With the prompt before and after it
    expect(lines.length).toBeLessThanOrEqual(22)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    for (const { path: [group = "", ...words] } of commandLine.commands) {
      const line = lines.find((line) =>
        (words.length === 0 ? line : line.trim().split(" ")[0])?.includes(group)
      )
      expect(line).toContain(words.join(" "))
    }
  })

  it("begins with the summary and the examples of a command", () => {
    for (const command of commandLine.commands.filter(({ examples }) => examples.length > 0)) {
      const text = formatHelp(commandLine, command.path, command, stream(null))
      expect(text.indexOf("\nExamples"), command.path.join(" ")).toBeGreaterThan(0)
      expect(text.indexOf("\nExamples")).toBeLessThan(text.indexOf("\nUsage"))
    }
  })

  it("states shown defaults and accepted spellings, and no default or maximum that is not shown", () => {
    const command = commandLine.commands.find(({ path }) => path.join(" ") === "wallet transfers")
    const text = formatHelp(commandLine, [], command ?? null, stream(200)).replaceAll(/\s+/g, " ")
    expect(text).not.toContain("(default: eth)")
    expect(text).not.toMatch(/Maximum number of records per page[^A-Z]*(?:default|100)/)
    const nfts = commandLine.commands.find(({ path }) => path.join(" ") === "nft list")
    expect(formatHelp(commandLine, [], nfts ?? null, stream(200)).replaceAll(/\s+/g, " ")).toContain(
      "Maximum number of records per page (default: 100)"
    )
    expect(text).toContain("Sort order by block number: asc, desc (in any case)")
  })

  it("names every exit status that the program has", () => {
    expect(exitStatus.map(([code]) => Number(code))).toEqual([
      ...new Set([...Object.values(exitCodes), ...Object.values(signalExitCodes)])
    ].toSorted((a, b) => a - b))
  })
})
