/** The body of a change: one JSON object under a cap. */
import * as Effect from "effect/Effect"
import * as Failure from "./Failure.ts"

export const tooLarge = (cap: number): Failure.Failure =>
  Failure.make("body-too-large", `the body is longer than ${cap} bytes`)

export const tooSlow = Failure.make("body-too-slow", "the body did not come in time; send it in one go")

/** A document, or a failure that says why it is none. */
export const parse = (
  bytes: Uint8Array,
  headers: Readonly<Record<string, string | undefined>>
): Effect.Effect<object, Failure.Failure> => {
  const encoding = headers["content-encoding"]
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    return Effect.fail(Failure.make("encoded-body", "send the body without content-encoding"))
  }
  if (bytes.byteLength === 0) return Effect.fail(notJson("it is empty"))
  return Effect.try({
    try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
    catch: () => notJson("it cannot be read as JSON in UTF-8")
  }).pipe(
    Effect.filterOrFail(
      (document): document is object =>
        typeof document === "object" && document !== null && !Array.isArray(document),
      () => notJson("it is no object")
    )
  )
}

const notJson = (problem: string): Failure.Failure =>
  Failure.make("not-json", `the body must be a JSON object, such as {"status":"paused"}: ${problem}`)
