/** Rows about response statuses. */
import * as TestClients from "../../support/TestClients.ts"
import { attempts, malformed, rejected, type Responder, type Row, unexpectedShape } from "./Row.ts"

type ResponseHeaders = Readonly<Record<string, string>>

/** Responds with a body that contains the API key. */
const respondWith =
  (status: number, headers: (now: number) => ResponseHeaders = () => ({}), message = "sorry"): Responder =>
  ({ now, response }) => {
    const body = JSON.stringify({ message: `${message} (key ${TestClients.key})`, key: TestClients.key })
    response.writeHead(status, { "content-type": "application/json", ...headers(now) })
    response.end(status === 204 || status === 304 ? undefined : body)
  }

const redirects: ReadonlyArray<Row> = [301, 302, 303, 307, 308].flatMap((status) =>
  (["sameHost", "otherHost"] as const).map((host): Row => ({
    name: `a ${status} to ${host === "sameHost" ? "the same host" : "another host"}`,
    responder: (exchange) => respondWith(status, () => ({ location: exchange[host] }))(exchange),
    ...rejected("InvalidResponseError", 1, { status, kind: "redirect", mayHaveBeenApplied: false }),
    servesStale: false
  }))
)

const seconds = (count: number) => ({ "retry-after": String(count) })

const date = (millis: number): ResponseHeaders => ({ "retry-after": new Date(millis).toUTCString() })

const retryAfterHeaders: ReadonlyArray<readonly [name: string, headers: (now: number) => ResponseHeaders]> = [
  ["without Retry-After", () => ({})],
  ["with Retry-After in seconds", () => seconds(1)],
  ["with Retry-After as a date", (now) => date(now + 1500)],
  ["with Retry-After in the past", (now) => date(now - 60_000)],
  ["with an invalid Retry-After", () => ({ "retry-after": "soon, or -5" })]
]

const throttledRows: ReadonlyArray<Row> = [
  ...retryAfterHeaders.map(([name, headers]): Row => ({
    name: `429 ${name}`,
    responder: respondWith(429, headers),
    attempts: 2,
    // The request was not processed, so updates are retried too.
    ...rejected("RateLimitError", 2, { status: 429, sent: true }),
    servesStale: true
  })),
  ...[seconds(99_999_999_999), seconds(3600), date(Date.now() + 86_400_000)].map((headers): Row => ({
    name: `429 with Retry-After beyond the call timeout (${
      headers["retry-after"]?.includes("GMT") === true ? "a day" : headers["retry-after"]
    })`,
    responder: respondWith(429, () => headers),
    ...rejected("RateLimitError", 1, { status: 429, sent: true }),
    servesStale: true,
    next: "cooldown"
  }))
]

const serverError = (status: number, requests: number): Row => ({
  name: `${status}`,
  responder: respondWith(status),
  get: { tag: "ServerError", requests, fields: { status, mayHaveBeenApplied: false } },
  update: { tag: "ServerError", requests: 1, fields: { status, mayHaveBeenApplied: true } },
  servesStale: true
})

const serverErrors: ReadonlyArray<Row> = [
  ...[500, 502, 503, 504].map((status) => serverError(status, attempts)),
  ...[501, 599].map((status) => serverError(status, 1)),
  {
    name: "503 with Retry-After",
    responder: respondWith(503, () => seconds(1)),
    attempts: 2,
    ...rejected("ServerError", 2, { status: 503, mayHaveBeenApplied: false }),
    servesStale: true
  },
  {
    name: "503 with Retry-After beyond the call timeout",
    responder: respondWith(503, () => seconds(3600)),
    ...rejected("ServerError", 1, { status: 503, mayHaveBeenApplied: false }),
    servesStale: true
  },
  {
    name: "408",
    responder: respondWith(408),
    get: { tag: "TimeoutError", requests: attempts, fields: { scope: "server", mayHaveBeenApplied: false } },
    update: { tag: "TimeoutError", requests: 1, fields: { scope: "server", mayHaveBeenApplied: true } },
    servesStale: true
  }
]

const clientError = (status: number, tag: string, message?: string): Row => ({
  name: `${status}${message === undefined ? "" : ` (${message})`}`,
  responder: respondWith(status, () => ({}), message),
  ...rejected(tag, 1, { status }),
  servesStale: false,
  // Some of these errors are cached.
  next: "reload"
})

const clientErrors: ReadonlyArray<Row> = [
  clientError(400, "RequestRejectedError"),
  clientError(401, "AuthenticationError"),
  clientError(401, "PlanQuotaExceededError", "Your plan's usage limit has been reached"),
  clientError(402, "PlanQuotaExceededError"),
  clientError(403, "PermissionDeniedError"),
  clientError(404, "NotFoundError"),
  clientError(410, "NotFoundError"),
  clientError(422, "RequestRejectedError")
]

const successes: ReadonlyArray<Row> = [
  { name: "201", responder: respondWith(201), ...unexpectedShape },
  { name: "204", responder: respondWith(204), ...malformed },
  {
    name: "304 to an unconditional request",
    responder: respondWith(304),
    ...rejected("InvalidResponseError", 1, { status: 304, kind: "redirect", mayHaveBeenApplied: false }),
    servesStale: false
  }
]

export const statusRows: ReadonlyArray<Row> = [
  ...throttledRows,
  ...serverErrors,
  ...clientErrors,
  ...redirects,
  ...successes
]
