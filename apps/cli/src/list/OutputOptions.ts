/** Options that decide what is printed of records, and how. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type ArgumentValues, isEnabled, singleValue } from "../args/ArgumentValues.ts"
import { expecting } from "../args/Checks.ts"
import { type CommandOption, switchOption, textOption } from "../args/CommandOption.ts"
import { noPagerOption, outputOption } from "../args/GlobalOptions.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import type { View } from "../render/View.ts"
import type { PagerOptions } from "../terminal/Pager.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"

const fieldsOption = textOption(
  "fields",
  "names",
  "Print these fields only, for example block_number,value; \"help\" lists all fields",
  { isRepeatable: true, group: "output", isCommon: true, completes: "field" }
)

const jqOption = textOption("jq", "expression", "Print what a jq expression makes of each record", {
  group: "output",
  isCommon: true
})

const exitStatusOption = switchOption(
  "exit-status",
  "Exit with 9 if the last result of --jq is false or null, and with 10 if there is none",
  { group: "output", conflictsWith: ["to"] }
)

const wideOption = switchOption(
  "wide",
  "Show all columns and whole values in tables, in lines of any length",
  { group: "output" }
)

const utcOption = switchOption("utc", "Show times in UTC instead of relative to now", { group: "output" })

/** Neutralises text in CSV that a spreadsheet takes for a formula. */
const escapeFormulasOption = switchOption(
  "escape-formulas",
  "In CSV, prefix text that starts like a formula with an apostrophe",
  { group: "output" }
)

export const recordOptions: ReadonlyArray<CommandOption> = [
  fieldsOption,
  jqOption,
  exitStatusOption,
  wideOption,
  utcOption,
  escapeFormulasOption,
  outputOption
]

export type OutputSettings = ReturnType<typeof outputSettings>

export const outputSettings = (values: ArgumentValues) => {
  const fields = (values.get(fieldsOption.name) ?? []).flatMap((text) => text.split(","))
    .map((name) => name.trim()).filter((name) => name !== "")
  return {
    /** Names of fields; empty for all fields. */
    fields,
    /** Whether the fields are listed instead of the records. */
    isFieldsHelp: fields.includes("help"),
    jq: singleValue(values, jqOption.name) ?? null,
    hasExitStatus: isEnabled(values, exitStatusOption.name),
    escapeFormulas: isEnabled(values, escapeFormulasOption.name)
  }
}

export const pagerOptions = (
  { settings: { configuration }, values }: CommandInvocation
): PagerOptions & { readonly isEnabled: boolean } => ({
  isEnabled: !isEnabled(values, noPagerOption.name),
  chopsLines: isEnabled(values, wideOption.name),
  command: configuration.values.get("pager")?.value ?? null
})

/** Returns how a command shows tables and records. Times are relative and values short on a terminal only. */
export const makeView = (
  { settings, values }: CommandInvocation,
  subject: string | null
): Effect.Effect<View, never, CommandTerminal> =>
  Effect.gen(function*() {
    const { out } = yield* CommandTerminal
    return {
      stream: out,
      isWide: isEnabled(values, wideOption.name) || !out.isTerminal,
      now: out.isTerminal && !isEnabled(values, utcOption.name) ? yield* Clock.currentTimeMillis : null,
      subject,
      aliasOf: settings.configuration.addressBook.aliasOf
    }
  })

/** Options of another output, or of what precedes it. */
const conflictsWith = ["to", "resume", "since-last", "output", "fields", "jq", "watch"]

const chartOption = switchOption("chart", "Draw a chart instead of printing records", {
  group: "output",
  conflictsWith
})

const chartToOption = textOption(
  "chart-to",
  "file.svg",
  "Write the chart to an SVG file; --overwrite replaces an existing one",
  {
    check: expecting(
      "a file name that ends in .svg",
      (file) => file.toLowerCase().endsWith(".svg"),
      () => "for example --chart-to chart.svg"
    ),
    group: "output",
    completes: "file",
    conflictsWith
  }
)

export const chartOptions: ReadonlyArray<CommandOption> = [chartOption, chartToOption]

export type ChartTarget = NonNullable<ReturnType<typeof chartTarget>>

/** Returns where to draw a chart; null if the command draws none. */
export const chartTarget = (invocation: CommandInvocation) => {
  const { values } = invocation
  const file = singleValue(values, chartToOption.name) ?? null
  const isPrinted = isEnabled(values, chartOption.name)
  return isPrinted || file !== null
    ? { isPrinted, file, mayOverwrite: isEnabled(values, "overwrite"), pager: pagerOptions(invocation) }
    : null
}
