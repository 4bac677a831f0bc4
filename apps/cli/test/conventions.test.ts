/** Conventions of command lines: colors, options in odd places, and help. */
import { describe, expect, it } from "@effect/vitest"
import { singleValue } from "../src/args/ArgumentValues.ts"
import { commandLine } from "../src/commands/Descriptions.build.ts"
import { formatInformation, helpTopics, type Information, isHelpTopic } from "../src/help/Help.ts"
import { arrange } from "../src/invocation/Arrange.ts"
import { messageStreamInfo, streamInfo } from "../src/terminal/StreamInfo.ts"

it.each<readonly [env: Readonly<Record<string, string>>, line: string, inTerminal: boolean, inPipe: boolean]>(
  [
    [{}, "", true, false],
    [{}, "--color auto", true, false],
    [{ TERM: "dumb" }, "", false, false],
    [{ CLICOLOR: "0" }, "", false, false],
    [{ NO_COLOR: "" }, "", true, false],
    [{ NO_COLOR: "1" }, "", false, false],
    [{ NO_COLOR: "1", FORCE_COLOR: "1" }, "", false, false],
    [{ NO_COLOR: "1", QUARRY_COLOR: "always" }, "", true, true],
    [{ NO_COLOR: "1" }, "--color always", true, true],
    [{ FORCE_COLOR: "" }, "", true, false],
    [{ FORCE_COLOR: "0" }, "", false, false],
    [{ FORCE_COLOR: "1" }, "", true, true],
    [{ FORCE_COLOR: "1" }, "--color=never", false, false],
    [{ CLICOLOR_FORCE: "1" }, "", true, true],
    [{ QUARRY_COLOR: "always" }, "--color never", false, false]
  ]
)("with %j and %j, a terminal has colors: %s, a pipe: %s", (env, line, inTerminal, inPipe) => {
  const mode = singleValue(arrange(commandLine, line.split(" ")).options, "color")
  const hasColors = [true, false].map((isTTY) => streamInfo({ isTTY, columns: 80 }, env, mode).hasColors)
  expect(hasColors).toEqual([inTerminal, inPipe])
})

it("takes the width of COLUMNS, and 80 columns where a terminal reports none", () => {
  const widthOf = (columns: number, env: Readonly<Record<string, string>>) =>
    streamInfo({ isTTY: true, columns }, env).columns
  expect([widthOf(120, {}), widthOf(120, { COLUMNS: "60" }), widthOf(0, {}), widthOf(0, { COLUMNS: "0" })])
    .toEqual([120, 60, 80, 80])
})

it("replaces lines of stderr neither on dumb terminals nor in builds", () => {
  const isTerminal = ([{}, { CI: "false" }, { TERM: "dumb" }, { CI: "true" }] as const)
    .map((env) => messageStreamInfo({ isTTY: true, columns: 80 }, env).isTerminal)
  expect(isTerminal).toEqual([true, true, false, false])
})

describe("help", () => {
  const stream = (columns: number | null) => ({ isTerminal: columns !== null, hasColors: false, columns })
  const format = (information: Information, columns: number | null) =>
    formatInformation(commandLine, information, stream(columns), "1.2.3")
  const pages: ReadonlyArray<Information> = [
    { _tag: "Help", path: [], command: null, isComplete: false },
    ...[...new Set(commandLine.commands.flatMap(({ path }) => path.length > 1 ? [path[0] ?? ""] : []))]
      .map((group): Information => ({ _tag: "Help", path: [group], command: null, isComplete: false })),
    ...commandLine.commands.flatMap((command) =>
      [false, true].map((isComplete): Information => ({
        _tag: "Help",
        path: command.path,
        command,
        isComplete
      }))
    ),
    ...Object.keys(helpTopics).filter(isHelpTopic).map((topic): Information => ({ _tag: "Topic", topic }))
  ]

  it.each([60, 80, 100, 200])(
    "fits a terminal of %i columns, except for single words and command lines",
    (columns) => {
      for (const line of pages.flatMap((page) => format(page, columns).split("\n"))) {
        if (/^ {2}quarry /.test(line) || !line.trim().includes(" ")) continue
        expect(line.length, line).toBeLessThanOrEqual(columns)
      }
    }
  )

  it("is at most 24 lines of 80 columns without a command, and names every command", () => {
    const text = format({ _tag: "Overview" }, 80)
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
})
