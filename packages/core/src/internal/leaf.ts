/**
 * How a single value is read and written: the building block of every model and parameter.
 *
 * A leaf reads every spelling found in the field with one plain function, and writes one. It is a Schema, so it
 * composes, describes itself and generates test data; its errors say what was expected and what came instead.
 */
import type { LazyArbitrary } from "effect/Arbitrary"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { narrowEncoded } from "./narrow.ts"

/** What makes a leaf. */
export interface LeafSpec<A, Encoded> {
  readonly identifier: string
  /** Completes "expected …". */
  readonly expected: string
  readonly is: (input: unknown) => input is A
  /** The value, or undefined when the input does not spell one. */
  readonly decode: (input: unknown) => A | undefined
  readonly encode: (value: A) => Encoded
  readonly arbitrary: LazyArbitrary<A>
  /** The JSON Schema of the wire form. */
  readonly jsonSchema: object
}

/** At most this much of a refused value is repeated in a message. */
const maxShownLength = 60

/** A value as it appears in a message: short, on one line. */
export const formatValue = (input: unknown): string => {
  if (typeof input === "string") {
    return JSON.stringify(input.length > maxShownLength ? `${input.slice(0, maxShownLength)}…` : input)
  }
  if (Array.isArray(input)) return "an array"
  if (typeof input === "object" && input !== null) return "an object"
  return String(input)
}

/**
 * A leaf looks at anything. Text is named apart, because those who put a value into a URL (an `HttpApi`'s path and
 * query) look for it to tell one value from a list.
 */
const AnyInput: Schema.Schema<unknown> = Schema.Union(Schema.String, Schema.Unknown)

/** Where a schema keeps how it is read, for those who read without interpreting schemas. */
export const DecodeId: unique symbol = Symbol.for("@blockquarry/core/leaf/decode")

/** Where a schema keeps how it is written. Like reading, it takes anything, and gives undefined for what is none. */
export const EncodeId: unique symbol = Symbol.for("@blockquarry/core/leaf/encode")

/** Makes a Schema of a leaf. Callers write `Accepts`; the wire gets what `write` gives. */
export const leaf = <A, Encoded extends InputEncoded, InputEncoded = Encoded>(
  spec: LeafSpec<A, Encoded>
): Schema.Schema<A, InputEncoded> => {
  const Self = Schema.declare(spec.is, {
    identifier: spec.identifier,
    description: spec.expected,
    arbitrary: () => spec.arbitrary,
    jsonSchema: spec.jsonSchema
  })
  return Schema.transformOrFail(AnyInput, Self, {
    strict: true,
    decode: (input, _, ast) => {
      const value = spec.decode(input)
      return value === undefined
        ? ParseResult.fail(
          new ParseResult.Type(ast, input, `expected ${spec.expected}, got ${formatValue(input)}`)
        )
        : ParseResult.succeed(value)
    },
    encode: (value) => ParseResult.succeed<unknown>(spec.encode(value))
  }).annotations({
    identifier: spec.identifier,
    jsonSchema: spec.jsonSchema,
    [DecodeId]: spec.decode,
    [EncodeId]: (value: unknown) => spec.is(value) ? spec.encode(value) : undefined
  }).pipe(narrowEncoded<InputEncoded>())
}
