/** Laws of every operation: inputs and outputs survive encoding and decoding. */
import * as Decoder from "@blockquarry/core/Decoder"
import * as LosslessJson from "@blockquarry/core/LosslessJson"
import type { AnyOperation } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { decodeInput, encodeRequest, formatQuery } from "@blockquarry/core/RequestEncoding"
import { parseRequest, pathMatcher } from "@blockquarry/core/RequestParsing"
import { describe, expect, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { codeGenerationModes } from "../support/codeGeneration.ts"
import { describeOutcome, mutateDocument, mutations } from "../support/mutateDocument.ts"
import { isFull } from "../support/sample.ts"

/** An empty text in a nullable field is decoded to null. */
const withoutEmptyTexts = (value: unknown): unknown =>
  value === ""
    ? "text"
    : Array.isArray(value)
    ? value.map(withoutEmptyTexts)
    : Predicate.isRecord(value) && Object.getPrototypeOf(value) === Object.prototype
    ? Record.map(value, withoutEmptyTexts)
    : value

/** Half of the runs of other properties: the values are large. */
const runs = { numRuns: isFull ? 100 : 8 }

describe.each(allOperations.map((operation: AnyOperation) => [operation.id, operation] as const))(
  "%s",
  (_, operation) => {
    const inputs = Arbitrary.make(Schema.typeSchema(operation.input))
    const outputs = Arbitrary.make(Schema.typeSchema(operation.output)).map(withoutEmptyTexts)

    it("an input survives a request with arrays in every format", () => {
      const formats = FastCheck.constantFrom(...["brackets", "indices", "repeat", "comma"] as const)
      FastCheck.assert(
        FastCheck.property(inputs, formats, (input, format) => {
          const request = encodeRequest(operation, input, format)
          const url = new URL(`http://host${request.path}?${formatQuery(request.query)}`)
          const route = pathMatcher(allOperations)(url.pathname)
          expect(route?.operation.id).toBe(operation.id)
          const body: unknown = request.body === null ? undefined : JSON.parse(request.body)
          const received = parseRequest(operation, route?.parameters ?? {}, [...url.searchParams], body)
          expect(received.unknownQuery).toEqual([])
          expect(decodeInput(operation, received.encoded)).toEqual(Either.right(input))
        }),
        runs
      )
    })

    it("an output survives JSON", () => {
      FastCheck.assert(
        FastCheck.property(outputs, (output) => {
          const text = JSON.stringify(Schema.encodeSync(operation.output)(output))
          const document = Either.getOrThrow(LosslessJson.parse(text))
          expect(Schema.decodeUnknownSync(operation.output)(document)).toEqual(output)
        }),
        runs
      )
    })

    it("an output is decoded and encoded as the schema does, with and without code generation", () => {
      const [decode, encode] = [Decoder.make(operation.output), Decoder.encoder(operation.output)]
      const modes = FastCheck.constantFrom(...codeGenerationModes)
      FastCheck.assert(
        FastCheck.property(outputs, mutations, modes, (output, changes, [, runIn]) => {
          const text = JSON.stringify(Schema.encodeSync(operation.output)(output))
          const document = changes.reduce(mutateDocument, Either.getOrThrow(LosslessJson.parse(text)))
          expect(runIn(() => describeOutcome(() => decode(document)))).toBe(
            describeOutcome(() => Schema.decodeUnknownEither(operation.output)(document))
          )
          const mutated: unknown = changes.reduce(mutateDocument, output)
          expect(runIn(() => describeOutcome(() => encode(mutated)))).toBe(
            describeOutcome(() => Schema.encodeUnknownSync(operation.output)(mutated))
          )
        }),
        runs
      )
    })

    it("an input is decoded and encoded as the schema does", () => {
      const decode = Decoder.make(operation.input, { errors: "all" })
      const encode = Decoder.encoder(operation.input)
      FastCheck.assert(
        FastCheck.property(inputs, mutations, (input, changes) => {
          const encoded = changes.reduce(mutateDocument, Schema.encodeSync(operation.input)(input))
          expect(describeOutcome(() => decode(encoded))).toBe(
            describeOutcome(() => Schema.decodeUnknownEither(operation.input, { errors: "all" })(encoded))
          )
          const mutated: unknown = changes.reduce(mutateDocument, input)
          expect(describeOutcome(() => encode(mutated))).toBe(
            describeOutcome(() => Schema.encodeUnknownSync(operation.input)(mutated))
          )
        }),
        runs
      )
    })
  }
)
