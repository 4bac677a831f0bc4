/** Checks of option values, and the parser of durations. */
import * as Duration from "effect/Duration"
import type { ValueCheck } from "./CommandDescription.ts"
import { closestMatch, didYouMean } from "./Suggest.ts"

export const oneOf = (choices: ReadonlyArray<string>): ValueCheck => ({
  expected: `one of ${choices.join(", ")}`,
  accepts: (value) => choices.includes(value),
  hint: (value) => didYouMean(closestMatch(value, choices))
})

export const integerBetween = (min: number, max: number): ValueCheck => ({
  expected: `an integer from ${min} to ${max}`,
  accepts: (value) => /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max,
  range: [min, max]
})

export const positiveInteger: ValueCheck = integerBetween(1, 1_000_000_000)

const millisByUnit: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 24 * 3_600_000
}

/** Longer timers overflow. */
const maxDuration = Duration.days(24)

/** Parses a positive number with a unit: ms, s, m, h or d. Returns null for invalid text. */
export const parseDuration = (
  text: string,
  max: Duration.Duration = maxDuration
): Duration.Duration | null => {
  const [, number, unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text.trim()) ?? []
  const millis = Number(number) * (millisByUnit[unit] ?? Number.NaN)
  return millis > 0 && millis <= Duration.toMillis(max) ? Duration.millis(millis) : null
}

export const duration: ValueCheck = {
  expected: "a duration such as 500ms, 30s or 2m, at most 24d",
  accepts: (value) => parseDuration(value) !== null,
  hint: (value) => /^[1-9]\d*$/.test(value) ? `add the unit, for example ${value}s` : null
}

/** A duration, or `none`. */
export const durationOrNone: ValueCheck = {
  ...duration,
  expected: `none or ${duration.expected}`,
  accepts: (value) => value === "none" || duration.accepts(value),
  hint: (value) => /^0[a-z]*$/.test(value) ? "for no timeout, use none" : duration.hint?.(value) ?? null
}

/** The name of a profile is also the name of a file. */
export const profileName: ValueCheck = {
  expected: "a name of lower-case letters, digits, - and _, at most 40 characters",
  accepts: (value) => /^[a-z0-9][a-z0-9_-]{0,39}$/.test(value)
}
