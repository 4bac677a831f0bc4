/** Reads the command line: commands, and options that override environment variables. Loads nothing of Effect. */
import { readWords } from "@blockquarry/command-line/Words"
import { closestMatch } from "@blockquarry/core/Suggestion"
import { optionOf, proxyVariables, type VariableValues } from "../config/EnvironmentVariables.ts"
import { help, optionDescriptions } from "./Help.build.ts"

export type Command =
  | { readonly _tag: "Serve" }
  | { readonly _tag: "CheckConfig"; readonly connect: boolean }
  | { readonly _tag: "PrintConfig" }
  | { readonly _tag: "ExampleConfig" }
  | { readonly _tag: "NewToken"; readonly client: string }

export type CommandLine =
  | { readonly _tag: "Invalid"; readonly reason: string }
  | {
    readonly _tag: "Run"
    readonly command: Command
    /** The values of options, by the names of the variables that they override. */
    readonly optionValues: VariableValues
  }

export const read = (
  argv: ReadonlyArray<string>,
  version: string
): CommandLine | { readonly _tag: "Information"; readonly text: string } => {
  const { options: values, positionals, problems: [problem] } = readWords(
    optionDescriptions,
    // Package managers pass on the `--` that ends their own options
    argv[0] === "--" ? argv.slice(1) : argv
  )
  if (problem?._tag === "UnknownOption") {
    const names = optionDescriptions.map(({ name }) => `--${name}`)
    const suggestion = problem.flag.startsWith("--") ? closestMatch(problem.flag, names) : undefined
    const hint = suggestion === undefined ? "" : `; did you mean ${suggestion}?`
    return invalid(`Unknown option '${problem.flag}'${hint}`)
  }
  const given = optionDescriptions.flatMap((option) => {
    const value = values.get(option.name)?.at(-1)
    return value === undefined ? [] : [{ ...option, given: value }]
  })
  const misused = problem?.option ?? given.find((option) => option.given === "")
  if (misused !== undefined) {
    const { alias, name, value } = misused
    const label = `${alias === undefined ? "" : `-${alias}, `}--${name}${value === null ? "" : " <value>"}`
    return invalid(`Option '${label}' ${value === null ? "does not take an argument" : "argument missing"}`)
  }
  const words = positionals.join(" ")
  if (values.has("help") || words === "help") return { _tag: "Information", text: help }
  if (values.has("version")) return { _tag: "Information", text: version }
  const command = commandOf(words, values.has("connect"))
  if (command === undefined) {
    return invalid(
      `unknown command ${
        JSON.stringify(words)
      }; expected serve, config check, config print, config example or token NAME`
    )
  }
  if (values.has("connect") && command._tag !== "CheckConfig") {
    return invalid("--connect: expected the command config check")
  }
  const variables = Object.values(proxyVariables)
  const optionValues = given.flatMap(({ given, name }) =>
    variables.filter((variable) => optionOf(variable) === `--${name}`).map((variable) => [variable, given])
  )
  return { _tag: "Run", command, optionValues: Object.fromEntries(optionValues) }
}

const invalid = (reason: string): CommandLine => ({ _tag: "Invalid", reason })

const commandOf = (words: string, connect: boolean): Command | undefined => {
  switch (words) {
    case "":
    case "serve":
      return { _tag: "Serve" }
    case "config check":
      return { _tag: "CheckConfig", connect }
    case "config print":
      return { _tag: "PrintConfig" }
    case "config example":
      return { _tag: "ExampleConfig" }
  }
  const [, client] = /^token (.*)$/s.exec(words) ?? []
  return client === undefined ? undefined : { _tag: "NewToken", client }
}
