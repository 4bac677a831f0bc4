import { TimeInput } from "@blockquarry/core/Time"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { singleValue } from "../args/ArgumentValues.ts"
import { isLatest, minutesOrMonths, parseBlock, parseRelativeTime } from "../args/Bounds.ts"
import { addUnit, expecting, parseDuration } from "../args/Checks.ts"
import { type CommandOption, integerOption, maxRecords, textOption } from "../args/CommandOption.ts"
import { outputOption } from "../args/GlobalOptions.ts"
import { UsageError } from "../errors/CommandError.ts"
import { takeOverOption } from "../export/ExportOptions.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import { recordOptions } from "../list/OutputOptions.ts"
import { outputFormats } from "../render/View.ts"
import type { PollStart } from "./WatchPosition.ts"

const defaultInterval = Duration.seconds(15)

export const defaultOverlap = 32

/** Without a zone it is UTC, as in the options of lists. */
const parseTime = (text: string, now: DateTime.Utc): DateTime.Utc | null =>
  parseRelativeTime(text, now) ?? Option.getOrNull(Schema.decodeOption(TimeInput)(text))

/** The moment decides about the result, but not about the form. */
const anyTime = DateTime.unsafeMake("9999-01-01")

const since = expecting(
  "a time such as 1h, 2 days ago or yesterday, a date such as 2025-06-01, or a block",
  (value) => parseBlock(value) !== null || parseTime(value, anyTime) !== null,
  minutesOrMonths
)

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
    "since",
    "start",
    "Begin with records since 1h ago, yesterday, a date, or a block (default: latest, from now on)",
    { check: since }
  ),
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

/**
 * Returns where to start according to `--since`; null to start now. A number without a unit is a block. Fails if the time is
 * in the future.
 */
export const sinceOf = ({ values }: CommandInvocation): Effect.Effect<PollStart | null, UsageError> =>
  Effect.gen(function*() {
    const text = singleValue(values, "since") ?? ""
    if (text === "" || isLatest(text)) return null
    const block = parseBlock(text)
    if (block !== null) return { block }
    const now = DateTime.unsafeMake(yield* Clock.currentTimeMillis)
    const time = parseTime(text, now)
    return time !== null && DateTime.lessThanOrEqualTo(time, now)
      ? { time: DateTime.formatIso(time) }
      : yield* new UsageError({
        reason: `--since: expected a time in the past, got ${JSON.stringify(text)} (UTC)`,
        hint: "omit --since to print new records from now on"
      })
  })
