import * as Duration from "effect/Duration"
import { singleValue } from "../args/ArgumentValues.ts"
import { addUnit, expecting, parseDuration } from "../args/Checks.ts"
import { type CommandOption, integerOption, maxRecords, textOption } from "../args/CommandOption.ts"
import { outputOption } from "../args/GlobalOptions.ts"
import { takeOverOption } from "../export/ExportOptions.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import { recordOptions } from "../list/OutputOptions.ts"
import { outputFormats } from "../render/View.ts"

const defaultInterval = Duration.seconds(15)

export const defaultOverlap = 32

const interval = expecting(
  "a duration of at least 1s",
  (value) => Duration.greaterThanOrEqualTo(parseDuration(value) ?? Duration.zero, Duration.seconds(1)),
  addUnit
)

const intervalOption = textOption("interval", "duration", "Time between polls, at least 1s (default: 15s)", {
  check: interval
})

export const maxItemsOption = integerOption("max-items", [1, maxRecords], "End after this many records")

export const watchOptions: ReadonlyArray<CommandOption> = [
  textOption(
    "state",
    "file",
    "Remember in this file which records were printed, and continue after a restart",
    { completes: "file" }
  ),
  { ...takeOverOption, group: "command" },
  intervalOption,
  integerOption(
    "overlap",
    [1, 1_000_000],
    `Read this many of the last blocks again, to find records that appear late (default: ${defaultOverlap})`,
    { value: "blocks" }
  ),
  maxItemsOption,
  // Watches print rows as they appear, so there is no end of a JSON array
  ...recordOptions.filter(({ name }) => !["utc", "exit-status"].includes(name)).map((option) =>
    option === outputOption
      ? { ...option, choices: outputFormats.filter((format) => format !== "json") }
      : option
  )
]

export const intervalOf = ({ values }: CommandInvocation): Duration.Duration =>
  parseDuration(singleValue(values, intervalOption.name) ?? "") ?? defaultInterval
