/** What goes wrong, by status: failures of the proxy's own, and where the service's are passed on. */
import * as ProxyError from "../../exchange/ProxyError.ts"
import { type DescribedOperation, type JsonObject, reference } from "./ResponseSchemas.ts"

/** By status: what we answer ourselves, and whether the service's own answer of that status is passed on. */
const errorStatuses: ReadonlyArray<readonly [status: number, component: string, passedOn: boolean]> = [
  [400, "Invalid", true],
  [401, "TokenRefused", false],
  [403, "Forbidden", false],
  [404, "NotFound", true],
  [405, "MethodNotAllowed", false],
  [408, "TooSlow", true],
  [413, "TooLarge", false],
  [414, "TargetTooLong", false],
  [415, "UnsupportedBody", false],
  [421, "HostRefused", false],
  [429, "RateLimited", true],
  [500, "Internal", true],
  [502, "BadGateway", true],
  [503, "Unavailable", true],
  [504, "TimedOut", true]
]

const writeOnlyStatuses: ReadonlySet<number> = new Set([413, 415])

/** Those that say when to come back. */
const withRetryAfter: ReadonlySet<number> = new Set([429, 503])

export const errorResponsesOf = ({ method }: DescribedOperation): JsonObject =>
  Object.fromEntries(
    errorStatuses.filter(([status]) => method === "POST" || !writeOnlyStatuses.has(status))
      .map(([status, component]) => [String(status), { $ref: `#/components/responses/${component}` }])
  )

export const errorResponses = (): JsonObject =>
  Object.fromEntries(errorStatuses.map(([status, component, passedOn]) => {
    const codes = Object.entries(ProxyError.statusByCode).filter(([, of]) => of === status).map(([code]) =>
      code
    )
    const parts = [codes.join(", "), passedOn ? "the service's own answer, as it came" : ""]
    return [component, {
      description: parts.filter((part) => part !== "").join("; or "),
      ...(withRetryAfter.has(status)
        ? { headers: { "Retry-After": { $ref: "#/components/headers/RetryAfter" } } }
        : {}),
      content: {
        "application/json": {
          schema: !passedOn
            ? reference("Failure")
            : codes.length > 0
            ? { anyOf: [reference("Failure"), {}] }
            : {}
        }
      }
    }]
  }))
