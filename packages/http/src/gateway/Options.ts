/**
 * Options: policies of which a program sets a part, the schemas of their members, and what is wrong with those that a program
 * passes. JavaScript programs have no types, so options may be anything.
 *
 * Unstable: this module may change in any release.
 */
import * as Decoder from "@blockquarry/core/Decoder"
import * as Arr from "effect/Array"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Rec from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

/** An option that is invalid, unknown, or missing although it is required. */
export interface OptionIssue {
  /** As in `["rateLimit", "limit"]`. */
  readonly path: ReadonlyArray<string>
  readonly reason: string
}

/**
 * Returns every issue of options with the schema of a policy, such as `RetryPolicy.schema`. Options may be a part of the
 * policy: one that is undefined is an issue only if the schema marks it as `required`.
 *
 * @example
 * import { optionIssues } from "@blockquarry/http/gateway/Options"
 * import * as Timeouts from "@blockquarry/http/Timeouts"
 *
 * // [{ path: ["call"], reason: "expected more than 0, got 0" }]
 * console.log(optionIssues(Timeouts.schema, { call: 0 }))
 */
export const optionIssues = (
  schema: Schema.Schema.AnyNoContext,
  options: unknown,
  path: ReadonlyArray<string> = []
): ReadonlyArray<OptionIssue> => issuesOf(schema.ast, options, path)

const issuesOf = (ast: AST.AST, value: unknown, path: ReadonlyArray<string>): ReadonlyArray<OptionIssue> => {
  if (value === undefined && ast.annotations[RequiredId] !== true) return []
  const members = isOtherMember(ast, value) ? undefined : membersOf(ast)
  if (members !== undefined && Predicate.isRecord(value)) {
    return [...new Set([...members.keys(), ...Object.keys(value)])].flatMap((name) =>
      issuesOf(members.get(name) ?? unknownOption(members), value[name], [...path, name])
    )
  }
  if (members !== undefined && AST.isTypeLiteral(ast)) {
    return path.length === 0
      ? [{ path: ["options"], reason: `expected an object, got ${describe(value)}` }]
      : [{ path, reason: `expected an object with ${namesOf(members)}, got ${describe(value)}` }]
  }
  return Either.match(ParseResult.decodeUnknownEither(Schema.make(ast))(value), {
    onLeft: (issue) => [{ path, reason: Decoder.reasonOf(Decoder.leavesOf(issue)[0].issue) }],
    onRight: () => []
  })
}

type Members = ReadonlyMap<string, AST.AST>

/** Whether a value is one of a union with an object, such as a schedule, although it is an object itself. */
const isOtherMember = (ast: AST.AST, value: unknown): boolean =>
  AST.isUnion(ast) && ast.types.some((type) => AST.isDeclaration(type) && Schema.is(Schema.make(type))(value))

/** Returns the members of an object, or of the object in a union. */
const membersOf = (ast: AST.AST): Members | undefined => {
  const object = AST.isUnion(ast) ? ast.types.find(AST.isTypeLiteral) : ast
  return object !== undefined && AST.isTypeLiteral(object)
    ? new Map(object.propertySignatures.map(({ name, type }) => [String(name), type]))
    : undefined
}

const unknownOption = (members: Members): AST.AST =>
  Schema.Never.annotations({ message: () => `unknown option; expected one of ${namesOf(members)}` }).ast

const namesOf = (members: Members): string => [...members.keys()].join(", ")

const RequiredId = Symbol("required")

/** Marks an option as required. */
export const required = <A>(schema: Schema.Schema<A>): Schema.Schema<A> =>
  schema.annotations({ [RequiredId]: true })

/**
 * Creates the schema of an option. `expected` completes "expected …" in the reason of an issue, which shows numbers, and of
 * other values, which may be misplaced secrets, only the type.
 */
export const option = <A>(expected: string, is: (value: unknown) => value is A): Schema.Schema<A> =>
  Schema.declare(is, { message: ({ actual }) => `expected ${expected}, got ${describe(actual)}` })

/** The schema of a secret. Its issues show only the type of a value. */
export const Secret: Schema.Schema<Redacted.Redacted> = Schema.declare(
  (value): value is Redacted.Redacted => Redacted.isRedacted(value),
  { message: ({ actual }) => `expected Redacted.make("…"), got ${typeOf(actual)}` }
)

/** Returns why an API key cannot be sent, or null. HTTP clients report invalid header values as network failures. */
export const apiKeyError = (apiKey: Redacted.Redacted): string | null => {
  if (Redacted.value(apiKey) === "") return "expected an API key, got an empty string"
  return /[^\t\x20-\x7e\x80-\xff]/.test(Redacted.value(apiKey))
    ? "expected an API key, got characters that are invalid in an HTTP header, such as a line break"
    : null
}

const describe = (value: unknown): string => typeof value === "number" ? String(value) : typeOf(value)

const typeOf = (value: unknown): string => {
  if (Predicate.isNullable(value)) return String(value)
  if (Arr.isArray(value)) return "a list"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

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
