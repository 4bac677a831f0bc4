/** Options that commands share, in the groups of help. */
import type { ApiName } from "@blockquarry/core/Operation"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Options from "@effect/cli/Options"
import * as Either from "effect/Either"
import { formatsByExtension } from "../formats/FileFormat.ts"
import { isOutputFormat, outputFormats } from "../render/OutputFormat.ts"
import { colorModes } from "../terminal/StreamInfo.ts"
import { baseUrlOptions } from "../text/BaseUrlOptions.ts"
import { type ArgumentValues, singleValue } from "./ArgumentValues.ts"
import { durationOrNone, expecting, profileName } from "./Checks.ts"
import { checked, type CommandOption, commandOption } from "./CommandOption.ts"
import { closestMatch, didYouMean } from "./Suggest.ts"

export const outputOption = commandOption(
  Options.text("output").pipe(
    Options.withAlias("o"),
    Options.withPseudoName("format"),
    Options.withDescription("Output format (default: table on a terminal, ndjson otherwise)"),
    checked(expecting(
      `one of ${outputFormats.join(", ")} (for parquet, use --to FILE.parquet)`,
      (value) => isOutputFormat(value) || value === "parquet",
      (value) => didYouMean(closestMatch(value, outputFormats))
    ))
  ),
  { group: "output", isCommon: true, choices: outputFormats }
)

export const toOption = commandOption(
  Options.text("to").pipe(
    Options.withPseudoName("file"),
    Options.withDescription(
      `Write all records to a file; its extension selects the format: ${
        Object.keys(formatsByExtension).join(", ")
      }`
    )
  ),
  { group: "export", isCommon: true, completes: "file" }
)

/** Returns whether the command writes to a file, which implies `--all`. */
export const isExport = (values: ArgumentValues): boolean => (singleValue(values, toOption.name) ?? "") !== ""

const sandboxOption = commandOption(
  Options.boolean("sandbox").pipe(
    Options.withDescription("Use the built-in sandbox; requires no base URL or API key (or QUARRY_SANDBOX=1)")
  ),
  { group: "connection", isCommon: true }
)

export const timeoutOption = commandOption(
  Options.text("timeout").pipe(
    Options.withPseudoName("duration"),
    Options.withDescription("Timeout of the whole command, for example 500ms, 30s or 2m (default: none)"),
    checked(durationOrNone)
  ),
  { group: "connection" }
)

export const rateLimitOption = commandOption(
  Options.text("rate-limit").pipe(
    Options.withPseudoName("units/time"),
    Options.withDescription(
      "Local rate limit, for example 25/10s, or none (default: 100/s; or QUARRY_RATE_LIMIT)"
    ),
    checked(expecting(
      "units per time such as 100/s or 5000/10m, or none",
      (value) => Either.isRight(RateLimit.parse(value)),
      (value) => /^[1-9]\d*$/.test(value) ? `add the time, for example ${value}/s` : null
    ))
  ),
  { group: "connection" }
)

export const profileOption = commandOption(
  Options.text("profile").pipe(
    Options.withPseudoName("name"),
    Options.withDescription("Profile of the configuration file (or QUARRY_PROFILE)"),
    checked(profileName)
  ),
  { group: "connection", completes: "profile" }
)

export const curlOption = commandOption(
  Options.boolean("curl").pipe(
    Options.withDescription("Print the first request as a curl command instead of sending it")
  ),
  { group: "connection" }
)

export const verboseOption = commandOption(
  Options.boolean("verbose", { aliases: ["v"] }).pipe(
    Options.withDescription("Log requests, responses and waits to stderr; the API key is never logged")
  ),
  { group: "global", isCommon: true }
)

export const quietOption = commandOption(
  Options.boolean("quiet", { aliases: ["q"] }).pipe(
    Options.withDescription("Print errors only to stderr: no progress, notices or hints")
  ),
  { group: "global", conflictsWith: ["verbose"] }
)

export const colorOption = commandOption(
  Options.choice("color", colorModes).pipe(
    Options.withDescription(
      "Use colors: auto on a terminal, always or never (or NO_COLOR, FORCE_COLOR; default: auto)"
    )
  ),
  { group: "global", value: "when" }
)

export const noPagerOption = commandOption(
  Options.boolean("no-pager").pipe(
    Options.withDescription("Do not use a pager (default: QUARRY_PAGER, PAGER or less, on a terminal)")
  ),
  { group: "global" }
)

export const noInputOption = commandOption(
  Options.boolean("no-input").pipe(
    Options.withDescription("Never ask for input; a command that needs it fails")
  ),
  { group: "global" }
)

export const jsonErrorsOption = commandOption(
  Options.boolean("json-errors").pipe(
    Options.withDescription(
      "Print an error as one line of JSON: tag, message, hint, exitCode, retryable, requestId"
    )
  ),
  { group: "global" }
)

/** Selects between the ledger APIs. */
export const networkOption = commandOption(
  Options.choice("network", ["mainnet", "testnet"]).pipe(
    Options.withDescription("Ledger network (default: mainnet)")
  ),
  { value: "name" }
)

/** Returns the options of a command that sends requests to an API. */
export const requestOptions = (api: ApiName | "any"): ReadonlyArray<CommandOption> => [
  timeoutOption,
  sandboxOption,
  ...baseUrlOptions.filter((option) => api === "any" || api === option.api).map(
    ({ description, name, variable }) =>
      commandOption(
        Options.text(name).pipe(
          Options.withPseudoName("url"),
          Options.withDescription(`${description} (or ${variable})`)
        ),
        { group: "connection" }
      )
  ),
  profileOption,
  rateLimitOption
]

/** Returns the options of a command that calls an operation. */
export const operationOptions = (api: ApiName | "any"): ReadonlyArray<CommandOption> => [
  ...requestOptions(api),
  curlOption
]

/** Options that every command accepts. */
export const globalOptions: ReadonlyArray<CommandOption> = [
  verboseOption,
  quietOption,
  colorOption,
  noPagerOption,
  noInputOption,
  jsonErrorsOption
]
