/**
 * Signed cursors.
 *
 * A cursor contains its operation and parameters, and is signed with a key derived from the seed. Modified cursors and
 * cursors of other lists are rejected.
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Schema from "effect/Schema"
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

const decodePayload = Schema.decodeEither(
  Schema.compose(
    Schema.StringFromBase64Url,
    Schema.parseJson(Schema.Struct({
      operation: Schema.String,
      parameters: Schema.String,
      page: Schema.Int,
      position: Schema.Array(Schema.String)
    }))
  )
)

/** Encodes and decodes cursors of one seed. */
export interface CursorCodec {
  readonly encode: (scope: CursorScope, state: CursorState) => string
  readonly decode: (scope: CursorScope, cursor: string) => Either.Either<CursorState, ApiError>
}

const header = Encoding.encodeBase64Url(JSON.stringify({ alg: "HS256", typ: "JWT" }))

export const make = (seed: number): CursorCodec => {
  const key = utf8ToBytes(`cursors of seed ${seed}`)
  const sign = (text: string) => Encoding.encodeBase64Url(hmac(sha256, key, utf8ToBytes(text)))
  return {
    encode: ({ operation, parameters }, { page, position }) => {
      const parametersDigest = digest(parameters)
      const salt = digest(parametersDigest, String(page), ...position)
      const payload = JSON.stringify({ operation, parameters: parametersDigest, page, position, salt })
      const text = `${header}.${Encoding.encodeBase64Url(payload)}`
      return `${text}.${sign(text)}`
    },
    decode: ({ operation, parameters }, cursor) => {
      const end = cursor.lastIndexOf(".")
      const text = cursor.slice(0, Math.max(end, 0))
      if (end < 0 || cursor.slice(end + 1) !== sign(text)) return Either.left(invalidCursor)
      return decodePayload(text.slice(header.length + 1)).pipe(
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
