/**
 * Input schemas of operations: a flat record of parameters, each required or optional, with one or more values.
 *
 * The Type side is canonical: branded addresses, chain names, `bigint` IDs, UTC instants. The Encoded side is what
 * callers write. At run time a schema decodes every format that requests may contain; it encodes the canonical one.
 */
import type * as Arr from "effect/Array"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import type * as Types from "effect/Types"
import { Integer } from "./Integer.ts"
import { allowUndefined, narrowEncoded, type OptionalField, withTypes } from "./internal/narrow.ts"
import { exactOptional } from "./internal/nullable.ts"
import { preprocess } from "./internal/scalar.ts"

/**
 * The schema of an operation's input, and the schemas of its parameters, from which documentation is generated.
 */
export interface InputSchema<in out Type, in out Encoded> {
  readonly schema: Schema.Schema<Type, Encoded>
  readonly fields: Schema.Struct.Fields
}

export type { OptionalField } from "./internal/narrow.ts"

/** Makes a parameter optional. `undefined` is treated as absent. */
export const optional = <A, I>(schema: Schema.Schema<A, I>): OptionalField<A, I | undefined> =>
  allowUndefined(exactOptional(schema))

/**
 * Creates the schema of a parameter with several values. Also decodes a single value and comma-separated values.
 */
export const arrayOf = <A, I>(
  item: Schema.Schema<A, I>
): Schema.Schema<Arr.NonEmptyReadonlyArray<A>, ReadonlyArray<I>> =>
  preprocess(toItems, Schema.Array(Schema.Unknown)).pipe(
    Schema.compose(Schema.NonEmptyArray(item), { strict: false }),
    narrowEncoded<ReadonlyArray<I>>()
  ).annotations({
    jsonSchema: {
      type: "array",
      items: Option.getOrElse(AST.getJSONSchemaAnnotation(item.ast), () => ({ type: "string" }))
    }
  })

const toItems = (input: unknown): ReadonlyArray<unknown> =>
  (Array.isArray(input) ? input : [input]).flatMap(splitCommas)

const splitCommas = (value: unknown): ReadonlyArray<unknown> =>
  typeof value === "string" ? value.split(",").filter((part) => part !== "") : [value]

/** Sets the one-line description of a parameter, which `--help`, OpenAPI and the documentation show. */
export const withDescription = <A, I>(
  schema: Schema.Schema<A, I>,
  description: string
): Schema.Schema<A, I> => schema.annotations({ description })

const PassthroughId: unique symbol = Symbol.for("@blockquarry/core/InputSchema/passthrough")

/**
 * Marks a parameter for which the upstream may accept values that this library cannot decode. The proxy forwards such
 * values unchanged.
 */
export const passthrough = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<A, I> =>
  schema.annotations({ [PassthroughId]: true })

/** Returns whether a schema is marked with `passthrough`. */
export const isPassthrough = (annotated: AST.Annotated): boolean =>
  annotated.annotations[PassthroughId] === true

const InQueryId: unique symbol = Symbol.for("@blockquarry/core/InputSchema/inQuery")

/** Marks a parameter of a POST that is in the query, not in the body. */
export const inQuery = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<A, I> =>
  schema.annotations({ [InQueryId]: true })

/** Returns whether a schema is marked with `inQuery`. */
export const isInQuery = (annotated: AST.Annotated): boolean => annotated.annotations[InQueryId] === true

/** Undefined, an empty string and an empty array are treated as absent. */
const isPresent = (value: unknown): boolean =>
  value !== undefined && value !== "" && !(Array.isArray(value) && !value.some(isPresent))

type RawInput = Readonly<Record<string, unknown>>

/** Removes absent and overridden parameters of a record. Returns other values unchanged. */
const dropEmpty = (isOverridden: (name: string, all: RawInput) => boolean) =>
  preprocess((input) => {
    if (!Predicate.isRecord(input)) return input
    const present = keepMembers(input, (name) => isPresent(input[name]))
    return keepMembers(present, (name) => !isOverridden(name, present))
  }, Schema.Unknown)

/** Returns the object itself if there is nothing to remove. */
const keepMembers = (all: RawInput, isKept: (name: string) => boolean): RawInput =>
  isPlain(all) && Object.keys(all).every(isKept)
    ? all
    : Object.fromEntries(Object.entries(all).filter(([name]) => isKept(name)))

/** Other objects may inherit members, which are not parameters. */
const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype

