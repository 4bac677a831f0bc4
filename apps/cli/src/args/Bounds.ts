/** Times and blocks as users write them: relative to now, hexadecimal, or `latest`. */
import { TimeInput } from "@blockquarry/core/Time"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { UsageError } from "../errors/CommandError.ts"
import { type CommandTerminal, note } from "../terminal/Terminal.ts"
import { type ArgumentValues, singleValue } from "./ArgumentValues.ts"
import { unitNames } from "./Checks.ts"

/** The end of a list, which is not a bound of it. */
const isLatest = (text: string): boolean => /^(?:latest|now)$/i.test(text.trim())

/** The units of distances, besides those that `Duration` and `DateTime` spell out. */
const units: Readonly<Record<string, string>> = { ...unitNames, mo: "months", w: "weeks", y: "years" }

/** Returns what to write instead of `6M`, which may be minutes or months; null for other text. */
export const minutesOrMonths = (text: string): string | null => {
  const [, number] = /^\s*([\d.]+)\s*M\b/.exec(text) ?? []
  return number === undefined ? null : `use ${number}m for minutes or ${number}mo for months`
}

/** Parses a distance from now, `today` or `yesterday`, which begin at midnight UTC. Null for other text. */
export const parseRelativeTime = (text: string, now: DateTime.Utc): DateTime.Utc | null => {
  const words = text.trim().toLowerCase()
  if (minutesOrMonths(text) !== null) return null
  if (isLatest(words)) return now
  if (words === "today") return DateTime.startOf(now, "day")
  if (words === "yesterday") return DateTime.subtract(DateTime.startOf(now, "day"), { days: 1 })
  const [, number = "", word = ""] = /^(\d{1,9}(?:\.\d{1,3})?)\s*([a-z]+?)(?:\s+ago)?$/.exec(words) ?? []
  const unit = units[word] ?? word
  const time = /^(?:month|year)s?$/.test(unit) && !number.includes(".")
    ? Option.some(DateTime.subtract(now, { [unit.startsWith("m") ? "months" : "years"]: Number(number) }))
    : Option.map(
      Duration.decodeUnknown(`${number} ${unit}`),
      (distance) => DateTime.subtractDuration(now, distance)
    )
  // Chains are younger than 1970
  return Option.getOrNull(Option.filter(time, ({ epochMillis }) => epochMillis >= 0))
}

/** Parses the number of a block, decimal or hexadecimal; null for other text. */
const parseBlock = (text: string): number | null =>
  /^(?:\d{1,15}|0x[0-9a-f]{1,12})$/i.test(text.trim()) ? Number(text) : null

/** Returns whether an option is an upper bound, of which the end of the list is the default. */
const isUpper = (name: string): boolean => name.startsWith("to-")

/** Returns what an option for a date or a block accepts besides the formats of the API; null for other options. */
export const boundForms = (name: string): string | null =>
  name.endsWith("-date")
    ? "1d, 2h ago, yesterday"
    : !name.endsWith("-block")
    ? null
    : isUpper(name)
    ? "0x…, latest"
    : "0x…"

/** `5/1/2024`: a date whose month and day could be exchanged */
const monthFirst =
  /(?<![\d/-]|\d )(?!0?(\d{1,2})[ /-]0?\1[ /-])(?:0?\d|1[0-2])[ /-](?:0?\d|1[0-2])[ /-](?:\d\d){1,2}(?![\d/:-])/

/** Returns a date whose month and day could be exchanged, and says how it is read; null for other text. */
export const monthFirstDate = (
  label: string,
  text: string
): Effect.Effect<DateTime.Utc | null, never, CommandTerminal> => {
  const date = monthFirst.test(text) ? Option.getOrNull(Schema.decodeOption(TimeInput)(text)) : null
  return date === null
    ? Effect.succeed(null)
    : Effect.as(note(`${label}: ${text} is ${DateTime.formatIso(date)}; the month comes first`), date)
}

/** Returns the value of a bound as the API has it; null to omit it. */
const resolveBound = (
  name: string,
  text: string,
  now: DateTime.Utc
): Effect.Effect<string | null, UsageError, CommandTerminal> => {
  if (isLatest(text) && isUpper(name)) return Effect.succeed(null)
  if (name.endsWith("-date")) {
    return Effect.map(monthFirstDate(`--${name}`, text), (date) => {
      const time = date ?? parseRelativeTime(text, now)
      return time === null ? text : DateTime.formatIso(time)
    })
  }
  return isLatest(text)
    ? new UsageError({
      reason: `--${name}: expected a block, got ${JSON.stringify(text)}: a list cannot begin at its end`,
      hint: "use --from-date 1h for recent records, or quarry watch for new ones"
    })
    : Effect.succeed(String(parseBlock(text) ?? text))
}

/** Replaces relative and hexadecimal bounds, so that all pages of a command have the same ones. */
export const resolveBounds = (
  values: ArgumentValues,
  now: DateTime.Utc
): Effect.Effect<ArgumentValues, UsageError, CommandTerminal> =>
  Effect.gen(function*() {
    const resolved = new Map(values)
    for (const name of values.keys()) {
      const text = singleValue(values, name)
      if (text === undefined || boundForms(name) === null) continue
      const value = yield* resolveBound(name, text, now)
      if (value === null) resolved.delete(name)
      else resolved.set(name, [value])
    }
    return resolved
  })
