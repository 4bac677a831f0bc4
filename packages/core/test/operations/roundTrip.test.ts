/** Laws that hold for every operation: its input and its output survive their own schemas, and the wire. */
import * as Decoder from "@blockquarry/core/Decoder"
import * as LosslessJson from "@blockquarry/core/LosslessJson"
import type { AnyOperation } from "@blockquarry/core/Operation"
import { all } from "@blockquarry/core/operations/index"
import { formatQuery, matchPath, readInput, receive, writeRequest } from "@blockquarry/core/Wire"
import { describe, expect, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { worlds } from "../support/codeGeneration.ts"
import { changes, spoil, told } from "../support/spoil.ts"

const runs = { numRuns: 60 }

describe.each(all.map((operation: AnyOperation) => [operation.id, operation] as const))(
  "%s",
  (_, operation) => {
    const inputs = Arbitrary.make(Schema.typeSchema(operation.input))
    const outputs = Arbitrary.make(Schema.typeSchema(operation.output))

    it("an input is read back from how it is written", () => {
      FastCheck.assert(
        FastCheck.property(inputs, (input) => {
          const written: unknown = Schema.encodeSync(operation.input)(input)
          expect(readInput(operation, written)).toEqual(Either.right(input))
        }),
        runs
      )
    })

    it.each(["brackets", "indices", "repeat", "comma"] as const)(
      "an input survives the wire, arrays as %s",
      (spelling) => {
        FastCheck.assert(
          FastCheck.property(inputs, (input) => {
            const request = writeRequest(operation, input, spelling)
            const url = new URL(`http://host${request.path}?${formatQuery(request.query)}`)
            const route = matchPath(all, url.pathname)
            expect(route?.operation.id).toBe(operation.id)
            const body: unknown = request.body === null ? undefined : JSON.parse(request.body)
            const received = receive(operation, route?.parameters ?? {}, [...url.searchParams], body)
            expect(received.unknown).toEqual([])
            expect(readInput(operation, received.written)).toEqual(Either.right(input))
          }),
          runs
        )
      }
    )

    it("an output survives JSON text", () => {
      FastCheck.assert(
        FastCheck.property(outputs, (output) => {
          const text = JSON.stringify(Schema.encodeSync(operation.output)(output))
          const document = Either.getOrThrow(LosslessJson.parse(text))
          expect(Schema.decodeUnknownSync(operation.output)(document)).toEqual(output)
        }),
        runs
      )
    })

    it.each(worlds)("an output is decoded as the schema decodes it, %s", (_, world) => {
      const decode = Decoder.make(operation.output)
      FastCheck.assert(
        FastCheck.property(outputs, changes, (output, changes) => {
          const text = JSON.stringify(Schema.encodeSync(operation.output)(output))
          const document = changes.reduce(spoil, Either.getOrThrow(LosslessJson.parse(text)))
          expect(world(() => told(() => decode(document)))).toBe(
            told(() => Schema.decodeUnknownEither(operation.output)(document))
          )
        }),
        runs
      )
    })

    it("an input is read as the schema reads it", () => {
      const read = Decoder.make(operation.input, { errors: "all" })
      FastCheck.assert(
        FastCheck.property(inputs, changes, (input, changes) => {
          const written = changes.reduce(spoil, Schema.encodeSync(operation.input)(input))
          expect(told(() => read(written))).toBe(
            told(() => Schema.decodeUnknownEither(operation.input, { errors: "all" })(written))
          )
        }),
        runs
      )
    })

    it("an input is written as the schema writes it", () => {
      const write = Decoder.encoder(operation.input)
      FastCheck.assert(
        FastCheck.property(inputs, changes, (input, changes) => {
          const spoilt: unknown = changes.reduce(spoil, input)
          expect(told(() => write(spoilt))).toBe(
            told(() => Schema.encodeUnknownSync(operation.input)(spoilt))
          )
        }),
        runs
      )
    })
  }
)
