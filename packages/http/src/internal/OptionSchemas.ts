/** Schemas of options that several policies have. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { option } from "../OptionIssues.ts"

const number = (expected: string, isValid: (value: number) => boolean): Schema.Schema<number> =>
  option(expected, (value): value is number => typeof value === "number" && isValid(value))

export const Positive = number("more than 0", (value) => value > 0)

export const NonNegative = number("at least 0", (value) => value >= 0)

export const NonNegativeInteger = number(
  "an integer of at least 0",
  (value) => Number.isInteger(value) && value >= 0
)

/** `Infinity` is no limit. */
export const PositiveInteger = number(
  "an integer of at least 1",
  (value) => (Number.isInteger(value) && value >= 1) || value === Number.POSITIVE_INFINITY
)

export const Share = number(
  "a share greater than 0 and at most 1",
  (value) => value > 0 && value <= 1
)

/** A duration is never negative: NaN and negative input are a duration of 0. */
export const DurationOption = option(
  "a duration such as \"5 seconds\"",
  (value): value is Duration.DurationInput => Option.isSome(Duration.decodeUnknown(value))
)

export const PositiveDuration: Schema.Schema<Duration.DurationInput> = DurationOption.pipe(
  Schema.filter((duration) =>
    Duration.toMillis(duration) > 0 || `expected more than 0, got ${Duration.toMillis(duration)}`
  )
)

export const Flag = option("true or false", (value): value is boolean => typeof value === "boolean")

export const Text = option("a string", (value): value is string => typeof value === "string")

export const oneOf = <const Names extends ReadonlyArray<string>>(
  ...names: Names
): Schema.Schema<Names[number]> =>
  option(
    `one of ${names.join(", ")}`,
    (value): value is Names[number] => names.some((name) => name === value)
  )
