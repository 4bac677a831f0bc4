/** Parsing of the command line, and usage errors. */
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import type { ArgumentSpec, DescribedCommand } from "../../src/args/CommandDescription.ts"
import { globalOptions, informationOptions } from "../../src/args/GlobalOptions.ts"
import { checkValues, parseArgs } from "../../src/args/ParseArgs.ts"
import { closestMatch } from "../../src/args/Suggest.ts"
import { loadCommands } from "../../src/commands/Commands.ts"
import { commandLine } from "../../src/commands/Descriptions.build.ts"
import { exampleValues } from "../../src/help/Help.ts"

const commands = await loadCommands()

const normalizedArgs = (...argv: ReadonlyArray<string>): ReadonlyArray<string> => {
  const request = Either.getOrThrowWith(
    parseArgs(commandLine, argv),
    ({ reason }) => new Error(reason)
  )
  if (request._tag !== "Run") return [request._tag]
  const { command, values } = request
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

const usageError = (...argv: ReadonlyArray<string>) =>
  Either.getOrThrow(Either.flip(Either.flatMap(
    parseArgs(commandLine, argv),
    (invocation) =>
      invocation._tag === "Run"
        ? checkValues(
          [
            ...commands.find(({ path }) => path.join() === invocation.command.path.join())?.options ?? [],
            ...globalOptions
          ],
          invocation.values
        )
        : Either.void
  )))

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
  expect(normalizedArgs("wallet", "transfers", exampleValues.wallet, "--cursor", "a=b==", "--limit", "-5"))
    .toEqual(
      ["wallet", "transfers", "--cursor", "a=b==", "--limit", "-5", "--", exampleValues.wallet]
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

describe("commands of other shapes", () => {
  const command = (path: string, args: ReadonlyArray<ArgumentSpec> = []): DescribedCommand => ({
    path: path.split(" "),
    operation: null,
    isUpdate: false,
    api: null,
    summary: path,
    arguments: args,
    options: [{ name: "from", value: "file", description: "Read from a file" }],
    examples: [],
    fields: []
  })
  const argument = (name: string, more: Partial<ArgumentSpec> = {}): ArgumentSpec => ({
    name,
    description: name,
    ...more
  })
  const others = [
    command("doctor"),
    command("api", [argument("operation"), argument("pair", { optional: true, repeatable: true })]),
    command("get", [argument("address", { replacedBy: "from" }), argument("id")]),
    command("list", [argument("prefix", { optional: true })]),
    command("watch wallet transfers", [argument("address", { repeatable: true })]),
    command("watch wallet trades"),
    command("watch token transfers")
  ]
  const parsed = (...argv: ReadonlyArray<string>) =>
    Either.map(
      parseArgs({ commands: others, globalOptions, informationOptions, variables: [] }, argv),
      (invocation) =>
        invocation._tag === "Run"
          ? [invocation.command.summary, Object.fromEntries(invocation.values)]
          : invocation._tag === "Help"
          ? ["help", invocation.command?.summary ?? invocation.path]
          : []
    )

  it("finds commands of one word and of three words", () => {
    expect(parsed("doctor")).toEqual(Either.right(["doctor", {}]))
    expect(parsed("watch", "wallet", "transfers", "a")).toEqual(
      Either.right(["watch wallet transfers", { address: ["a"] }])
    )
    expect(parsed("watch", "wallet")).toEqual(Either.right(["help", ["watch", "wallet"]]))
    expect(parsed("help", "watch", "token")).toEqual(Either.right(["help", "watch token transfers"]))
  })

  it("suggests commands at every depth", () => {
    const hint = (...argv: ReadonlyArray<string>) => Either.getOrThrow(Either.flip(parsed(...argv))).hint
    expect(hint("docter")).toBe("did you mean quarry doctor?")
    expect(hint("wach", "wallet", "trades")).toBe("did you mean quarry watch wallet trades?")
    expect(hint("watch", "walet", "trades")).toBe("did you mean quarry watch wallet trades?")
    expect(hint("watch", "wallet", "transfer")).toBe("did you mean quarry watch wallet transfers?")
    expect(hint("trades")).toBe("did you mean quarry watch wallet trades?")
    expect(hint("watch", "nowhere")).toBe("available commands: wallet, token")
  })

  it("assigns words to optional and repeatable arguments", () => {
    expect(parsed("api", "walletTransfers")).toEqual(
      Either.right(["api", { operation: ["walletTransfers"] }])
    )
    expect(parsed("api", "walletTransfers", "a=1", "b=2")).toEqual(
      Either.right(["api", { operation: ["walletTransfers"], pair: ["a=1", "b=2"] }])
    )
    expect(parsed("list")).toEqual(Either.right(["list", {}]))
    expect(parsed("list", "a")).toEqual(Either.right(["list", { prefix: ["a"] }]))
    expect(parsed("watch", "wallet", "transfers", "a", "b")).toEqual(
      Either.right(["watch wallet transfers", { address: ["a", "b"] }])
    )
    expect(Either.isLeft(parsed("list", "a", "b"))).toBe(true)
    expect(Either.isLeft(parsed("watch", "wallet", "transfers"))).toBe(true)
  })

  it("lets an option replace an argument", () => {
    expect(parsed("get", "a", "1")).toEqual(Either.right(["get", { address: ["a"], id: ["1"] }]))
    expect(parsed("get", "1", "--from", "f")).toEqual(Either.right(["get", { from: ["f"], id: ["1"] }]))
    expect(Either.isLeft(parsed("get", "1"))).toBe(true)
    expect(Either.isLeft(parsed("get", "--from", "f"))).toBe(true)
  })
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
  expect(usageError("wallet", "transfers", exampleValues.wallet, "--limit", "0")).toEqual({
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
