/** Parsing of the command line, and usage errors. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ArgumentValues } from "../../src/args/ArgumentValues.ts"
import { closestMatch } from "../../src/args/Suggest.ts"
import { loadCommands } from "../../src/commands/Commands.ts"
import { commandLine } from "../../src/commands/Descriptions.build.ts"
import { UsageError } from "../../src/errors/CommandError.ts"
import { arrange, type Invocation } from "../../src/invocation/Arrange.ts"
import { parseCommand } from "../../src/invocation/ParseCommand.ts"

const commands = await loadCommands()

const parsed = (
  argv: ReadonlyArray<string>
): Either.Either<readonly [Invocation, ArgumentValues], UsageError> =>
  Either.gen(function*() {
    const invocation = yield* Either.mapLeft(
      arrange(commandLine, argv).invocation,
      (error) => new UsageError(error)
    )
    const spec = invocation._tag === "Run"
      ? commands[commandLine.commands.indexOf(invocation.command)]
      : undefined
    const values: ArgumentValues = invocation._tag !== "Run" || spec === undefined
      ? new Map()
      : yield* Effect.runSync(Effect.either(parseCommand(spec, invocation)))
    return [invocation, values] as const
  })

/** Returns what a command line means: its command, options and arguments in order, or the name of what it shows. */
const meaning = (line: string): string => {
  const [invocation, values] = Either.getOrThrowWith(
    parsed(line.split(" ").filter((word) => word !== "")),
    ({ reason }) => new Error(reason)
  )
  if (invocation._tag !== "Run") return invocation._tag
  const { command } = invocation
  const isArgument = (name: string) => command.arguments.some((argument) => argument.name === name)
  const options = [...values].filter(([name]) => !isArgument(name))
  const args = [...values].flatMap(([name, words]) => isArgument(name) ? words : [])
  return [
    ...command.path,
    ...options.flatMap(([name, words]) => words.flatMap((word) => [`--${name}`, word])),
    ...args.length === 0 ? [] : ["--", ...args]
  ].join(" ")
}

const errorOf = (line: string) => Either.getOrThrow(Either.flip(parsed(line.split(" "))))

it.each([
  ["--sandbox --limit 5 wallet transfers 0x1", "wallet transfers --sandbox true --limit 5 -- 0x1"],
  ["wallet --sandbox transfers --limit=5 0x1", "wallet transfers --sandbox true --limit 5 -- 0x1"],
  ["wallet transfers --sandbox=true 0x1 --limit 5", "wallet transfers --sandbox true --limit 5 -- 0x1"],
  ["wallet transfers --sandbox true --limit 5 -- 0x1", "wallet transfers --sandbox true --limit 5 -- 0x1"],
  ["-ojson -v wallet chains 0x1", "wallet chains --output json --verbose true -- 0x1"],
  ["doctor -vojson", "doctor --verbose true --output json"],
  ["--no-sandbox wallet chains 0x1", "wallet chains --sandbox false -- 0x1"],
  ["stream set-status -- -x paused", "stream set-status -- -x paused"],
  ["wallet transfers 0x1 --cursor a=b== --to -5", "wallet transfers --cursor a=b== --to -5 -- 0x1"],
  // Optional and repeatable arguments, and those that an option replaces
  ["api", "api"],
  ["api walletTransfers", "api -- walletTransfers"],
  ["api walletTransfers a=1 b=2", "api -- walletTransfers a=1 b=2"],
  ["explain", "explain"],
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
  ["help environment", "Topic"],
  ["--completions zsh", "completions -- zsh"]
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
  ["help wallet transfers all", { isComplete: true }]
])("shows help for %j", (line, expected) => {
  const invocation = Either.getOrThrow(arrange(commandLine, line.split(" ")).invocation)
  expect(invocation).toMatchObject({ _tag: "Help", ...expected })
})

it("takes a value in all commands with an option, or in none, so that its words can be told apart before the command is known", () => {
  const options = [
    ...commandLine.globalOptions,
    ...commandLine.informationOptions,
    ...commandLine.commands.flatMap(({ options }) => options)
  ]
  for (const { alias, name, value } of options) {
    for (const other of options.filter((option) => option.name === name)) {
      expect([name, other.value === null]).toEqual([name, value === null])
    }
    if (alias === undefined) continue
    for (const other of options.filter((option) => option.alias === alias)) expect(other.name).toBe(name)
  }
})

// The golden records errors-arguments and errors-input have the others
it.each([
  ["docter", "did you mean quarry doctor?"],
  ["price 0x1", "did you mean quarry token price?"],
  ["wach wallet transfers", "did you mean quarry watch wallet transfers?"],
  ["watch walet nft-trades", "did you mean quarry watch wallet nft-trades?"],
  ["watch wallet transfer", "did you mean quarry watch wallet transfers?"],
  ["watch nowhere", "available commands: wallet, token"],
  ["config ls", "did you mean quarry config list?"],
  ["help enviroment", "did you mean quarry help environment?"],
  ["help walet", "did you mean quarry help wallet?"],
  ["hlep", "did you mean quarry help?"],
  ["version", "did you mean quarry --version?"],
  ["wallet transfers 0x1 --form-block 5", "did you mean --from-block?"],
  ["token price 0x1 --output jsno", "did you mean json?"],
  ["token price 0x1 --timeout 30", "add the unit, for example 30s"],
  ["token price 0x1 --timeout 0s", "for no timeout, use none"],
  ["token price 0x1 --rate-limit 5", "add the time, for example 5/s"],
  ["wallet transfers 0x1 --limit -5", null]
])("advises after %j: %s", (line, hint) => {
  expect(errorOf(line).hint).toBe(hint)
})

it.each([
  ["doctor -vx", "unknown option -vx for \"quarry doctor\""],
  ["explain a b", "unexpected argument \"b\""],
  ["nft get a", "missing argument <token-id>"],
  ["wallet transfers 0x1 --limit --all", "--limit requires a value"],
  ["wallet transfers 0x1 --all --max-items ", "--max-items: the value is empty"],
  ["wallet transfers 0x1 --all --to ", "--to: the value is empty"],
  ["wallet transfers 0x1 --all --chain ", "--chain: the value is empty"]
])("rejects %j: %s", (line, reason) => {
  expect(errorOf(line).reason).toContain(reason)
})

it("suggests only similar words", () => {
  expect(closestMatch("ethereum", ["eth", "polygon"])).toBe("eth")
  expect(closestMatch("ploygon", ["eth", "polygon"])).toBe("polygon")
  expect(closestMatch("ETHEREUM", ["eth", "polygon"])).toBe("eth")
  expect(closestMatch("percent", ["percent_change"])).toBe("percent_change")
  expect(closestMatch("hlep", ["help"])).toBe("help")
  expect(closestMatch("hash", ["block_number", "transaction_hash"])).toBe("transaction_hash")
  expect(closestMatch("fsh", ["bash", "zsh", "fish"])).toBe("fish")
  expect(closestMatch("xyz", ["eth", "polygon"])).toBeUndefined()
  expect(closestMatch("xyz", [])).toBeUndefined()
})
