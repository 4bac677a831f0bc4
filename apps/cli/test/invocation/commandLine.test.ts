/** What command lines mean. Usage errors are in the golden records errors-arguments and errors-input. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { everyOption } from "../../src/args/CommandDescription.ts"
import { loadCommands } from "../../src/commands/Commands.ts"
import { commandLine } from "../../src/commands/Descriptions.build.ts"
import { arrange } from "../../src/invocation/Arrange.ts"
import { parseCommand } from "../../src/invocation/ParseCommand.ts"

const commands = await loadCommands()

/** Returns what a command line means: its command, options and arguments in order, or the name of what it shows. */
const meaning = (line: string): string => {
  const { invocation } = arrange(commandLine, line.split(" ").filter((word) => word !== ""))
  if (invocation._tag !== "Run") return invocation._tag
  const { command } = invocation
  const spec = commands[commandLine.commands.indexOf(command)]
  const values = spec === undefined ? [] : Effect.runSync(parseCommand(spec, invocation))
  const isArgument = (name: string) => command.arguments.some((argument) => argument.name === name)
  const options = [...values].filter(([name]) => !isArgument(name))
  const args = [...values].flatMap(([name, words]) => isArgument(name) ? words : [])
  return [
    ...command.path,
    ...options.flatMap(([name, words]) => words.flatMap((word) => [`--${name}`, word])),
    ...args.length === 0 ? [] : ["--", ...args]
  ].join(" ")
}

it.each([
  ["--sandbox --limit 5 wallet transfers 0x1", "wallet transfers --sandbox true --limit 5 -- 0x1"],
  ["wallet --sandbox transfers --limit=5 0x1", "wallet transfers --sandbox true --limit 5 -- 0x1"],
  ["wallet transfers --sandbox=true 0x1 --limit 5", "wallet transfers --sandbox true --limit 5 -- 0x1"],
  ["wallet transfers --sandbox true --limit 5 -- 0x1", "wallet transfers --sandbox true --limit 5 -- 0x1"],
  ["-ojson -v wallet chains 0x1", "wallet chains --output json --verbose true -- 0x1"],
  ["doctor -vojson", "doctor --verbose true --output json"],
  ["--no-sandbox wallet chains 0x1", "wallet chains --sandbox false -- 0x1"],
  ["stream set-status -- -x paused", "stream set-status -- -x paused"],
  ["wallet transfers 0x1 --cursor a=b== --to -5.csv", "wallet transfers --cursor a=b== --to -5.csv -- 0x1"],
  // Optional and repeatable arguments, and those that an option replaces
  ["api", "api"],
  ["api walletTransfers", "api -- walletTransfers"],
  ["api walletTransfers a=1 b=2", "api -- walletTransfers a=1 b=2"],
  ["nft get a 1", "nft get -- a 1"],
  ["nft get a --from f", "nft get --from f -- a"],
  ["nft get --fields help", "nft get --fields help"],
  // Commands of one word and of three words, and the only one of a group
  ["doctor", "doctor"],
  ["watch wallet transfers a", "watch wallet transfers -- a"],
  ["sandbox", "sandbox serve"],
  ["", "Overview"],
  ["--sandbox", "Overview"],
  ["help", "Help"],
  ["help help", "Help"],
  ["--help", "Help"],
  ["help wallet transfers", "Help"],
  ["wallet", "Help"],
  ["wallet transfers -h", "Help"],
  ["token price 0x1 --output yaml --help", "Help"],
  ["--version", "Version"],
  ["-V", "Version"],
  ["token price --version", "Version"],
  ["help environment", "Topic"]
])("reads %j as %j", (line, expected) => {
  expect(meaning(line)).toBe(expected)
})

it.each([
  ["watch wallet", { path: ["watch", "wallet"], command: null }],
  ["help watch token", { command: { path: ["watch", "token", "transfers"] } }],
  ["help wallet transfers", { isComplete: false }],
  ["wallet transfers --help all", { isComplete: true }],
  ["wallet transfers --help=all", { isComplete: true }],
  ["-h all wallet transfers", { isComplete: true }],
  ["help wallet transfers all", { isComplete: true }],
  ["help wallet transfers all --sandbox -q", { isComplete: true }],
  ["help all --no-pager", { isComplete: true, command: null }]
])("shows help for %j", (line, expected) => {
  const { invocation } = arrange(commandLine, line.split(" "))
  expect(invocation).toMatchObject({ _tag: "Help", ...expected })
})

it("takes a value in all commands with an option, or in none, so that its words can be told apart before the command is known", () => {
  const options = everyOption(commandLine)
  for (const { alias, name, value } of options) {
    for (const other of options.filter((option) => option.name === name)) {
      expect([name, other.value === null]).toEqual([name, value === null])
    }
    if (alias === undefined) continue
    for (const other of options.filter((option) => option.alias === alias)) expect(other.name).toBe(name)
  }
})
