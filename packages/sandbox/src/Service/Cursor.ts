/**
 * Cursors: where a list goes on, sealed.
 *
 * A cursor is bound to its operation and parameters and signed with a key that follows from the seed, so that
 * one that was tampered with, or that belongs to another list, is detected.
 */
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Schema from "effect/Schema"
import { createHmac, timingSafeEqual } from "node:crypto"
import { digest } from "./Digest.ts"
import { badRequest, type Refusal } from "./Refusal.ts"

/** The place after a record, in words that only its list understands; empty before the first record. */
export type Position = ReadonlyArray<string>

/** What a list asks, written so that equal questions are equal texts. */
export interface Question {
  readonly operation: string
  readonly parameters: string
}

/** Where a list goes on. */
export interface Place {
  readonly page: number
  readonly position: Position
}

const Payload = Schema.parseJson(Schema.Struct({
  operation: Schema.String,
  parameters: Schema.String,
  page: Schema.Int,
  position: Schema.Array(Schema.String),
  salt: Schema.String
}))

/** The cursors of one seed. */
export interface Cursors {
  readonly seal: (question: Question, place: Place) => string
  readonly open: (question: Question, cursor: string) => Either.Either<Place, Refusal>
}

const header = Encoding.encodeBase64Url(JSON.stringify({ alg: "HS256", typ: "JWT" }))

export const make = (seed: number): Cursors => {
  const sign = (text: string) =>
    createHmac("sha256", `cursors of seed ${seed}`).update(text).digest("base64url")
  const isSigned = (text: string, signature: string) => {
    const expected = Buffer.from(sign(text))
    const given = Buffer.from(signature)
    return given.length === expected.length && timingSafeEqual(given, expected)
  }
  return {
    seal: ({ operation, parameters }, { page, position }) => {
      const bound = digest(parameters)
      const salt = digest(bound, String(page), ...position)
      const payload = Schema.encodeSync(Payload)({ operation, parameters: bound, page, position, salt })
      const text = `${header}.${Encoding.encodeBase64Url(payload)}`
      return `${text}.${sign(text)}`
    },
    open: ({ operation, parameters }, cursor) => {
      const end = cursor.lastIndexOf(".")
      const text = cursor.slice(0, Math.max(end, 0))
      if (end < 0 || !isSigned(text, cursor.slice(end + 1))) return Either.left(malformed)
      return Encoding.decodeBase64UrlString(text.slice(header.length + 1)).pipe(
        Either.flatMap(Schema.decodeEither(Payload)),
        Either.mapLeft(() => malformed),
        Either.filterOrLeft(
          (payload) => payload.operation === operation && payload.parameters === digest(parameters),
          () => foreign
        )
      )
    }
  }
}

const malformed = badRequest("[C0005] Invalid cursor provided")
const foreign = badRequest(
  "cursor does not belong to this request: send it with the parameters it was given for"
)
