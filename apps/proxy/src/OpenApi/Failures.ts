/** What goes wrong, by status: failures of the proxy's own, and where the service's are passed on. */
import * as Failure from "../Failure.ts"
import { type Described, type JsonObject, reference } from "./Answers.ts"

/** By status: what we answer ourselves, and whether the service's own answer of that status is passed on. */
const failures: ReadonlyArray<readonly [status: number, component: string, passedOn: boolean]> = [
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

const changesOnly: ReadonlySet<number> = new Set([413, 415])

/** Those that say when to come back. */
const withRetryAfter: ReadonlySet<number> = new Set([429, 503])

export const failuresOf = ({ method }: Described): JsonObject =>
  Object.fromEntries(
    failures.filter(([status]) => method === "POST" || !changesOnly.has(status))
      .map(([status, component]) => [String(status), { $ref: `#/components/responses/${component}` }])
  )

export const failureResponses = (): JsonObject =>
  Object.fromEntries(failures.map(([status, component, passedOn]) => {
    const codes = Object.entries(Failure.statuses).filter(([, of]) => of === status).map(([code]) => code)
    const said = [codes.join(", "), passedOn ? "the service's own answer, as it came" : ""]
    return [component, {
      description: said.filter((part) => part !== "").join("; or "),
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
