/** Options of commands that draw a chart. */
import * as Either from "effect/Either"
import { isEnabled, singleValue } from "../args/ArgumentValues.ts"
import { type CommandOption, switchOption, textOption } from "../args/CommandOption.ts"
import { UsageError } from "../errors/CommandError.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import { pagerOptions } from "./OutputOptions.ts"

/** Options of another output, or of what precedes it. */
const conflictsWith = ["to", "resume", "since-last", "fields", "jq", "raw", "watch"]

const chartOption = switchOption("chart", "Draw a chart instead of printing records", {
  group: "output",
  conflictsWith
})

const chartToOption = textOption(
  "chart-to",
  "file.svg",
  "Write the chart to an SVG file; --overwrite replaces an existing one",
  { group: "output", completes: "file", conflictsWith }
)

export const chartOptions: ReadonlyArray<CommandOption> = [chartOption, chartToOption]

export interface ChartTarget {
  readonly isPrinted: boolean
  readonly file: string | null
  readonly mayOverwrite: boolean
  readonly pager: ReturnType<typeof pagerOptions>
}

/** Returns where to draw a chart; null if the command draws none. */
export const chartTarget = (
  invocation: CommandInvocation
): Either.Either<ChartTarget | null, UsageError> => {
  const { commandLineValues, values } = invocation
  const file = singleValue(values, chartToOption.name) || null
  const isPrinted = isEnabled(values, chartOption.name)
  if (!isPrinted && file === null) return Either.right(null)
  const option = `--${isPrinted ? chartOption.name : chartToOption.name}`
  // A default format, for example of a profile, is no contradiction
  const format = singleValue(commandLineValues, "output") ?? "table"
  if (format !== "table") {
    return Either.left(
      new UsageError({
        reason: `${option} and -o ${format} are mutually exclusive`,
        hint: `omit -o ${format} to draw a chart, or ${option} to print records`
      })
    )
  }
  if (file !== null && !file.toLowerCase().endsWith(".svg")) {
    return Either.left(
      new UsageError({
        reason: `--${chartToOption.name}: expected a file name that ends in .svg, got ${
          JSON.stringify(file)
        }`,
        hint: `for example --${chartToOption.name} chart.svg`
      })
    )
  }
  return Either.right({
    isPrinted,
    file,
    mayOverwrite: isEnabled(values, "overwrite"),
    pager: pagerOptions(invocation)
  })
}
