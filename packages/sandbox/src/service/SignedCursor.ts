/**
 * Signed cursors.
 *
 * A cursor contains its operation and parameters, and is signed with a key derived from the seed. Modified cursors and
 * cursors of other lists are rejected.
 */
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Schema from "effect/Schema"
import { createHmac, timingSafeEqual } from "node:crypto"
import { type ApiError, badRequest } from "./ApiError.ts"
import { digest } from "./Digest.ts"

/** The position after a record, in a format of its list; empty before the first record. */
export type RecordPosition = ReadonlyArray<string>

/** The list of a cursor. Equal lists have equal strings. */
export interface CursorScope {
  readonly operation: string
  readonly parameters: string
}

/** The page and position that a cursor refers to. */
export interface CursorState {
  readonly page: number
  readonly position: RecordPosition
}

const CursorPayload = Schema.parseJson(Schema.Struct({
  operation: Schema.String,
  parameters: Schema.String,
  page: Schema.Int,
  position: Schema.Array(Schema.String),
  salt: Schema.String
}))

/** Encodes and decodes cursors of one seed. */
export interface CursorCodec {
  readonly encode: (scope: CursorScope, state: CursorState) => string
  readonly decode: (scope: CursorScope, cursor: string) => Either.Either<CursorState, ApiError>
}

const header = Encoding.encodeBase64Url(JSON.stringify({ alg: "HS256", typ: "JWT" }))

export const make = (seed: number): CursorCodec => {
  const sign = (text: string) =>
    createHmac("sha256", `cursors of seed ${seed}`).update(text).digest("base64url")
  const isSigned = (text: string, signature: string) => {
    const expected = Buffer.from(sign(text))
    const actual = Buffer.from(signature)
    return actual.length === expected.length && timingSafeEqual(actual, expected)
  }
  return {
    encode: ({ operation, parameters }, { page, position }) => {
      const parametersDigest = digest(parameters)
      const salt = digest(parametersDigest, String(page), ...position)
      const payload = Schema.encodeSync(CursorPayload)({
        operation,
        parameters: parametersDigest,
        page,
        position,
        salt
      })
      const text = `${header}.${Encoding.encodeBase64Url(payload)}`
      return `${text}.${sign(text)}`
    },
    decode: ({ operation, parameters }, cursor) => {
      const end = cursor.lastIndexOf(".")
      const text = cursor.slice(0, Math.max(end, 0))
      if (end < 0 || !isSigned(text, cursor.slice(end + 1))) return Either.left(invalidCursor)
      return Encoding.decodeBase64UrlString(text.slice(header.length + 1)).pipe(
        Either.flatMap(Schema.decodeEither(CursorPayload)),
        Either.mapLeft(() => invalidCursor),
        Either.filterOrLeft(
          (payload) => payload.operation === operation && payload.parameters === digest(parameters),
          () => cursorOfOtherRequest
        )
      )
    }
  }
}

const invalidCursor = badRequest("[C0005] Invalid cursor provided")
const cursorOfOtherRequest = badRequest("cursor does not match the request parameters")
