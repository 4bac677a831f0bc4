/** Checks of option values, and the parser of durations. */
import * as Duration from "effect/Duration"
import type { ValueCheck } from "./CommandSpec.ts"

export const oneOf = (choices: ReadonlyArray<string>): ValueCheck => ({
  expected: `one of ${choices.join(", ")}`,
  accepts: (value) => choices.includes(value)
})

export const integerBetween = (min: number, max: number): ValueCheck => ({
  expected: `an integer from ${min} to ${max}`,
  accepts: (value) => /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max
})

export const positiveInteger: ValueCheck = {
  expected: "an integer of at least 1",
  accepts: (value) => /^[1-9]\d{0,14}$/.test(value)
}

const millisByUnit: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** 24 days. Longer timers overflow. */
const maxDurationMillis = 24 * 24 * 3_600_000

/** Parses a positive number with a unit. Default unit: seconds. Returns null for invalid text. */
export const parseDuration = (text: string): Duration.Duration | null => {
  const [, number, unit = "s"] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)?$/.exec(text.trim()) ?? []
  const millis = Number(number) * (millisByUnit[unit] ?? Number.NaN)
  return millis > 0 && millis <= maxDurationMillis ? Duration.millis(millis) : null
}

export const duration: ValueCheck = {
  expected: "a duration such as 500ms, 30s or 2m",
  accepts: (value) => parseDuration(value) !== null
}

/** The name of a profile is also the name of a file. */
export const profileName: ValueCheck = {
  expected: "a name of lower-case letters, digits, - and _, at most 40 characters",
  accepts: (value) => /^[a-z0-9][a-z0-9_-]{0,39}$/.test(value)
}
