/** Policies: schemas of their members, and policies of which a program sets a part. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Rec from "effect/Record"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { option } from "../gateway/OptionIssues.ts"

/** A policy whose members, and their members, may be omitted. */
export type PartialPolicy<Policy> = {
  readonly [Name in keyof Policy]?: PartialMember<Policy[Name]> | undefined
}

/** The members that are one value each. */
type Value =
  | Duration.DurationInput
  | Redacted.Redacted
  | ReadonlyArray<unknown>
  | ((...input: never) => unknown)

type PartialMember<Member> = [Member] extends [Value] ? Member
  : [Member] extends [object] ? PartialPolicy<Member>
  : Member

/** Returns `policy` with the members of `options` that are not undefined. Objects are merged member by member. */
export const override = <Policy extends object>(policy: Policy, options: object = {}): Policy => ({
  ...policy,
  ...Rec.map(Rec.filter({ ...options }, Predicate.isNotUndefined), (value: unknown, name) => {
    const member: unknown = Reflect.get(policy, name)
    return hasMembers(member) && hasMembers(value) ? override(member, value) : value
  })
})

/** Durations, schedules and API keys are objects, but each is one value. */
export const hasMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Predicate.isRecord(value) && Object.getPrototypeOf(value) === Object.prototype

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
    Duration.toMillis(duration) > 0 ||
    `expected more than 0, got ${typeof duration === "number" ? duration : 0}`
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
