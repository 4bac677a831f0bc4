/** The body of a change: one JSON object under a cap. */
import * as Effect from "effect/Effect"
import * as ProxyError from "../exchange/ProxyError.ts"

export const bodyTooLarge = (maxBytes: number): ProxyError.ProxyError =>
  ProxyError.make("body-too-large", `the body is longer than ${maxBytes} bytes`)

export const bodyTooSlow = ProxyError.make(
  "body-too-slow",
  "the body did not come in time; send it in one go"
)

/** A document, or a failure that says why it is none. */
export const parse = (
  bytes: Uint8Array,
  headers: Readonly<Record<string, string | undefined>>
): Effect.Effect<object, ProxyError.ProxyError> => {
  const encoding = headers["content-encoding"]
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    return Effect.fail(ProxyError.make("encoded-body", "send the body without content-encoding"))
  }
  if (bytes.byteLength === 0) return Effect.fail(invalidBody("it is empty"))
  return Effect.try({
    try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
    catch: () => invalidBody("it cannot be read as JSON in UTF-8")
  }).pipe(
    Effect.filterOrFail(
      (document): document is object =>
        typeof document === "object" && document !== null && !Array.isArray(document),
      () => invalidBody("it is no object")
    )
  )
}

const invalidBody = (reason: string): ProxyError.ProxyError =>
  ProxyError.make("not-json", `the body must be a JSON object, such as {"status":"paused"}: ${reason}`)
