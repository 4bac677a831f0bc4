/** Options that commands share, in the groups of help. */
import type { ApiName } from "@blockquarry/core/Operation"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Either from "effect/Either"
import { fileExtensions, formatOfFile } from "../formats/RecordFormat.ts"
import { isOutputFormat, outputFormats } from "../render/View.ts"
import { colorModes } from "../terminal/StreamInfo.ts"
import { baseUrlOptions } from "../text/BaseUrlOptions.ts"
import type { ArgumentValues } from "./ArgumentValues.ts"
import { baseUrl, durationOrNone, expecting, profileName } from "./Checks.ts"
import { choiceOption, type CommandOption, switchOption, textOption } from "./CommandOption.ts"
import { queryOption } from "./QueryOption.ts"
import { closestMatch, didYouMean } from "./Suggest.ts"

export const outputOption = textOption(
  "output",
  "format",
  "Output format (default: table on a terminal, ndjson otherwise)",
  {
    alias: "o",
    check: expecting(
      `one of ${outputFormats.join(", ")}`,
      isOutputFormat,
      (value) =>
        value === "parquet"
          ? "--to FILE.parquet selects parquet, without --output"
          : didYouMean(closestMatch(value, outputFormats))
    ),
    group: "output",
    isCommon: true,
    choices: outputFormats
  }
)

export const toOption = textOption(
  "to",
  "file",
  `Write all records to a file; its extension selects the format: ${fileExtensions}`,
  {
    check: expecting(
      `a file name that ends in ${fileExtensions}`,
      (file) => formatOfFile(file) !== undefined,
      () => "for example --to records.parquet"
    ),
    group: "export",
    isCommon: true,
    completes: "file"
  }
)

/** Returns whether the command writes to a file, which implies `--all`. */
export const isExport = (values: ArgumentValues): boolean => values.has(toOption.name)

export const sandboxOption = switchOption(
  "sandbox",
  "Use the built-in sandbox; requires no base URL or API key (or QUARRY_SANDBOX=1)",
  { group: "connection", isCommon: true }
)

export const timeoutOption = textOption(
  "timeout",
  "duration",
  "Timeout of the whole command, for example 500ms, 30s or 2m (default: none)",
  { check: durationOrNone, group: "connection" }
)

export const rateLimitOption = textOption(
  "rate-limit",
  "units/time",
  "Local rate limit, for example 25/10s, or none (default: 100/s; or QUARRY_RATE_LIMIT)",
  {
    check: expecting(
      "units per time such as 100/s or 5000/10m, or none",
      (value) => Either.isRight(RateLimit.parse(value)),
      (value) => /^[1-9]\d*$/.test(value) ? `add the time, for example ${value}/s` : null
    ),
    group: "connection"
  }
)

export const profileOption = textOption(
  "profile",
  "name",
  "Profile of the configuration file (or QUARRY_PROFILE)",
  { check: profileName, group: "connection", completes: "profile" }
)

export const curlOption = switchOption(
  "curl",
  "Print the first request as a curl command instead of sending it",
  { group: "connection" }
)

export const verboseOption = switchOption(
  "verbose",
  "Log requests, responses and waits to stderr; the API key is never logged",
  { alias: "v", group: "global", isCommon: true }
)

export const quietOption = switchOption(
  "quiet",
  "Print errors only to stderr: no progress, notices or hints",
  { alias: "q", group: "global", conflictsWith: ["verbose"] }
)

export const colorOption = choiceOption(
  "color",
  "when",
  colorModes,
  "Use colors: auto on a terminal, always or never (or NO_COLOR, FORCE_COLOR; default: auto)",
  { group: "global" }
)

export const noPagerOption = switchOption(
  "no-pager",
  "Do not use a pager (default: QUARRY_PAGER, PAGER or less, on a terminal)",
  { group: "global" }
)

export const noInputOption = switchOption("no-input", "Never ask for input; a command that needs it fails", {
  group: "global"
})

export const jsonErrorsOption = switchOption(
  "json-errors",
  "Print an error as one line of JSON: tag, message, hint, exitCode, retryable, requestId",
  { group: "global" }
)

/** Selects between the ledger APIs. */
export const networkOption = choiceOption(
  "network",
  "name",
  ["mainnet", "testnet"],
  "Ledger network (default: mainnet)"
)

export const requestOptions = (api: ApiName | "any"): ReadonlyArray<CommandOption> => [
  timeoutOption,
  sandboxOption,
  ...baseUrlOptions.filter((option) => api === "any" || api === option.api).map(
    ({ description, name, variable }) =>
      textOption(name, "url", `${description} (or ${variable})`, { check: baseUrl, group: "connection" })
  ),
  profileOption,
  rateLimitOption
]

export const operationOptions = (api: ApiName | "any"): ReadonlyArray<CommandOption> => [
  ...requestOptions(api),
  queryOption,
  curlOption
]

export const globalOptions: ReadonlyArray<CommandOption> = [
  verboseOption,
  quietOption,
  colorOption,
  noPagerOption,
  noInputOption,
  jsonErrorsOption
]
