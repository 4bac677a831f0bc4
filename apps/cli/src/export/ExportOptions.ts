import type { AnyOperation } from "@blockquarry/core/Operation"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type ArgumentValues, isEnabled, singleValue } from "../args/ArgumentValues.ts"
import { addUnit, expecting, parseDuration } from "../args/Checks.ts"
import { type CommandOption, switchOption, textOption } from "../args/CommandOption.ts"
import { isExport, outputOption, toOption } from "../args/GlobalOptions.ts"
import { UsageError } from "../errors/CommandError.ts"
import { formatOfFile } from "../formats/RecordFormat.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"

const resumeOption = switchOption("resume", "Continue an interrupted export; without one, start", {
  group: "export",
  conflictsWith: ["since-last", "overwrite"]
})

const sinceLastOption = switchOption(
  "since-last",
  "Append the records of blocks since the last complete export; without one, export all",
  { group: "export", conflictsWith: ["overwrite", "cursor"] }
)

const overwriteOption = switchOption("overwrite", "Replace the file and forget an unfinished export", {
  group: "export"
})

export const takeOverOption = switchOption("take-over", "Take the lock of an ended process elsewhere", {
  group: "export"
})

export const dryRunOption = switchOption(
  "dry-run",
  "Print the first request instead of sending it; with --to, send it to estimate pages and cost",
  { group: "export" }
)

const retryForOption = textOption(
  "retry-for",
  "duration",
  "How long to retry while the service is unavailable; 0 to fail at once (default: 10m with --to, otherwise 0)",
  {
    check: expecting(
      "0 or a duration such as 30s, 10m or 2h",
      (value) => /^0[a-z]*$/.test(value) || parseDuration(value) !== null,
      addUnit
    ),
    group: "export"
  }
)

export const exportOptions: ReadonlyArray<CommandOption> = [
  toOption,
  resumeOption,
  sinceLastOption,
  overwriteOption,
  takeOverOption,
  retryForOption,
  dryRunOption
]

/** Those of many inputs. */
export const inputExportOptions = exportOptions.filter((option) =>
  option !== sinceLastOption && option !== dryRunOption
)

/** What to do with an earlier export of the file; new if there must be none. */
const modes = ["resume", "since-last", "overwrite"] as const

export interface ExportTarget {
  readonly file: string
  readonly format: NonNullable<ReturnType<typeof formatOfFile>>
  readonly mode: "new" | (typeof modes)[number]
}

/** Returns the file to export to; null if the command prints to stdout. */
export const exportTarget = (
  { commandLineValues, values }: Pick<CommandInvocation, "commandLineValues" | "values">
): Effect.Effect<ExportTarget | null, UsageError> => {
  const file = singleValue(values, toOption.name) ?? ""
  const mode = modes.find((name) => isEnabled(values, name))
  const format = formatOfFile(file)
  if (format === undefined) {
    const option = mode ?? (isEnabled(values, takeOverOption.name) ? takeOverOption.name : undefined)
    return option === undefined
      ? Effect.succeed(null)
      : new UsageError({ reason: `--${option} requires --to`, hint: "add --to FILE, the file of the export" })
  }
  // That of a configuration file concerns stdout
  const output = singleValue(commandLineValues, outputOption.name) ?? format
  if (output !== format) {
    return new UsageError({
      reason:
        `--${outputOption.name} ${output} disagrees with --${toOption.name} ${file}: the extension selects ${format}`,
      hint: `omit --${outputOption.name}; files are ndjson, csv or parquet`
    })
  }
  return Effect.succeed({ file, format, mode: mode ?? "new" })
}

const defaultChain = "eth"

/**
 * States the default chain in the requests of an export: services accept the cursor of a list only with the parameters of
 * its first request, and an export continues whether its chain is stated or not.
 */
export const withExplicitChain = (
  { parameters }: Pick<AnyOperation, "parameters">,
  invocation: CommandInvocation
): CommandInvocation =>
  !isExport(invocation.values) || invocation.values.has("chain") ||
    parameters.every(({ name }) => name !== "chain")
    ? invocation
    : { ...invocation, values: new Map([...invocation.values, ["chain", [defaultChain]]]) }

export const retryDuration = (values: ArgumentValues): Duration.Duration => {
  const text = singleValue(values, retryForOption.name)
  return text === undefined
    ? isExport(values) ? Duration.minutes(10) : Duration.zero
    : parseDuration(text) ?? Duration.zero
}
