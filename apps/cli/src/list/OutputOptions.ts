/** Options that decide what is printed of records. */
import { type ArgumentValues, isEnabled, singleValue } from "../args/ArgumentValues.ts"
import { type CommandOption, switchOption, textOption } from "../args/CommandOption.ts"
import { noPagerOption, outputOption } from "../args/GlobalOptions.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import type { PagerOptions } from "../terminal/Pager.ts"

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

const rawOption = switchOption("raw", "Print the body of each response as received", {
  group: "output",
  conflictsWith: ["fields", "jq", "output", "to", "max-items", "largest", "total-ranges"]
})

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

/** Options of every command that prints records. */
export const recordOptions: ReadonlyArray<CommandOption> = [
  fieldsOption,
  jqOption,
  exitStatusOption,
  rawOption,
  wideOption,
  utcOption,
  escapeFormulasOption,
  outputOption
]

/** What the options say. */
export interface OutputSettings {
  /** Names of fields; empty for all fields. */
  readonly fields: ReadonlyArray<string>
  /** Whether the fields are listed instead of the records. */
  readonly isFieldsHelp: boolean
  readonly jq: string | null
  readonly hasExitStatus: boolean
  readonly isRaw: boolean
  readonly isWide: boolean
  readonly isUtc: boolean
  readonly usesPager: boolean
  readonly escapeFormulas: boolean
}

export const outputSettings = (values: ArgumentValues): OutputSettings => {
  const fields = (values.get(fieldsOption.name) ?? []).flatMap((text) => text.split(","))
    .map((name) => name.trim()).filter((name) => name !== "")
  return {
    fields,
    isFieldsHelp: fields.includes("help"),
    jq: singleValue(values, jqOption.name) ?? null,
    hasExitStatus: isEnabled(values, exitStatusOption.name),
    isRaw: isEnabled(values, rawOption.name),
    isWide: isEnabled(values, wideOption.name),
    isUtc: isEnabled(values, utcOption.name),
    usesPager: !isEnabled(values, noPagerOption.name),
    escapeFormulas: isEnabled(values, escapeFormulasOption.name)
  }
}

/** Returns how the output of a command is paged. */
export const pagerOptions = (
  { settings: { configuration }, values }: CommandInvocation
): PagerOptions & { readonly isEnabled: boolean } => {
  const { isRaw, isWide, usesPager } = outputSettings(values)
  return {
    isEnabled: usesPager && !isRaw,
    chopsLines: isWide,
    command: configuration.values.get("pager")?.value ?? null
  }
}
