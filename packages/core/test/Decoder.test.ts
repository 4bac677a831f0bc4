/** Compiled functions behave exactly like the schema that they are compiled from. */
import { Address } from "@blockquarry/core/Address"
import { Amount } from "@blockquarry/core/Amount"
import { BooleanLike } from "@blockquarry/core/BooleanLike"
import { Decimal } from "@blockquarry/core/Decimal"
import * as Decoder from "@blockquarry/core/Decoder"
import { Integer } from "@blockquarry/core/Integer"
import { Json } from "@blockquarry/core/Json"
import { openEnum } from "@blockquarry/core/OpenEnum"
import { Time } from "@blockquarry/core/Time"
import { describe, expect, it, vi } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { codeGenerationModes } from "./support/codeGeneration.ts"
import { describeOutcome, mutateDocument, mutations } from "./support/mutateDocument.ts"
import { isFull } from "./support/sample.ts"

/** Half of the runs of other properties outside of the full check, because there are many schemas. */
const runs = { numRuns: isFull ? 200 : 8 }

const inner = Schema.Struct({ a: Integer, b: Schema.String, c: Schema.NullOr(BooleanLike) })
const symbol = Symbol("member")

const schemas: Readonly<Record<string, Schema.Schema.AnyNoContext>> = {
  "scalars": Schema.Struct({
    address: Address,
    amount: Amount,
    flag: BooleanLike,
    time: Time,
    decimal: Decimal,
    json: Json
  }),
  "names that are not identifiers": Schema.Struct({
    "": Schema.String,
    "24hr": Integer,
    "a-b": BooleanLike,
    "\"": Integer,
    "'`${process}": Integer,
    "\\": Integer,
    "\n\u2028\u2029\0": Integer,
    "\ud800": Integer,
    "日本": Integer,
    "\"]; throw 1; //": Integer
  }),
  "names of inherited members and of the generated code": Schema.Struct({
    constructor: Schema.Unknown,
    hasOwnProperty: Schema.NullOr(Integer),
    m: Integer,
    v0: Integer,
    c0: Integer,
    input: Integer,
    converters: Schema.String,
    isObject: Integer
  }),
  "a symbol as a name": Schema.Struct({ a: Integer, [symbol]: Schema.UndefinedOr(Integer) }),
  "optional members": Schema.Struct({
    a: Schema.optionalWith(Integer, { exact: true }),
    b: Schema.optional(Schema.String),
    c: Schema.optionalWith(Integer, { default: () => 1 }),
    d: Integer
  }),
  "exact optional members": Schema.Struct({
    a: Schema.optionalWith(Integer, { exact: true }),
    b: Integer,
    toString: Schema.optionalWith(Schema.String, { exact: true })
  }),
  "members that may be undefined": Schema.Struct({ a: Schema.UndefinedOr(Integer), b: Schema.Unknown }),
  "no members": Schema.Struct({}),
  "index signatures": Schema.Record({ key: Schema.String, value: Integer }),
  "members and index signatures": Schema.Struct({ a: Integer }, {
    key: Schema.String,
    value: Schema.Unknown
  }),
  "members that are kept": Schema.Struct({ a: Integer, b: Schema.optional(Schema.String) }).annotations({
    parseOptions: { onExcessProperty: "preserve", propertyOrder: "original" }
  }),
  "arrays": Schema.Struct({
    any: Schema.Array(inner),
    some: Schema.NonEmptyArray(inner),
    pair: Schema.Tuple(Integer, Schema.String),
    more: Schema.Tuple([Schema.String], Integer)
  }),
  "unions": Schema.Union(
    Schema.Struct({ type: Schema.Literal("a"), a: Integer }),
    Schema.Struct({ type: Schema.Literal("b"), b: Schema.String })
  ),
  "unions with null": Schema.Struct({
    scalar: Schema.NullOr(Integer),
    struct: Schema.NullOr(inner),
    literal: Schema.NullOr(Schema.Struct({ type: Schema.Literal("a"), a: Integer })),
    unknown: Schema.NullOr(Schema.Unknown),
    undefined: Schema.NullOr(Schema.UndefinedOr(Integer)),
    nullFirst: Schema.Union(Schema.Null, Integer)
  }),
  "filters": Schema.Struct({
    inner: inner.pipe(
      Schema.filter(({ a, b }) => b.length <= a ? undefined : { path: ["b"], message: "too long" })
    ),
    list: Schema.Array(Integer).pipe(Schema.maxItems(2))
  }),
  "compositions": Schema.Struct({
    text: Schema.compose(Schema.String, Schema.NumberFromString),
    lower: Schema.compose(Schema.Lowercase, openEnum("a", "b"))
  }),
  "nested arrays": Schema.Array(Schema.Array(Schema.Array(inner))),
  "suspended schemas": Schema.Struct({ a: Integer, more: Schema.Array(Schema.suspend(() => inner)) })
}

