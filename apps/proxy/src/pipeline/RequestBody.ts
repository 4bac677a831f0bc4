/** The body of an update: one JSON object of limited size. */
import * as Effect from "effect/Effect"
import * as ProxyError from "../exchange/ProxyError.ts"

export const bodyTooLarge = (maxBytes: number): ProxyError.ProxyError =>
  ProxyError.make("body-too-large", `the request body exceeds ${maxBytes} bytes (limits.maxRequestBytes)`)

export const bodyTooSlow = ProxyError.make(
  "body-too-slow",
  "timed out reading the request body"
)

export const parse = (
  bytes: Uint8Array,
  headers: Readonly<Record<string, string | undefined>>
): Effect.Effect<object, ProxyError.ProxyError> => {
  const encoding = headers["content-encoding"]
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    return Effect.fail(
      ProxyError.make("encoded-body", "content-encoding is not supported for request bodies")
    )
  }
  if (bytes.byteLength === 0) return Effect.fail(invalidBody("the body is empty"))
  return Effect.try({
    try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
    catch: () => invalidBody("it is not valid UTF-8 JSON")
  }).pipe(
    Effect.filterOrFail(
      (document): document is object =>
        typeof document === "object" && document !== null && !Array.isArray(document),
      () => invalidBody("it is not a JSON object")
    )
  )
}

/** Returns the text of a JSON object, whose numbers stay as they are. */
export const parseText = (
  bytes: Uint8Array,
  headers: Readonly<Record<string, string | undefined>>
): Effect.Effect<string, ProxyError.ProxyError> =>
  Effect.map(parse(bytes, headers), () => new TextDecoder().decode(bytes))

const invalidBody = (reason: string): ProxyError.ProxyError =>
  ProxyError.make("not-json", `expected a JSON object such as {"status":"paused"}: ${reason}`)
