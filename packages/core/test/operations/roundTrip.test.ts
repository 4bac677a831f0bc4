/** Laws that hold for every operation: its input and its output survive their own schemas, and the wire. */
import { Json } from "@blockquarry/core/Json"
import * as LosslessJson from "@blockquarry/core/LosslessJson"
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import type { AnyOperation } from "@blockquarry/core/Operation"
import { all } from "@blockquarry/core/operations/index"
import { formatQuery, matchPath, readInput, receive, writeRequest } from "@blockquarry/core/Wire"
import { describe, expect, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"

const runs = { numRuns: 60 }

/** What may stand where something else belongs, and what a lenient leaf still reads. */
const rubbish = FastCheck.oneof(
  FastCheck.constantFrom(
    null,
    "",
    "0",
    "0xAb",
    "true",
    0,
    1,
    -1,
    0.5,
    true,
    [],
    {},
    [null],
    "2024-01-01",
    "9".repeat(80)
  ),
  Arbitrary.make(Json)
)

/** Puts something else in the place of the nth member of a document, counted depth first. */
const spoil = (document: JsonValue, [nth, other]: readonly [number, JsonValue]): JsonValue => {
  let left = nth % Math.max(1, count(document))
  const visit = (value: JsonValue): JsonValue => {
    if (left-- === 0) return other
    if (Array.isArray(value)) return value.map(visit)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, visit(member)]))
  }
  return visit(document)
}

const count = (value: JsonValue): number =>
  typeof value === "object" && value !== null
    ? 1 + Object.values(value).reduce<number>((sum, member: JsonValue) => sum + count(member), 0)
    : 1

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

    it("the compiled decoder gives what the schema gives, and fails as it fails", () => {
      const spoilt = FastCheck.tuple(
        outputs,
        FastCheck.array(FastCheck.tuple(FastCheck.nat(), rubbish), { maxLength: 2 })
      )
      FastCheck.assert(
        FastCheck.property(spoilt, ([output, changes]) => {
          const text = JSON.stringify(Schema.encodeSync(operation.output)(output))
          const document = changes.reduce(spoil, Either.getOrThrow(LosslessJson.parse(text)))
          const expected = Schema.decodeUnknownEither(operation.output)(document)
          expect(Either.mapLeft(operation.decode(document), String)).toEqual(Either.mapLeft(expected, String))
        }),
        { numRuns: 150 }
      )
    })
  }
)
