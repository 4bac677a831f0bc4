/** Options of every command, in the groups of help. */
import { outputFormats } from "../render/OutputFormat.ts"
import type { OptionSpec } from "./CommandSpec.ts"
import { duration, oneOf } from "./ValueCheck.ts"

const shells = ["bash", "fish", "zsh"]

export const outputOption: OptionSpec = {
  name: "output",
  group: "output",
  alias: "o",
  value: "format",
  description: "Output format (default: table on a terminal, ndjson otherwise)",
  choices: outputFormats,
  check: oneOf(outputFormats)
}

export const sandboxOption: OptionSpec = {
  name: "sandbox",
  group: "connection",
  value: null,
  description: "Use the built-in sandbox; requires no base URL or API key (or QUARRY_SANDBOX=1)"
}

export const timeoutOption: OptionSpec = {
  name: "timeout",
  group: "connection",
  value: "duration",
  description: "Timeout of the whole command, for example 500ms, 30s or 2m",
  check: duration
}

export const verboseOption: OptionSpec = {
  name: "verbose",
  group: "global",
  alias: "v",
  value: null,
  description: "Log requests, responses and waits to stderr; the API key is never logged"
}

/** Base URLs, with the environment variables that the options override. */
export const baseUrlOptions = [
  { name: "base-url", variable: "QUARRY_BASE_URL", api: "data", description: "Base URL of the data API" },
  {
    name: "streams-url",
    variable: "QUARRY_STREAMS_URL",
    api: "streams",
    description: "Base URL of the streams API"
  },
  {
    name: "ledger-url",
    variable: "QUARRY_LEDGER_URL",
    api: "ledger",
    description: "Base URL of the ledger API"
  },
  {
    name: "ledger-testnet-url",
    variable: "QUARRY_LEDGER_TESTNET_URL",
    api: "ledger",
    description: "Base URL of the ledger API for the testnet"
  }
] as const

export const connectionOptions: ReadonlyArray<OptionSpec> = [
  timeoutOption,
  sandboxOption,
  ...baseUrlOptions.map(({ description, name, variable }) => ({
    name,
    group: "connection" as const,
    value: "url",
    description: `${description} (or ${variable})`
  }))
]

/** Options that every command accepts, anywhere on the command line. */
export const globalOptions: ReadonlyArray<OptionSpec> = [outputOption, ...connectionOptions, verboseOption]

export const helpOption: OptionSpec = {
  name: "help",
  group: "global",
  alias: "h",
  value: null,
  description: "Show help"
}
export const versionOption: OptionSpec = {
  name: "version",
  group: "global",
  alias: "V",
  value: null,
  description: "Show the version"
}
export const completionsOption: OptionSpec = {
  name: "completions",
  group: "global",
  value: "shell",
  description: "Print a shell completion script",
  choices: shells,
  check: oneOf(shells)
}

/** Options that replace the execution of a command. */
export const informationOptions: ReadonlyArray<OptionSpec> = [completionsOption, helpOption, versionOption]