/** A struct that does not list its fields when the input is no object. */
const structOf = <F extends Schema.Struct.Fields>(fields: F) =>
  Schema.Struct(fields).annotations({ message: () => "expected an object" })

/** Fields without context requirements. */
// oxlint-disable-next-line typescript/no-explicit-any -- `unknown` does not fit an invariant type parameter
type ParameterFields = { readonly [name: string]: Schema.Schema<any, any> | OptionalField<any, any> }

/** Creates the input schema of an operation from its parameters. */
export const inputSchema = <F extends ParameterFields>(
  fields: F
): InputSchema<Types.Simplify<Schema.Struct.Type<F>>, Types.Simplify<Schema.Struct.Encoded<F>>> => ({
  schema: withTypes<Types.Simplify<Schema.Struct.Type<F>>, Types.Simplify<Schema.Struct.Encoded<F>>>()(
    Schema.compose(dropEmpty(() => false), structOf(fields), { strict: false })
  ),
  fields
})

/**
 * A range of blocks or dates as callers write it: each bound is a block, a date, or absent. If an untyped request sets both
 * for one bound, the block takes precedence.
 */
export type BlockOrDateRangeInput<DateInput> =
  & (
    | {
      /** First block, inclusive; takes precedence over from_date */
      readonly from_block?: number | undefined
      readonly from_date?: never
    }
    | {
      readonly from_block?: never
      /** Earliest date; UTC if no time zone is given */
      readonly from_date?: DateInput | undefined
    }
  )
  & (
    | {
      /** Last block, inclusive; takes precedence over to_date */
      readonly to_block?: number | undefined
      readonly to_date?: never
    }
    | {
      readonly to_block?: never
      /** Latest date; UTC if no time zone is given */
      readonly to_date?: DateInput | undefined
    }
  )

/** A decoded range. Each bound is a block, a date, or absent. */
export interface BlockOrDateRange {
  readonly from_block?: number
  readonly from_date?: DateTime.Utc
  readonly to_block?: number
  readonly to_date?: DateTime.Utc
}

/**
 * Creates the input schema of an operation with a block or date range. A block takes precedence over a date of the
 * same bound, so that equivalent inputs are equal. Rejects reversed ranges.
 */
export const inputSchemaWithRange = <F extends ParameterFields, DateInput>(
  fields: F,
  date: Schema.Schema<DateTime.Utc, DateInput>
): InputSchema<
  Schema.Struct.Type<F> & BlockOrDateRange,
  Schema.Struct.Encoded<F> & BlockOrDateRangeInput<DateInput>
> => {
  const bounds = {
    from_block: optional(withDescription(Integer, "First block, inclusive; takes precedence over from_date")),
    from_date: optional(withDescription(passthrough(date), "Earliest date; UTC if no time zone is given")),
    to_block: optional(withDescription(Integer, "Last block, inclusive; takes precedence over to_date")),
    to_date: optional(withDescription(passthrough(date), "Latest date; UTC if no time zone is given"))
  }
  const FieldsWithBounds = structOf({ ...fields, ...bounds }).pipe(
    Schema.filter<Schema.Schema.Any>(checkRange)
  )
  return {
    schema: withTypes<
      Schema.Struct.Type<F> & BlockOrDateRange,
      Schema.Struct.Encoded<F> & BlockOrDateRangeInput<DateInput>
    >()(
      Schema.compose(dropEmpty(isOverriddenByBlock), FieldsWithBounds, { strict: false })
    ),
    fields: { ...fields, ...bounds }
  }
}

const isOverriddenByBlock = (name: string, all: RawInput): boolean =>
  (name === "from_date" && "from_block" in all) || (name === "to_date" && "to_block" in all)

const checkRange = (range: BlockOrDateRange): Schema.FilterOutput | undefined => {
  const { from_block, from_date, to_block, to_date } = range
  // Decoding drops the date
  if (from_date && from_block !== undefined || to_date && to_block !== undefined) return false
  if (from_block !== undefined && to_block !== undefined && from_block > to_block) {
    return reversedIssue("block", from_block, to_block)
  }
  return from_date !== undefined && to_date !== undefined && from_date.epochMillis > to_date.epochMillis
    ? reversedIssue("date", DateTime.formatIso(from_date), DateTime.formatIso(to_date))
    : undefined
}

const reversedIssue = <A extends number | string>(
  kind: "block" | "date",
  lower: A,
  upper: A
): Schema.FilterIssue => ({
  path: [`from_${kind}`],
  message: `invalid range: from_${kind} (${lower}) is after to_${kind} (${upper})`
})
