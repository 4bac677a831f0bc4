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
import { accepting, acceptingUndefined, type OptionalField, stating } from "./internal/narrow.ts"
import { plain } from "./internal/plain.ts"

/**
 * The parameters of an operation: the schema of the whole record, and its members for those who describe them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Input<in out Type, in out Accepts> {
  readonly schema: Schema.Schema<Type, Accepts>
  readonly fields: Schema.Struct.Fields
}

/**
 * A parameter that may be left out, or be `undefined`.
 *
 * @since 0.1.0
 * @category fields
 */
export const optional = <A, I>(schema: Schema.Schema<A, I>): OptionalField<A, I | undefined> =>
  acceptingUndefined(Schema.optionalWith(schema, { exact: true }))

/**
 * A parameter of several values. One value alone, and values parted by commas, are read as well.
 *
 * @since 0.1.0
 * @category fields
 */
export const many = <A, I>(
  item: Schema.Schema<A, I>
): Schema.Schema<Arr.NonEmptyReadonlyArray<A>, ReadonlyArray<I>> =>
  plain(partsOf, Schema.Array(Schema.Unknown)).pipe(
    Schema.compose(Schema.NonEmptyArray(item), { strict: false }),
    accepting<ReadonlyArray<I>>()
  ).annotations({
    jsonSchema: {
      type: "array",
      items: Option.getOrElse(AST.getJSONSchemaAnnotation(item.ast), () => ({ type: "string" }))
    }
  })

const partsOf = (input: unknown): ReadonlyArray<unknown> =>
  (Array.isArray(input) ? input : [input]).flatMap(splitAtCommas)

const splitAtCommas = (value: unknown): ReadonlyArray<unknown> =>
  typeof value === "string" ? value.split(",").filter((part) => part !== "") : [value]

/**
 * Gives a parameter its one line of description, for `--help` and OpenAPI.
 *
 * @since 0.1.0
 * @category fields
 */
export const described = <A, I>(schema: Schema.Schema<A, I>, description: string): Schema.Schema<A, I> =>
  schema.annotations({ description })

const OpenId: unique symbol = Symbol.for("@blockquarry/core/Input/open")

/**
 * Marks a parameter of which the service may understand more than we do: whoever passes requests on passes on what
 * cannot be read.
 *
 * @since 0.1.0
 * @category fields
 */
export const open = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<A, I> =>
  schema.annotations({ [OpenId]: true })

/**
 * Whether a schema is marked so.
 *
 * @since 0.1.0
 * @category guards
 */
export const isOpen = (annotated: AST.Annotated): boolean => annotated.annotations[OpenId] === true

/** An absent, undefined or empty value is an omitted parameter, and so is an empty list. */
const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== "" && !(Array.isArray(value) && !value.some(isGiven))

type Given = Readonly<Record<string, unknown>>

/** The members of a record that were given and that lose against no other; anything else as it is. */
const given = (loses: (name: string, all: Given) => boolean) =>
  plain((input) => {
    if (!Predicate.isRecord(input)) return input
    const all = Object.fromEntries(Object.entries(input).filter(([, value]) => isGiven(value)))
    return Object.keys(all).some((name) => loses(name, all))
      ? Object.fromEntries(Object.entries(all).filter(([name]) => !loses(name, all)))
      : all
  }, Schema.Unknown)

/** Fields that need nothing from their surroundings. An invariant parameter takes no `unknown`. */
// oxlint-disable-next-line typescript/no-explicit-any
type Fields = { readonly [name: string]: Schema.Schema<any, any> | OptionalField<any, any> }

/**
 * Makes the input of an operation from its parameters.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parameters = <F extends Fields>(
  fields: F
): Input<Schema.Struct.Type<F>, Schema.Struct.Encoded<F>> => ({
  schema: stating<Schema.Struct.Type<F>, Schema.Struct.Encoded<F>>()(
    Schema.compose(given(() => false), Schema.Struct(fields), { strict: false })
  ),
  fields
})

/**
 * A lower bound: a block or a date, not both.
 *
 * @since 0.1.0
 * @category ranges
 */
export type From<Date> =
  | { readonly from_block?: number | undefined; readonly from_date?: never }
  | { readonly from_block?: never; readonly from_date?: Date | undefined }

/**
 * An upper bound: a block or a date, not both.
 *
 * @since 0.1.0
 * @category ranges
 */
export type To<Date> =
  | { readonly to_block?: number | undefined; readonly to_date?: never }
  | { readonly to_block?: never; readonly to_date?: Date | undefined }

/**
 * A range of blocks or dates as callers write it. Untyped callers may send both kinds of a bound: the block wins.
 *
 * @since 0.1.0
 * @category ranges
 */
export type RangeInput<Date> = From<Date> & To<Date>

/**
 * A range as it was read. Of each bound there is a block, a date, or neither.
 *
 * @since 0.1.0
 * @category ranges
 */
export interface Range {
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
export const ranged = <F extends Fields, Date>(
  fields: F,
  date: Schema.Schema<DateTime.Utc, Date>
): Input<Schema.Struct.Type<F> & Range, Schema.Struct.Encoded<F> & RangeInput<Date>> => {
  const bounds = {
    from_block: optional(described(Integer, "lowest block; wins over from_date")),
    from_date: optional(described(open(date), "earliest date; UTC where it has no zone")),
    to_block: optional(described(Integer, "highest block; wins over to_date")),
    to_date: optional(described(open(date), "latest date; UTC where it has no zone"))
  }
  const Bounds = Schema.Struct({ ...fields, ...bounds }).pipe(Schema.filter<Schema.Schema.Any>(inOrder))
  return {
    schema: stating<Schema.Struct.Type<F> & Range, Schema.Struct.Encoded<F> & RangeInput<Date>>()(
      Schema.compose(given(losesToBlock), Bounds, { strict: false })
    ),
    fields: { ...fields, ...bounds }
  }
}

const losesToBlock = (name: string, all: Given): boolean =>
  (name === "from_date" && "from_block" in all) || (name === "to_date" && "to_block" in all)

const inOrder = (range: Range): Schema.FilterOutput | undefined => {
  if (range.from_block !== undefined && range.from_date !== undefined) return twice("from_date", "from_block")
  if (range.to_block !== undefined && range.to_date !== undefined) return twice("to_date", "to_block")
  if (range.from_block !== undefined && range.to_block !== undefined && range.from_block > range.to_block) {
    return reversed("from_block", String(range.from_block), "to_block", String(range.to_block))
  }
  if (
    range.from_date !== undefined && range.to_date !== undefined &&
    DateTime.greaterThan(range.from_date, range.to_date)
  ) {
    return reversed(
      "from_date",
      DateTime.formatIso(range.from_date),
      "to_date",
      DateTime.formatIso(range.to_date)
    )
  }
  return undefined
}

const twice = (date: string, block: string): Schema.FilterIssue => ({
  path: [date],
  message: `give ${date} or ${block}, not both`
})

const reversed = (from: string, lower: string, to: string, upper: string): Schema.FilterIssue => ({
  path: [from],
  message: `the range is reversed: ${from} ${lower} is after ${to} ${upper}; swap them`
})
