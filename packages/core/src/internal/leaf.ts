/**
 * How a single value is read and written: the building block of every model and parameter.
 *
 * A leaf reads every spelling found in the field with one plain function, and writes one. It is a Schema, so it
 * composes, describes itself and generates test data; its errors say what was expected and what came instead.
 */
import type { LazyArbitrary } from "effect/Arbitrary"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { accepting } from "./narrow.ts"

/** What makes a leaf. */
export interface Leaf<A, Wire> {
  readonly identifier: string
  /** Completes "expected …". */
  readonly expected: string
  readonly is: (input: unknown) => input is A
  /** The value, or undefined when the input does not spell one. */
  readonly read: (input: unknown) => A | undefined
  readonly write: (value: A) => Wire
  readonly arbitrary: LazyArbitrary<A>
  /** The JSON Schema of the wire form. */
  readonly jsonSchema: object
}

/** At most this much of a refused value is repeated in a message. */
const shown = 60

/** A value as it appears in a message: short, on one line. */
export const show = (input: unknown): string => {
  if (typeof input === "string") {
    return JSON.stringify(input.length > shown ? `${input.slice(0, shown)}…` : input)
  }
  if (Array.isArray(input)) return "an array"
  if (typeof input === "object" && input !== null) return "an object"
  return String(input)
}

/**
 * A leaf looks at anything. Text is named apart, because those who put a value into a URL (an `HttpApi`'s path and
 * query) look for it to tell one value from a list.
 */
const Anything: Schema.Schema<unknown> = Schema.Union(Schema.String, Schema.Unknown)

/** Where a schema keeps how it is read, for those who read without interpreting schemas. */
export const ReadId: unique symbol = Symbol.for("@blockquarry/core/leaf/read")

/** Where a schema keeps how it is written. Like reading, it takes anything, and gives undefined for what is none. */
export const WriteId: unique symbol = Symbol.for("@blockquarry/core/leaf/write")

/** Makes a Schema of a leaf. Callers write `Accepts`; the wire gets what `write` gives. */
export const leaf = <A, Wire extends Accepts, Accepts = Wire>(
  spec: Leaf<A, Wire>
): Schema.Schema<A, Accepts> => {
  const Self = Schema.declare(spec.is, {
    identifier: spec.identifier,
    description: spec.expected,
    arbitrary: () => spec.arbitrary,
    jsonSchema: spec.jsonSchema
  })
  return Schema.transformOrFail(Anything, Self, {
    strict: true,
    decode: (input, _, ast) => {
      const value = spec.read(input)
      return value === undefined
        ? ParseResult.fail(new ParseResult.Type(ast, input, `expected ${spec.expected}, got ${show(input)}`))
        : ParseResult.succeed(value)
    },
    encode: (value) => ParseResult.succeed<unknown>(spec.write(value))
  }).annotations({
    identifier: spec.identifier,
    jsonSchema: spec.jsonSchema,
    [ReadId]: spec.read,
    [WriteId]: (value: unknown) => spec.is(value) ? spec.write(value) : undefined
  }).pipe(accepting<Accepts>())
}
