/** Options of commands that draw a chart. */
import { isEnabled, singleValue } from "../args/ArgumentValues.ts"
import { expecting } from "../args/Checks.ts"
import { type CommandOption, switchOption, textOption } from "../args/CommandOption.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import { pagerOptions } from "./OutputOptions.ts"

/** Options of another output, or of what precedes it. */
const conflictsWith = ["to", "resume", "since-last", "output", "fields", "jq", "raw", "watch"]

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
