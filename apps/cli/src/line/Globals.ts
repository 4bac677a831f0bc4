/** Options that every command takes, anywhere on the line. */
import { formats } from "../render/Format.ts"
import type { OptionSpec } from "./Entry.ts"

export const output: OptionSpec = {
  name: "output",
  alias: "o",
  value: "format",
  description: "how data is printed; table on a terminal and ndjson in a pipe where nothing is said",
  choices: formats
}

export const sandbox: OptionSpec = {
  name: "sandbox",
  value: null,
  description: "ask the built-in sandbox, which needs neither address nor key (or QUARRY_SANDBOX=1)"
}

export const timeout: OptionSpec = {
  name: "timeout",
  value: "duration",
  description: "give up after this long, as in 500ms, 30s or 2m"
}

export const verbose: OptionSpec = {
  name: "verbose",
  alias: "v",
  value: null,
  description: "say on stderr what is sent, what comes back and what is waited for; never the key"
}

/** Base addresses, and the settings of the environment that they override. */
export const addresses = [
  { name: "base-url", setting: "QUARRY_BASE_URL", api: "data", description: "address of the main API" },
  {
    name: "streams-url",
    setting: "QUARRY_STREAMS_URL",
    api: "streams",
    description: "address of the streams API"
  },
  { name: "ledger-url", setting: "QUARRY_LEDGER_URL", api: "ledger", description: "address of the ledger" },
  {
    name: "ledger-testnet-url",
    setting: "QUARRY_LEDGER_TESTNET_URL",
    api: "ledger",
    description: "address of the ledger's testnet"
  }
] as const

export const globals: ReadonlyArray<OptionSpec> = [
  output,
  timeout,
  sandbox,
  ...addresses.map(({ description, name, setting }) => ({
    name,
    value: "url",
    description: `${description} (or ${setting})`
  })),
  verbose
]

/** Options that are answered before any command runs. */
export const help: OptionSpec = { name: "help", alias: "h", value: null, description: "show this help" }
export const version: OptionSpec = {
  name: "version",
  alias: "V",
  value: null,
  description: "show the version"
}
export const completions: OptionSpec = {
  name: "completions",
  value: "shell",
  description: "print a completion script",
  choices: ["bash", "fish", "zsh"]
}
