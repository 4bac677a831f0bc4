/** The body of a request: JSON of limited size. */
import type { HttpRequest } from "@blockquarry/server/HttpRequest"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as ProxyError from "../exchange/ProxyError.ts"

/** Reads the body of a request. */
export const read = (
  { body }: Pick<HttpRequest, "body">,
  maxBytes: number
): Effect.Effect<Uint8Array, ProxyError.ProxyError> =>
  Effect.mapError(body(maxBytes), ({ _tag }) =>
    _tag === "BodyTooSlowError"
      ? ProxyError.make("body-too-slow", "timed out reading the request body")
      : ProxyError.make(
        "body-too-large",
        `the request body exceeds ${maxBytes} bytes (limits.maxRequestBytes)`
      ))

/** Whether a request has a body. */
export const isSent = (headers: Headers): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/** Returns the JSON object of an update. */
export const parse = (bytes: Uint8Array, headers: Headers) =>
  Effect.filterOrFail(
    Effect.map(parseJson(bytes, headers, updateBody), ({ document }) => document),
    Predicate.isRecord,
    () => invalidBody(updateBody, "it is not a JSON object")
  )

/** Returns the text of any JSON, whose numbers stay as they are. */
export const parseText = (bytes: Uint8Array, headers: Headers) =>
  Effect.map(parseJson(bytes, headers, "JSON"), ({ text }) => text)

type Headers = Readonly<Record<string, string | undefined>>

const updateBody = "a JSON object such as {\"status\":\"paused\"}"

const parseJson = (
  bytes: Uint8Array,
  headers: Headers,
  expected: string
): Effect.Effect<{ readonly text: string; readonly document: unknown }, ProxyError.ProxyError> => {
  const encoding = headers["content-encoding"]
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    return Effect.fail(
      ProxyError.make("encoded-body", "content-encoding is not supported for request bodies")
    )
  }
  if (bytes.byteLength === 0) return Effect.fail(invalidBody(expected, "the body is empty"))
  return Effect.try({
    try: () => {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
      return { text, document: JSON.parse(text) }
    },
    catch: () => invalidBody(expected, "it is not valid UTF-8 JSON")
  })
}

const invalidBody = (expected: string, reason: string): ProxyError.ProxyError =>
  ProxyError.make("not-json", `expected ${expected}: ${reason}`)
