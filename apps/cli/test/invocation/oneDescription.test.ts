/** An option is written once, as a descriptor: its parser, help, completion, manual page and suggestion follow. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type CommandOption, integerOption, switchOption, textOption } from "../../src/args/CommandOption.ts"
import { loadCommands } from "../../src/commands/Commands.ts"
import { commandLine } from "../../src/commands/Descriptions.build.ts"
import { complete } from "../../src/completion/Complete.ts"
import { formatInformation } from "../../src/help/Help.ts"
import { commandPage } from "../../src/help/ManPages.ts"
import { arrange } from "../../src/invocation/Arrange.ts"
import { parseCommand } from "../../src/invocation/ParseCommand.ts"

const [first] = await loadCommands()
if (first === undefined) throw new Error("no commands")

const doors = async (option: CommandOption) => {
  const spec = { ...first, options: [...first.options, option] }
  const command = { ...spec, fields: [] }
  const all = { ...commandLine, commands: [command, ...commandLine.commands.slice(1)] }
  const parsed = (...words: ReadonlyArray<string>) => {
    const { invocation } = arrange(all, [...spec.path, "0x1", ...words])
    if (invocation._tag === "Invalid") return `${invocation.reason}; ${invocation.hint}`
    return invocation._tag === "Run"
      ? Effect.runSync(
        Effect.match(parseCommand(spec, invocation), {
          onFailure: ({ reason }) => reason,
          onSuccess: (values) => values.get(option.name)?.join("+") ?? ""
        })
      )
      : invocation._tag
  }
  const page = formatInformation(
    all,
    { _tag: "Help", path: spec.path, command, isComplete: true },
    { isTerminal: false, hasColors: false, columns: 200 },
    "1.2.3"
  )
  return {
    parsed,
    help: page.split("\n").find((line) => line.includes(`--${option.name}`))?.trim().split(/ {2,}/),
    completion: (await complete(all, [`=--${option.name.slice(0, -1)}`, ...spec.path])).trimEnd().split("\t"),
    manual: new RegExp(`--${option.name}( <|\\\\fR)`).exec(
      commandPage(all, command).text.replaceAll("\\-", "-")
    )?.[1]
  }
}

it("has a new option with a value everywhere", async () => {
  const { completion, help, manual, parsed } = await doors(
    integerOption("novelty", [1, 9], "Order of the records", { alias: "n" })
  )
  expect([parsed("--novelty", "4"), parsed("-n7", "--novelty=5"), parsed("--novelty", "-n", "4")]).toEqual([
    "4",
    "5",
    "--novelty requires a value; use --novelty <number>"
  ])
  expect(parsed("--novelty=0")).toContain("--novelty: expected an integer from 1 to 9")
  expect(parsed("--noveltie=1")).toContain("did you mean --novelty?")
  expect(help).toEqual(["-n, --novelty <number>", "Order of the records: 1 to 9"])
  expect(completion).toEqual(["--novelty", "Order of the records: 1 to 9"])
  expect(manual).toBe(" <")
})

it("has a new repeatable option and a new switch everywhere", async () => {
  const names = await doors(textOption("novelties", "name", "Names", { isRepeatable: true }))
  expect(names.parsed("--novelties", "a ", "--novelties= b\n")).toBe("a + b\n")
  expect(names.parsed("--novelties=--")).toContain("--novelties: expected a value, got \"--\"")
  expect(names.help).toEqual(["--novelties <name>", "Names (repeatable or comma-separated)"])
  const { completion, help, manual, parsed } = await doors(switchOption("novel", "Only new records"))
  expect([parsed("--novel"), parsed("--no-novel"), parsed("--novel", "false")]).toEqual([
    "true",
    "false",
    "false"
  ])
  expect([help, completion]).toEqual([["--novel", "Only new records"], ["--novel", "Only new records"]])
  expect([names.manual, manual]).toEqual([" <", "\\fR"])
})
