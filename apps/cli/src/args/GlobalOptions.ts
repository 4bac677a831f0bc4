/** Options that commands share, in the groups of help. */
import type { ApiName } from "@blockquarry/core/Operation"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Either from "effect/Either"
import { isOutputFormat, outputFormats } from "../render/OutputFormat.ts"
import { noPagerName } from "../terminal/EarlyOptions.ts"
import { colorModes } from "../terminal/StreamInfo.ts"
import { baseUrlOptions } from "../text/BaseUrlOptions.ts"
import type { OptionSpec } from "./CommandDescription.ts"
import { shells } from "./Shells.ts"
import { durationOrNone, oneOf, profileName } from "./ValueCheck.ts"

export const outputOption: OptionSpec = {
  name: "output",
  group: "output",
  alias: "o",
  value: "format",
  description: "Output format (default: table on a terminal, ndjson otherwise)",
  choices: outputFormats,
  check: {
    ...oneOf(outputFormats),
    expected: `one of ${outputFormats.join(", ")} (for parquet, use --to FILE.parquet)`,
    accepts: (value) => isOutputFormat(value) || value === "parquet"
  }
}

const sandboxOption: OptionSpec = {
  name: "sandbox",
  group: "connection",
  value: null,
  description: "Use the built-in sandbox; requires no base URL or API key (or QUARRY_SANDBOX=1)"
}

export const timeoutOption: OptionSpec = {
  name: "timeout",
  group: "connection",
  value: "duration",
  description: "Timeout of the whole command, for example 500ms, 30s or 2m (default: none)",
  check: durationOrNone
}

export const rateLimitOption: OptionSpec = {
  name: "rate-limit",
  group: "connection",
  value: "units/time",
  description: "Local rate limit, for example 25/10s, or none (default: 100/s; or QUARRY_RATE_LIMIT)",
  check: {
    expected: "units per time such as 100/s or 5000/10m, or none",
    accepts: (value) => Either.isRight(RateLimit.parse(value)),
    hint: (value) => /^[1-9]\d*$/.test(value) ? `add the time, for example ${value}/s` : null
  }
}

export const profileOption: OptionSpec = {
  name: "profile",
  group: "connection",
  value: "name",
  description: "Profile of the configuration file (or QUARRY_PROFILE)",
  completes: "profile",
  check: profileName
}

export const curlOption: OptionSpec = {
  name: "curl",
  group: "connection",
  value: null,
  description: "Print the first request as a curl command instead of sending it"
}

export const verboseOption: OptionSpec = {
  name: "verbose",
  group: "global",
  alias: "v",
  value: null,
  description: "Log requests, responses and waits to stderr; the API key is never logged"
}

export const quietOption: OptionSpec = {
  name: "quiet",
  group: "global",
  alias: "q",
  value: null,
  description: "Print errors only to stderr: no progress, notices or hints",
  conflictsWith: ["verbose"]
}

export const colorOption: OptionSpec = {
  name: "color",
  group: "global",
  value: "when",
  description: "Use colors: auto on a terminal, always or never (or NO_COLOR, FORCE_COLOR; default: auto)",
  choices: colorModes,
  check: oneOf(colorModes)
}

export const noPagerOption: OptionSpec = {
  name: noPagerName,
  group: "global",
  value: null,
  description: "Do not use a pager (default: QUARRY_PAGER, PAGER or less, on a terminal)"
}

export const noInputOption: OptionSpec = {
  name: "no-input",
  group: "global",
  value: null,
  description: "Never ask for input; a command that needs it fails"
}

export const jsonErrorsOption: OptionSpec = {
  name: "json-errors",
  group: "global",
  value: null,
  description: "Print an error as one line of JSON: tag, message, hint, exitCode, retryable, requestId"
}

const networks = ["mainnet", "testnet"]

/** Selects between the ledger APIs. */
export const networkOption: OptionSpec = {
  name: "network",
  value: "name",
  description: "Ledger network (default: mainnet)",
  choices: networks,
  check: oneOf(networks)
}

/** Returns the options of a command that sends requests to an API. */
export const requestOptions = (api: ApiName | "any"): ReadonlyArray<OptionSpec> => [
  timeoutOption,
  sandboxOption,
  ...baseUrlOptions.filter((option) => api === "any" || api === option.api).map(
    ({ description, name, variable }) => ({
      name,
      group: "connection" as const,
      value: "url",
      description: `${description} (or ${variable})`
    })
  ),
  profileOption,
  rateLimitOption
]

/** Returns the options of a command that calls an operation. */
export const operationOptions = (api: ApiName | "any"): ReadonlyArray<OptionSpec> => [
  ...requestOptions(api),
  curlOption
]

/** Options that every command accepts. */
export const globalOptions: ReadonlyArray<OptionSpec> = [
  verboseOption,
  quietOption,
  colorOption,
  noPagerOption,
  noInputOption,
  jsonErrorsOption
]

const helpOption: OptionSpec = {
  name: "help",
  group: "global",
  alias: "h",
  value: null,
  description: "Show help"
}
const versionOption: OptionSpec = {
  name: "version",
  group: "global",
  alias: "V",
  value: null,
  description: "Show the version"
}
const completionsOption: OptionSpec = {
  name: "completions",
  group: "global",
  value: "shell",
  description: "Print a shell completion script; the same as quarry completions <shell>",
  choices: shells
}

/** Options that replace the execution of a command. */
export const informationOptions: ReadonlyArray<OptionSpec> = [completionsOption, helpOption, versionOption]
