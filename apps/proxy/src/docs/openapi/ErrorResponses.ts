/** Error responses by status: errors of the proxy, and upstream errors that it passes through. */
import * as Rec from "effect/Record"
import { errorCodes } from "../../exchange/ErrorCode.ts"
import { type DescribedOperation, type JsonObject, reference } from "./ResponseSchemas.ts"

/** Name of the component by status, and whether upstream responses with this status are passed through. */
const errorStatuses: ReadonlyArray<readonly [status: number, component: string, passedThrough: boolean]> = [
  [400, "BadRequest", true],
  [401, "Unauthorized", false],
  [403, "Forbidden", false],
  [404, "NotFound", true],
  [405, "MethodNotAllowed", false],
  [408, "RequestTimeout", true],
  [413, "ContentTooLarge", false],
  [414, "UriTooLong", false],
  [415, "UnsupportedMediaType", false],
  [421, "MisdirectedRequest", false],
  [429, "TooManyRequests", true],
  [500, "InternalServerError", true],
  [502, "BadGateway", true],
  [503, "ServiceUnavailable", true],
  [504, "GatewayTimeout", true]
]

const writeOnlyStatuses: ReadonlySet<number> = new Set([413, 415])

/** Statuses whose responses have a Retry-After header. */
const withRetryAfter: ReadonlySet<number> = new Set([429, 503])

export const errorResponsesOf = ({ method }: DescribedOperation): JsonObject =>
  Object.fromEntries(
    errorStatuses.filter(([status]) => method === "POST" || !writeOnlyStatuses.has(status))
      .map(([status, component]) => [String(status), { $ref: `#/components/responses/${component}` }])
  )

export const errorResponses = (): JsonObject =>
  Object.fromEntries(errorStatuses.map(([status, component, passedThrough]) => {
    const codes = Object.keys(Rec.filter(errorCodes, (code) => code.status === status))
    const parts = [codes.join(", "), passedThrough ? "the upstream response, unchanged" : ""]
    return [component, {
      description: parts.filter((part) => part !== "").join("; or "),
      ...(withRetryAfter.has(status)
        ? { headers: { "Retry-After": { $ref: "#/components/headers/RetryAfter" } } }
        : {}),
      content: {
        "application/json": {
          schema: !passedThrough
            ? reference("ProxyError")
            : codes.length > 0
            ? { anyOf: [reference("ProxyError"), {}] }
            : {}
        }
      }
    }]
  }))
