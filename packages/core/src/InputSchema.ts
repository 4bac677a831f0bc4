/**
 * What an operation takes: a flat record of parameters, each required or optional, one value or many.
 *
 * The Type of an input is canonical (branded addresses, chain names, `bigint` ids, UTC instants). Its Encoded side
 * is what a caller writes and, at run time, every spelling of the wire; encoding gives the one spelling that is
 * sent.
 *
 * @since 0.1.0
 */
import type * as Arr from "effect/Array"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { Integer } from "./Integer.ts"
import { allowUndefined, narrowEncoded, type OptionalField, withTypes } from "./internal/narrow.ts"
import { preprocess } from "./internal/preprocess.ts"

/**
 * The parameters of an operation: the schema of the whole record, and its members for those who describe them.
 *
 * @since 0.1.0
 * @category models
 */
export interface InputSchema<in out Type, in out Encoded> {
  readonly schema: Schema.Schema<Type, Encoded>
  readonly fields: Schema.Struct.Fields
}

/**
 * A parameter that may be left out, or be `undefined`.
 *
 * @since 0.1.0
 * @category fields
 */
export const optional = <A, I>(schema: Schema.Schema<A, I>): OptionalField<A, I | undefined> =>
  allowUndefined(Schema.optionalWith(schema, { exact: true }))

/**
 * A parameter of several values. One value alone, and values parted by commas, are read as well.
 *
 * @since 0.1.0
 * @category fields
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

/**
 * Gives a parameter its one line of description, for `--help` and OpenAPI.
 *
 * @since 0.1.0
 * @category fields
 */
export const withDescription = <A, I>(
  schema: Schema.Schema<A, I>,
  description: string
): Schema.Schema<A, I> => schema.annotations({ description })

const PassthroughId: unique symbol = Symbol.for("@blockquarry/core/InputSchema/passthrough")

/**
 * Marks a parameter of which the service may understand more than we do: whoever passes requests on passes on what
 * cannot be read.
 *
 * @since 0.1.0
 * @category fields
 */
export const passthrough = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<A, I> =>
  schema.annotations({ [PassthroughId]: true })

/**
 * Whether a schema is marked so.
 *
 * @since 0.1.0
 * @category guards
 */
export const isPassthrough = (annotated: AST.Annotated): boolean =>
  annotated.annotations[PassthroughId] === true

/** An absent, undefined or empty value is an omitted parameter, and so is an empty list. */
const isPresent = (value: unknown): boolean =>
  value !== undefined && value !== "" && !(Array.isArray(value) && !value.some(isPresent))

type RawInput = Readonly<Record<string, unknown>>

/** The members of a record that were given and that lose against no other; anything else as it is. */
const dropEmpty = (isOverridden: (name: string, all: RawInput) => boolean) =>
  preprocess((input) => {
    if (!Predicate.isRecord(input)) return input
    const all = Object.fromEntries(Object.entries(input).filter(([, value]) => isPresent(value)))
    return Object.keys(all).some((name) => isOverridden(name, all))
      ? Object.fromEntries(Object.entries(all).filter(([name]) => !isOverridden(name, all)))
      : all
  }, Schema.Unknown)

/** Fields that need nothing from their surroundings. An invariant parameter takes no `unknown`. */
// oxlint-disable-next-line typescript/no-explicit-any
type ParameterFields = { readonly [name: string]: Schema.Schema<any, any> | OptionalField<any, any> }

/**
 * Makes the input of an operation from its parameters.
 *
 * @since 0.1.0
 * @category constructors
 */
export const inputSchema = <F extends ParameterFields>(
  fields: F
): InputSchema<Schema.Struct.Type<F>, Schema.Struct.Encoded<F>> => ({
  schema: withTypes<Schema.Struct.Type<F>, Schema.Struct.Encoded<F>>()(
    Schema.compose(dropEmpty(() => false), Schema.Struct(fields), { strict: false })
  ),
  fields
})

/**
 * A lower bound: a block or a date, not both.
 *
 * @since 0.1.0
 * @category ranges
 */
export type LowerBound<DateInput> =
  | { readonly from_block?: number | undefined; readonly from_date?: never }
  | { readonly from_block?: never; readonly from_date?: DateInput | undefined }

/**
 * An upper bound: a block or a date, not both.
 *
 * @since 0.1.0
 * @category ranges
 */
export type UpperBound<DateInput> =
  | { readonly to_block?: number | undefined; readonly to_date?: never }
  | { readonly to_block?: never; readonly to_date?: DateInput | undefined }

/**
 * A range of blocks or dates as callers write it. Untyped callers may send both kinds of a bound: the block wins.
 *
 * @since 0.1.0
 * @category ranges
 */
export type BlockOrDateRangeInput<DateInput> = LowerBound<DateInput> & UpperBound<DateInput>

/**
 * A range as it was read. Of each bound there is a block, a date, or neither.
 *
 * @since 0.1.0
 * @category ranges
 */
export interface BlockOrDateRange {
  readonly from_block?: number
  readonly from_date?: DateTime.Utc
  readonly to_block?: number
  readonly to_date?: DateTime.Utc
}

/**
 * Makes the input of an operation that takes a range besides its parameters. A block wins over a date on the same
 * side, so equal questions are equal inputs; a range whose ends are reversed is refused.
 *
 * @since 0.1.0
 * @category constructors
 */
export const inputSchemaWithRange = <F extends ParameterFields, DateInput>(
  fields: F,
  date: Schema.Schema<DateTime.Utc, DateInput>
): InputSchema<
  Schema.Struct.Type<F> & BlockOrDateRange,
  Schema.Struct.Encoded<F> & BlockOrDateRangeInput<DateInput>
> => {
  const bounds = {
    from_block: optional(withDescription(Integer, "lowest block; wins over from_date")),
    from_date: optional(withDescription(passthrough(date), "earliest date; UTC where it has no zone")),
    to_block: optional(withDescription(Integer, "highest block; wins over to_date")),
    to_date: optional(withDescription(passthrough(date), "latest date; UTC where it has no zone"))
  }
  const FieldsWithBounds = Schema.Struct({ ...fields, ...bounds }).pipe(
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
  if (range.from_block !== undefined && range.from_date !== undefined) {
    return bothBoundsIssue("from_date", "from_block")
  }
  if (range.to_block !== undefined && range.to_date !== undefined) {
    return bothBoundsIssue("to_date", "to_block")
  }
  if (range.from_block !== undefined && range.to_block !== undefined && range.from_block > range.to_block) {
    return reversedRangeIssue("from_block", String(range.from_block), "to_block", String(range.to_block))
  }
  if (
    range.from_date !== undefined && range.to_date !== undefined &&
    DateTime.greaterThan(range.from_date, range.to_date)
  ) {
    return reversedRangeIssue(
      "from_date",
      DateTime.formatIso(range.from_date),
      "to_date",
      DateTime.formatIso(range.to_date)
    )
  }
  return undefined
}

const bothBoundsIssue = (date: string, block: string): Schema.FilterIssue => ({
  path: [date],
  message: `give ${date} or ${block}, not both`
})

const reversedRangeIssue = (from: string, lower: string, to: string, upper: string): Schema.FilterIssue => ({
  path: [from],
  message: `the range is reversed: ${from} ${lower} is after ${to} ${upper}; swap them`
})
