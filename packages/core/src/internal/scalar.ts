/**
 * Schemas of single values, from which all models and parameters are built.
 *
 * A scalar decodes every format that upstreams and callers use with one plain function, and encodes one canonical format.
 * Its errors contain the expected format and the received value.
 */
import type { LazyArbitrary } from "effect/Arbitrary"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import { narrowEncoded } from "./narrow.ts"

/** The definition of a scalar. */
export interface ScalarSpec<A, Encoded> {
  readonly identifier: string
  /** Completes "expected …". */
  readonly expected: string
  readonly is: (input: unknown) => input is A
  /** Returns the value, or undefined if the input is invalid. */
  readonly decode: (input: unknown) => A | undefined
  /** Returns what the message about an invalid input ends with, for example what is wrong with it. Default: nothing. */
  readonly remark?: (input: unknown) => string
  readonly encode: (value: A) => Encoded
  readonly arbitrary: LazyArbitrary<A>
  /** The JSON Schema of the encoded value. */
  readonly jsonSchema: object
}

/** The maximum length of an invalid value in a message. */
const maxShownLength = 60

/** Formats a value for a message: short, on one line. */
export const formatValue = (input: unknown): string => {
  if (typeof input === "string") {
    return JSON.stringify(input.length > maxShownLength ? `${input.slice(0, maxShownLength)}…` : input)
  }
  if (typeof input === "number" && Number.isInteger(input) && !Number.isSafeInteger(input)) {
    return `${input}, which is beyond 2^53, where only strings and bigints are exact`
  }
  if (input instanceof Date && Number.isNaN(input.getTime())) return "an invalid date"
  if (Array.isArray(input)) return "an array"
  if (typeof input === "object" && input !== null) return "an object"
  return String(input)
}

/** Lists `String` explicitly, because `HttpApi` looks for it to distinguish single values from arrays in paths and queries. */
const AnyInput: Schema.Schema<unknown> = Schema.Union(Schema.String, Schema.Unknown)

/** The annotation with the decoding function of a schema, for the compiler in `decoder/`. */
export const DecodeId: unique symbol = Symbol.for("@blockquarry/core/scalar/decode")

/** The annotation with the encoding function of a schema. It accepts any value and returns undefined if it is invalid. */
export const EncodeId: unique symbol = Symbol.for("@blockquarry/core/scalar/encode")

/** The annotation with what a schema expects, for messages. */
export const ExpectedId: unique symbol = Symbol.for("@blockquarry/core/scalar/expected")

/** Returns what a schema expects, for messages and documentation. */
export const expectedOf = (schema: AST.AST): string | undefined => {
  const expected = schema.annotations[ExpectedId]
  if (typeof expected === "string") return expected
  switch (schema._tag) {
    case "StringKeyword":
      return "a string"
    case "Literal":
      return formatValue(schema.literal)
    case "TypeLiteral":
      return "an object"
    case "TupleType":
      return "an array"
    case "Union": {
      const types = schema.types.filter(({ _tag }) => _tag !== "UndefinedKeyword")
      return types.every(({ _tag }) => _tag === "Literal") ? types.map(expectedOf).join(" or ") : undefined
    }
    default:
      return undefined
  }
}

/** Creates the schema of a scalar. Callers write `InputEncoded`; requests contain `Encoded`. */
export const scalar = <A, Encoded extends InputEncoded, InputEncoded = Encoded>(
  spec: ScalarSpec<A, Encoded>
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
          new ParseResult.Type(
            ast,
            input,
            `expected ${spec.expected}, got ${formatValue(input)}${spec.remark?.(input) ?? ""}`
          )
        )
        : ParseResult.succeed(value)
    },
    encode: (value) => ParseResult.succeed<unknown>(spec.encode(value))
  }).annotations({
    identifier: spec.identifier,
    jsonSchema: spec.jsonSchema,
    [ExpectedId]: spec.expected,
    [DecodeId]: spec.decode,
    [EncodeId]: (value: unknown) => spec.is(value) ? spec.encode(value) : undefined
  }).pipe(narrowEncoded<InputEncoded>())
}

/**
 * Creates a closed set of names, as the specification lists them, decoded in any case. Unlike `Schema.Literal`, its error message
 * is one short line for any input.
 */
export const oneOf = <const Names extends readonly [string, ...Array<string>]>(
  identifier: string,
  ...names: Names
): Schema.Schema<Names[number]> => {
  const namesByText: ReadonlyMap<unknown, Names[number]> = new Map(
    names.map((name) => [name.toLowerCase(), name])
  )
  return scalar<Names[number], Names[number]>({
    identifier,
    expected: names.join(" or "),
    is: (input): input is Names[number] => names.some((name) => name === input),
    decode: (input) => namesByText.get(typeof input === "string" ? input.toLowerCase() : input),
    encode: (name) => name,
    arbitrary: (fc) => fc.constantFrom(...names),
    jsonSchema: { type: "string", enum: names }
  })
}

/** Creates a schema that normalizes an input with a total function and encodes values unchanged. */
export const preprocess = <A>(
  decode: (input: unknown) => A,
  to: Schema.Schema<A>
): Schema.Schema<A, unknown> =>
  Schema.transform(Schema.Unknown, to, {
    strict: true,
    decode,
    encode: (value): unknown => value
  }).annotations({ [DecodeId]: decode, [EncodeId]: (value: unknown) => value })
