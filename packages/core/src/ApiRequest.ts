/** Requests that no operation describes: any endpoint below the base URL of an API. */
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Rec from "effect/Record"
import * as Schema from "effect/Schema"
import { Cursor } from "./Cursor.ts"
import { withTypes } from "./internal/narrow.ts"
import { exactOptional, nullOr } from "./internal/nullable.ts"
import { formatValue } from "./internal/scalar.ts"
import { Json } from "./Json.ts"
import type { JsonValue } from "./LosslessJson.ts"
import type { Method } from "./Operation.ts"
import { InvalidInputError } from "./OperationError.ts"
import type { CursorPage } from "./Page.ts"
import { isExact, queryIssues, type QueryParameters } from "./QueryParameters.ts"
import { type ArrayFormat, type EncodedRequest, encodeQuery } from "./RequestEncoding.ts"

export interface ApiRequest {
  /** Default: `GET`. */
  readonly method?: Method | undefined
  /**
   * The path below the base URL of the API and its prefix, such as `/wallets/0x…/stats`. Its segments are percent-encoded:
   * `` `/tokens/${encodeURIComponent(symbol)}` ``.
   */
  readonly path: string
  readonly query?: QueryParameters | undefined
  /** A value that is sent as JSON, in which a `bigint` is a string of digits. Default: no body. A GET has none. */
  readonly body?: unknown
  /**
   * When a failed request may be retried: always, which is right for a request that only reads, or only if the upstream cannot
   * have applied it. Default: `always` for a GET, otherwise `if-not-applied`.
   */
  readonly retry?: "always" | "if-not-applied" | undefined
  /** The rate cost and the expected price, in units. Default: 1. */
  readonly cost?: number | undefined
}

/** A page of unspecified records, with all its members. */
export interface JsonPage extends CursorPage<JsonValue> {
  readonly [name: string]: JsonValue | undefined
}

/** The schema of a page of unspecified records. A cursor that is a number becomes its digits. */
export const JsonPage: Schema.Schema<JsonPage, JsonPage> = withTypes<JsonPage, JsonPage>()(
  Schema.Struct({ cursor: exactOptional(nullOr(Cursor)), result: Schema.Array(Json) }, {
    key: Schema.String,
    value: Json
  })
)

/** The operation ID of requests that no operation describes, in errors and metrics. */
export const operationId = "request"

/** Encodes a request. Fails with everything that is invalid, such as a path that leaves the base URL. */
export const encodeApiRequest = (
  request: ApiRequest,
  arrayFormat?: ArrayFormat
): Either.Either<EncodedRequest, InvalidInputError> => {
  const { body, cost = 1, method = "GET", path, query = {}, retry = "always", ...unknown } = request
  const json = body === undefined ? Either.right(null) : encodeBody(method, body)
  const reasons = {
    method: methods.includes(method) ? null : `expected one of ${methods.join(", ")}`,
    path: pathReason(path),
    body: Either.isLeft(json) ? json.left : null,
    retry: retries.includes(retry) ? null : `expected one of ${retries.join(", ")}`,
    cost: cost >= 0 ? null : `expected at least 0, got ${formatValue(cost)}`,
    ...Rec.map(unknown, () => "unknown; expected method, path, query, body, retry, cost or output")
  }
  const issues = [
    ...Object.entries(reasons).flatMap(([parameter, reason]) =>
      reason === null ? [] : [{ parameter, reason }]
    ),
    ...queryIssues({ parameters: [] }, query)
  ]
  return Arr.isNonEmptyArray(issues)
    ? Either.left(new InvalidInputError({ operation: operationId, issues }))
    : Either.right({
      method,
      path,
      query: encodeQuery(query, arrayFormat),
      body: Either.getOrElse(json, () => null)
    })
}

const methods: ReadonlyArray<Method> = ["GET", "POST", "PUT", "PATCH", "DELETE"]

const retries: ReadonlyArray<string> = ["always", "if-not-applied"]

/** Returns why a path, which must not leave the base URL, cannot be sent. */
const pathReason = (path: unknown): string | null => {
  const expected = "expected a path below the base URL, such as \"/wallets/0x…\""
  if (typeof path !== "string" || !/^\/(?![/\\])/.test(path)) return `${expected}, got ${formatValue(path)}`
  if (/[?#]/.test(path)) {
    return `expected no "?" and no "#", got ${
      formatValue(path)
    }; set parameters in \`query\`, and encode other text with encodeURIComponent`
  }
  const [unsafe] = /[^\w/.~!$&'()*+,;=:@%-]|%(?![\da-f]{2})/i.exec(path) ?? []
  if (unsafe !== undefined) {
    return `${formatValue(unsafe)} must be percent-encoded; encode each segment with encodeURIComponent`
  }
  return dotSegment.test(path)
    ? `expected no segment "." or "..", also percent-encoded, got ${
      formatValue(path)
    }; write the path that is meant`
    : null
}

/** A segment of one or two dots. Some servers decode a path, even twice, or cut what follows a semicolon, before they resolve it. */
const dotSegment = /(?:\/|%(?:25)*(?:2f|5c))(?:\.|%(?:25)*2e){1,2}(?:$|\/|;|%(?:25)*(?:2f|5c|3b))/i

const encodeBody = (method: Method, body: unknown): Either.Either<string, string> => {
  if (method === "GET") return Either.left("a GET has no body; set parameters in `query`, or another method")
  const rounded: Array<string> = []
  const exactMember = (name: string, value: unknown): unknown => {
    if (typeof value === "number" && !isExact(value)) {
      rounded.push(`${formatValue(value)}${name === "" ? "" : ` in ${formatValue(name)}`}`)
    }
    return typeof value === "bigint" ? String(value) : value
  }
  // Throws for a circular value, and returns undefined for a function.
  const json = Either.getOrUndefined(
    Either.try((): string | undefined => JSON.stringify(body, exactMember))
  )
  return json === undefined || rounded.length > 0
    ? Either.left(`expected a value that JSON can represent, got ${rounded[0] ?? formatValue(body)}`)
    : Either.right(json)
}
