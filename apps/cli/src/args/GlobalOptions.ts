/** Options that every command takes, anywhere on the line. */
import { outputFormats } from "../render/OutputFormat.ts"
import type { OptionSpec } from "./CommandSpec.ts"

export const outputOption: OptionSpec = {
  name: "output",
  alias: "o",
  value: "format",
  description: "how data is printed; table on a terminal and ndjson in a pipe where nothing is said",
  choices: outputFormats
}

export const sandboxOption: OptionSpec = {
  name: "sandbox",
  value: null,
  description: "ask the built-in sandbox, which needs neither address nor key (or QUARRY_SANDBOX=1)"
}

export const timeoutOption: OptionSpec = {
  name: "timeout",
  value: "duration",
  description: "give up after this long, as in 500ms, 30s or 2m"
}

export const verboseOption: OptionSpec = {
  name: "verbose",
  alias: "v",
  value: null,
  description: "say on stderr what is sent, what comes back and what is waited for; never the key"
}

/** Base addresses, and the settings of the environment that they override. */
export const baseUrlOptions = [
  { name: "base-url", variable: "QUARRY_BASE_URL", api: "data", description: "address of the main API" },
  {
    name: "streams-url",
    variable: "QUARRY_STREAMS_URL",
    api: "streams",
    description: "address of the streams API"
  },
  { name: "ledger-url", variable: "QUARRY_LEDGER_URL", api: "ledger", description: "address of the ledger" },
  {
    name: "ledger-testnet-url",
    variable: "QUARRY_LEDGER_TESTNET_URL",
    api: "ledger",
    description: "address of the ledger's testnet"
  }
] as const

export const globalOptions: ReadonlyArray<OptionSpec> = [
  outputOption,
  timeoutOption,
  sandboxOption,
  ...baseUrlOptions.map(({ description, name, variable: setting }) => ({
    name,
    value: "url",
    description: `${description} (or ${setting})`
  })),
  verboseOption
]

/** Options that are answered before any command runs. */
export const helpOption: OptionSpec = { name: "help", alias: "h", value: null, description: "show this help" }
export const versionOption: OptionSpec = {
  name: "version",
  alias: "V",
  value: null,
  description: "show the version"
}
export const completionsOption: OptionSpec = {
  name: "completions",
  value: "shell",
  description: "print a completion script",
  choices: ["bash", "fish", "zsh"]
}