const untyped = ({ ast }: Schema.Schema.AnyNoContext): Schema.Schema<unknown, unknown> => Schema.make(ast)

describe.each(codeGenerationModes)("%s", (_, runIn) => {
  describe.each(Object.entries(schemas))("%s", (_, typed) => {
    const schema = untyped(typed)

    it("decodes as the schema does", () => {
      const decode = Decoder.make(schema)
      const decodeAll = Decoder.make(schema, { errors: "all" })
      const documents = FastCheck.tuple(Arbitrary.make(Schema.encodedSchema(schema)), mutations)
      FastCheck.assert(
        FastCheck.property(documents, ([valid, changes]) => {
          const document = changes.reduce(mutateDocument, valid)
          const [first, all] = runIn(() => [
            describeOutcome(() => decode(document)),
            describeOutcome(() => decodeAll(document))
          ])
          expect(first).toBe(describeOutcome(() => Schema.decodeUnknownEither(schema)(document)))
          expect(all).toBe(
            describeOutcome(() => Schema.decodeUnknownEither(schema, { errors: "all" })(document))
          )
        }),
        runs
      )
    })

    it("encodes as the schema does", () => {
      const encode = Decoder.encoder(schema)
      const values = FastCheck.tuple(Arbitrary.make(Schema.typeSchema(schema)), mutations)
      FastCheck.assert(
        FastCheck.property(values, ([valid, changes]) => {
          const value = changes.reduce(mutateDocument, valid)
          expect(runIn(() => describeOutcome(() => encode(value)))).toBe(
            describeOutcome(() => Schema.encodeUnknownSync(schema)(value))
          )
        }),
        runs
      )
    })
  })

  it.each([
    ["an inherited member", Object.create({ a: 1, b: "x", c: true })],
    ["a repeated member", JSON.parse(`{"a":1,"b":"x","c":true,"a":"2"}`)],
    ["__proto__ as a member", JSON.parse(`{"__proto__":{"a":1},"b":"x","c":true}`)],
    ["__proto__ as an additional member", JSON.parse(`{"a":1,"b":"x","c":true,"__proto__":{"a":2}}`)],
    ["a function with the members", Object.assign(() => 0, { a: 1, b: "x", c: true })],
    ["an array with the members", Object.assign([], { a: 1, b: "x", c: true })],
    ["an instance with the members", Object.assign(new Date(0), { a: 1, b: "x", c: true })],
    ["a sparse array", Array.from({ length: 2 })],
    ["undefined", undefined],
    ["null", null]
  ])("decodes as the schema does: %s", (_, document: unknown) => {
    for (const schema of [inner, Schema.Array(inner), Schema.partialWith(inner, { exact: true })]) {
      const decode = Decoder.make(untyped(schema))
      expect(runIn(() => describeOutcome(() => decode(document)))).toBe(
        describeOutcome(() => Schema.decodeUnknownEither(untyped(schema))(document))
      )
    }
  })

  it("does not set a prototype from a document", () => {
    const schema = untyped(Schema.Struct({ ["__proto__"]: Json, a: Integer }))
    const decode = Decoder.make(schema)
    for (const text of [`{"__proto__":{"b":1},"a":1}`, `{"a":1}`, `{"__proto__":5,"a":1}`]) {
      const document: unknown = JSON.parse(text)
      const result = Either.getOrNull(runIn(() => decode(document)))
      const expected = Either.getOrNull(Schema.decodeUnknownEither(schema)(document))
      expect(result).toStrictEqual(expected)
      expect(Reflect.ownKeys(Object(result))).toEqual(Reflect.ownKeys(Object(expected)))
    }
    expect("b" in {}).toBe(false)
  })
})

describe("the generated code", () => {
  it("is compiled once, on first use of a decoder", () => {
    const constructor = vi.fn(Function)
    vi.stubGlobal("Function", constructor)
    const decode = Decoder.make(inner)
    expect(constructor).not.toHaveBeenCalled()
    for (const a of [1, 2, 3]) {
      expect(Either.getOrThrow(decode({ a, b: "x", c: null }))).toEqual({ a, b: "x", c: null })
    }
    vi.unstubAllGlobals()
    expect(constructor).toHaveBeenCalledTimes(1)
  })
})
