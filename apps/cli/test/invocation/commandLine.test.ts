/** Parsing of the command line, and usage errors. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ArgumentValues } from "../../src/args/ArgumentValues.ts"
import { closestMatch } from "../../src/args/Suggest.ts"
import { loadCommands } from "../../src/commands/Commands.ts"
import { commandLine } from "../../src/commands/Descriptions.build.ts"
import { UsageError } from "../../src/errors/CommandError.ts"
import { exampleValues } from "../../src/help/Help.ts"
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

const normalizedArgs = (...argv: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [invocation, values] = Either.getOrThrowWith(parsed(argv), ({ reason }) => new Error(reason))
  if (invocation._tag !== "Run") return [invocation._tag]
  const { command } = invocation
  const isArgument = (name: string) => command.arguments.some((argument) => argument.name === name)
  const args = [...values].flatMap(([name, words]) => isArgument(name) ? words : [])
  return [
    ...command.path,
    ...[...values].flatMap(([name, words]) =>
      isArgument(name) ? [] : words.flatMap((word) => [`--${name}`, word])
    ),
    ...(args.length === 0 ? [] : ["--", ...args])
  ]
}

const usageError = (...argv: ReadonlyArray<string>) => Either.getOrThrow(Either.flip(parsed(argv)))

const expectedArgs = ["wallet", "transfers", "--sandbox", "true", "--limit", "5", "--", exampleValues.wallet]

it("accepts options anywhere, in every form", () => {
  expect(normalizedArgs("--sandbox", "--limit", "5", "wallet", "transfers", exampleValues.wallet)).toEqual(
    expectedArgs
  )
  expect(normalizedArgs("wallet", "--sandbox", "transfers", "--limit=5", exampleValues.wallet)).toEqual(
    expectedArgs
  )
  expect(normalizedArgs("wallet", "transfers", "--sandbox=true", exampleValues.wallet, "--limit", "5"))
    .toEqual(expectedArgs)
  expect(
    normalizedArgs("wallet", "transfers", "--sandbox", "true", "--limit", "5", "--", exampleValues.wallet)
  ).toEqual(
    expectedArgs
  )
  expect(normalizedArgs("-ojson", "-v", "wallet", "chains", exampleValues.wallet)).toEqual(
    ["wallet", "chains", "--output", "json", "--verbose", "true", "--", exampleValues.wallet]
  )
  expect(normalizedArgs("--no-sandbox", "wallet", "chains", exampleValues.wallet)).toContain("false")
  expect(normalizedArgs("stream", "set-status", "--", "-x", "paused").slice(-2)).toEqual(["-x", "paused"])
})

it("does not change values", () => {
  expect(normalizedArgs("wallet", "transfers", exampleValues.wallet, "--cursor", "a=b==", "--to", "-5"))
    .toEqual(
      ["wallet", "transfers", "--cursor", "a=b==", "--to", "-5", "--", exampleValues.wallet]
    )
})

it("prefers help, version and completions to running a command", () => {
  expect(normalizedArgs()).toEqual(["Overview"])
  expect(normalizedArgs("--sandbox")).toEqual(["Overview"])
  expect(normalizedArgs("help")).toEqual(["Help"])
  expect(normalizedArgs("help", "help")).toEqual(["Help"])
  expect(normalizedArgs("--help")).toEqual(["Help"])
  expect(normalizedArgs("help", "wallet", "transfers")).toEqual(["Help"])
  expect(normalizedArgs("wallet")).toEqual(["Help"])
  expect(normalizedArgs("wallet", "transfers", "-h")).toEqual(["Help"])
  expect(normalizedArgs("--version")).toEqual(["Version"])
  expect(normalizedArgs("--completions", "zsh")).toEqual(["completions", "--", "zsh"])
  expect(normalizedArgs("help", "environment")).toEqual(["Topic"])
  expect(normalizedArgs("sandbox")).toEqual(["sandbox", "serve"])
})

it("finds commands of one word and of three words, and groups", () => {
  expect(normalizedArgs("doctor")).toEqual(["doctor"])
  expect(normalizedArgs("watch", "wallet", "transfers", "a")).toEqual([
    "watch",
    "wallet",
    "transfers",
    "--",
    "a"
  ])
  const help = (...argv: ReadonlyArray<string>) => Either.getOrThrow(arrange(commandLine, argv).invocation)
  expect(help("watch", "wallet")).toMatchObject({ _tag: "Help", path: ["watch", "wallet"], command: null })
  expect(help("help", "watch", "token")).toMatchObject({
    _tag: "Help",
    command: { path: ["watch", "token", "transfers"] }
  })
})

it("lists all options on request", () => {
  const isComplete = (...argv: ReadonlyArray<string>) => {
    const invocation = Either.getOrThrow(arrange(commandLine, argv).invocation)
    return invocation._tag === "Help" && invocation.command !== null && invocation.isComplete
  }
  for (
    const words of [
      "wallet transfers --help all",
      "wallet transfers --help=all",
      "-h all wallet transfers",
      "help wallet transfers all"
    ]
  ) {
    expect(isComplete(...words.split(" ")), words).toBe(true)
  }
  expect(isComplete("help", "wallet", "transfers")).toBe(false)
})

it("suggests commands at every depth", () => {
  const hint = (...argv: ReadonlyArray<string>) => usageError(...argv).hint
  expect(hint("docter")).toBe("did you mean quarry doctor?")
  expect(hint("wach", "wallet", "transfers")).toBe("did you mean quarry watch wallet transfers?")
  expect(hint("watch", "walet", "nft-trades")).toBe("did you mean quarry watch wallet nft-trades?")
  expect(hint("watch", "wallet", "transfer")).toBe("did you mean quarry watch wallet transfers?")
  expect(hint("watch", "nowhere")).toBe("available commands: wallet, token")
})

it("assigns words to optional and repeatable arguments", () => {
  expect(normalizedArgs("api")).toEqual(["api"])
  expect(normalizedArgs("api", "walletTransfers")).toEqual(["api", "--", "walletTransfers"])
  expect(normalizedArgs("api", "walletTransfers", "a=1", "b=2")).toEqual([
    "api",
    "--",
    "walletTransfers",
    "a=1",
    "b=2"
  ])
  expect(normalizedArgs("explain")).toEqual(["explain"])
  expect(Either.isLeft(parsed(["explain", "a", "b"]))).toBe(true)
})

it("lets an option replace arguments", () => {
  expect(normalizedArgs("nft", "get", "a", "1").slice(-2)).toEqual(["a", "1"])
  expect(normalizedArgs("nft", "get", "a", "--from", "f").slice(2)).toEqual(["--from", "f", "--", "a"])
  expect(normalizedArgs("nft", "get", "--fields", "help")).toEqual(["nft", "get", "--fields", "help"])
  expect(Either.isLeft(parsed(["nft", "get", "a"]))).toBe(true)
})

it("joins short options", () => {
  expect(normalizedArgs("doctor", "-vojson")).toEqual(["doctor", "--verbose", "true", "--output", "json"])
  expect(usageError("doctor", "-vx").reason).toBe("unknown option -vx for \"quarry doctor\"")
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

it("reports usage errors with suggestions", () => {
  expect(usageError("wallet", "transfer", exampleValues.wallet)).toMatchObject({
    hint: "did you mean quarry wallet transfers?"
  })
  expect(usageError("walet", "chains")).toMatchObject({ hint: "did you mean quarry wallet chains?" })
  expect(usageError("price", exampleValues.token)).toMatchObject({ hint: "did you mean quarry token price?" })
  expect(usageError("wallet", "transfers", exampleValues.wallet, "--form-block", "5")).toMatchObject({
    hint: "did you mean --from-block?"
  })
  expect(usageError("wallet", "chains")).toMatchObject({
    reason: expect.stringContaining("missing argument <address>")
  })
  expect(usageError("wallet", "chains", exampleValues.wallet, "more")).toMatchObject({
    reason: expect.stringContaining("unexpected argument \"more\"")
  })
  expect(usageError("wallet", "chains", exampleValues.wallet, "--limit", "3")).toMatchObject({
    reason: expect.stringContaining("unknown option --limit")
  })
  expect(usageError("wallet", "transfers", exampleValues.wallet, "--limit")).toMatchObject({
    reason: "--limit requires a value"
  })
  expect(usageError("wallet", "transfers", exampleValues.wallet, "--limit", "--all")).toMatchObject({
    reason: "--limit requires a value"
  })
})

it("checks option values", () => {
  const price = ["token", "price", exampleValues.token]
  expect(usageError(...price, "--output", "yaml")).toMatchObject({
    reason:
      "--output: expected one of table, json, ndjson, csv (for parquet, use --to FILE.parquet), got \"yaml\""
  })
  expect(usageError(...price, "--timeout", "0")).toMatchObject({
    reason: "--timeout: expected none or a duration such as 500ms, 30s or 2m, at most 24d, got \"0\""
  })
  expect(usageError("wallet", "transfers", exampleValues.wallet, "--max-items", "0")).toMatchObject({
    reason: "--max-items: expected an integer from 1 to 1000000000, got \"0\""
  })
  expect(usageError(...price, "--timeout", "30")).toMatchObject({ hint: "add the unit, for example 30s" })
  expect(usageError(...price, "--output", "jsno")).toMatchObject({ hint: "did you mean json?" })
  expect(usageError("wallet", "transfers", exampleValues.wallet, "--limit", "0")).toMatchObject({
    reason: "--limit: expected an integer of at least 1, got \"0\"",
    hint: "to read more records than a page has, use --max-items or --all"
  })
  expect(usageError("wallet", "transfers", exampleValues.wallet, "--limit", "-5").hint).toBeNull()
  expect(usageError(...price, "--timeout", "0s").hint).toBe("for no timeout, use none")
  expect(usageError(...price, "--rate-limit", "5").hint).toBe("add the time, for example 5/s")
  expect(usageError("sandbox", "serve", "--port", "65536")).toMatchObject({
    reason: "--port: expected an integer from 0 to 65535, got \"65536\""
  })
  expect(normalizedArgs(...price, "--output", "yaml", "--help")).toEqual(["Help"])
  for (const option of ["--max-items", "--to", "--chain", "--cursor"]) {
    expect(usageError("wallet", "transfers", exampleValues.wallet, "--all", option, "")).toMatchObject({
      reason: `${option}: the value is empty`
    })
  }
})

it("suggests topics and commands after help, and help itself", () => {
  expect(usageError("help", "enviroment").hint).toBe("did you mean quarry help environment?")
  expect(usageError("help", "walet").hint).toBe("did you mean quarry help wallet?")
  expect(usageError("help", "exit-codes").hint).toMatch(/^available commands: .*; topics: .*exit-status/)
  expect(usageError("hlep").hint).toBe("did you mean quarry help?")
  expect(usageError("version").hint).toBe("did you mean quarry --version?")
  expect(usageError("config", "ls").hint).toBe("did you mean quarry config list?")
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
