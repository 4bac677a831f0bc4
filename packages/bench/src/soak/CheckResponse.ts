/** Checks that a response is correct, or is an expected error. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { gunzipSync } from "node:zlib"
import type { Response } from "../Load.ts"

/**
 * As what a response counts, or why it is incorrect. These are correct: the requested document, byte for byte, the
 * requested list, an error of the upstream, forwarded unchanged, or one of the proxy that the injected faults can cause.
 */
export type CheckResult = Either.Either<string, string>

/** The kinds of correct responses. A soak test must receive each of them. */
export const responseForms: ReadonlyArray<string> = ["complete", "gzip", "list"]

const headerOf = ({ headers }: Response, name: string): string => String(headers[name] ?? "")

/** Checks a response to a request for `document`, which may be compressed. */
export const checkDocument = (document: string, response: Response, encoding = ""): CheckResult => {
  if (response.status !== 200) return checkFailure(response)
  const received = headerOf(response, "content-encoding")
  if (received !== encoding) return Either.left(`unexpected content-encoding ${received}`)
  const body = Either.try(() => encoding === "gzip" ? gunzipSync(response.body) : response.body)
  return Either.isRight(body) && body.right.equals(Buffer.from(document))
    ? Either.right(encoding === "" ? "complete" : encoding)
    : Either.left("wrong document")
}

/** The failure codes that injected faults may cause, with their statuses. */
const expectedStatusByCode: ReadonlyMap<string, number> = new Map([
  ["client-quota-exceeded", 429],
  ["client-rate-limited", 429],
  ["upstream-local-limit", 429],
  ["upstream-rate-limited", 429],
  ["upstream-invalid-response", 502],
  ["upstream-error", 502],
  ["upstream-unreachable", 502],
  ["circuit-open", 503],
  ["upstream-timeout", 504]
])

const ProxyError = Schema.Struct({
  code: Schema.String,
  message: Schema.NonEmptyString,
  requestId: Schema.String
})

const decodeJson = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.decodeUnknownOption(Schema.parseJson(schema), { onExcessProperty: "error" })

const parseProxyError = decodeJson(ProxyError)

/** Checks a response that is not 200. */
const checkFailure = (response: Response): CheckResult => {
  const { body, status } = response
  const text = body.toString()
  if (text === `{"message":"injected failure: ${status}"}` && status !== 404) {
    return Either.right(`${status} from the upstream`)
  }
  return Option.match(parseProxyError(text), {
    onNone: () => Either.left("neither an upstream nor a proxy error"),
    onSome: (error) => checkProxyError(error, status, response, String(status))
  })
}

const checkProxyError = (
  { code, requestId }: typeof ProxyError.Type,
  status: number | undefined,
  response: Response,
  name: string
): CheckResult =>
  requestId !== headerOf(response, "x-request-id")
    ? Either.left("requestId differs from x-request-id")
    : status === undefined || expectedStatusByCode.get(code) !== status
    ? Either.left("unexpected failure code")
    : Either.right(`${name} ${code}`)

export interface ExpectedPage {
  /** JSON, without line breaks. */
  readonly records: ReadonlyArray<string>
  /** The cursor of the next page. */
  readonly cursor: string | undefined
}

/** The last line of a list: that it is complete, or why it is not and where it continues. */
const parseLastLine = decodeJson(Schema.Union(
  Schema.Struct({ end: Schema.Struct({ records: Schema.Number }) }),
  Schema.Struct({ failure: ProxyError, cursor: Schema.String })
))

/**
 * Checks a streamed list: all records in order, and a last line with the end reason. A failed list consists of complete
 * pages, its last line has the cursor of the next page, and then the connection closes.
 */
export const checkList = (
  pages: ReadonlyArray<ExpectedPage>,
  response: Response,
  truncated = false
): CheckResult => {
  if (response.status !== 200) return checkFailure(response)
  if (!/^application\/x-ndjson\b/.test(headerOf(response, "content-type"))) return Either.left("not NDJSON")
  const lines = response.body.toString().split("\n")
  // Every line ends with a line break, so the last element is empty
  if (lines.pop() !== "") return Either.left("last line truncated")
  const last = Option.getOrUndefined(parseLastLine(lines.pop()))
  if (last === undefined) return Either.left("last line has no end reason")
  const received = lines.join()
  if (truncated !== ("failure" in last)) return Either.left("wrong end of the connection")
  const page = pages.find((_, index) =>
    pages.slice(0, index + 1).flatMap(({ records }) => records).join() === received
  )
  if (page === undefined) return Either.left("wrong records")
  if ("end" in last) {
    return page.cursor === undefined && last.end.records === lines.length
      ? Either.right("list")
      : Either.left("list ended early")
  }
  const { cursor, failure } = last
  if (cursor !== page.cursor) return Either.left("cursor does not point to the next page")
  return checkProxyError(failure, expectedStatusByCode.get(failure.code), response, "list failed:")
}
