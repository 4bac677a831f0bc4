/** Rows: what services say with a status. */
import * as Clients from "../../support/Clients.ts"
import { type Answerer, attempts, foreign, garbled, refused, type Row } from "./Row.ts"

type Headers = Readonly<Record<string, string>>

/** An answer whose body repeats the key, as careless services do. */
const says =
  (status: number, headers: () => Headers = () => ({}), message = "sorry"): Answerer => ({ response }) => {
    const body = JSON.stringify({ message: `${message} (key ${Clients.key})`, key: Clients.key })
    response.writeHead(status, { "content-type": "application/json", ...headers() })
    response.end(status === 204 || status === 304 ? undefined : body)
  }

const redirects: ReadonlyArray<Row> = [301, 302, 303, 307, 308].flatMap((status) =>
  (["here", "elsewhere"] as const).map((where): Row => ({
    name: `a ${status} to ${where === "here" ? "the same host" : "another host"}`,
    answer: (exchange) => says(status, () => ({ location: exchange[where] }))(exchange),
    ...refused("ServiceFailed", 1, { status, mayHaveTakenEffect: false }),
    rescued: false
  }))
)

const seconds = (count: number) => ({ "retry-after": String(count) })

/** A date some way from now, as headers write it. */
const date = (millis: number): Headers => ({ "retry-after": new Date(Date.now() + millis).toUTCString() })

const hints: ReadonlyArray<readonly [hint: string, headers: () => Headers]> = [
  ["without Retry-After", () => ({})],
  ["with Retry-After in seconds", () => seconds(1)],
  ["with Retry-After as a date", () => date(1500)],
  ["with Retry-After in the past", () => date(-60_000)],
  ["with Retry-After that is garbage", () => ({ "retry-after": "soon, or -5" })]
]

const throttled: ReadonlyArray<Row> = [
  ...hints.map(([hint, headers]): Row => ({
    name: `429 ${hint}`,
    answer: says(429, headers),
    attempts: 2,
    // It was turned away at the door, so a change is sent again as well.
    ...refused("RateLimited", 2, { status: 429, limit: "service" }),
    rescued: true
  })),
  ...[seconds(99_999_999_999), seconds(3600), date(86_400_000)].map((headers): Row => ({
    name: `429 with Retry-After beyond the time of the call (${
      headers["retry-after"]?.includes("GMT") === true ? "a day" : headers["retry-after"]
    })`,
    answer: says(429, () => headers),
    ...refused("RateLimited", 1, { status: 429, limit: "service" }),
    rescued: true,
    next: "paused"
  }))
]

const failed = (status: number, requests: number): Row => ({
  name: `${status}`,
  answer: says(status),
  read: { tag: "ServiceFailed", requests, facts: { status, mayHaveTakenEffect: false } },
  change: { tag: "ServiceFailed", requests: 1, facts: { status, mayHaveTakenEffect: true } },
  rescued: true
})

const failures: ReadonlyArray<Row> = [
  ...[500, 502, 503, 504].map((status) => failed(status, attempts)),
  ...[501, 599].map((status) => failed(status, 1)),
  {
    name: "503 with Retry-After",
    answer: says(503, () => seconds(1)),
    attempts: 2,
    ...refused("ServiceFailed", 2, { status: 503, mayHaveTakenEffect: false }),
    rescued: true
  },
  {
    name: "503 with Retry-After beyond the time of the call",
    answer: says(503, () => seconds(3600)),
    ...refused("ServiceFailed", 1, { status: 503, mayHaveTakenEffect: false }),
    rescued: true
  },
  {
    name: "408",
    answer: says(408),
    read: { tag: "TimedOut", requests: attempts, facts: { limit: "service", mayHaveTakenEffect: false } },
    change: { tag: "TimedOut", requests: 1, facts: { limit: "service", mayHaveTakenEffect: true } },
    rescued: true
  }
]

const no = (status: number, tag: string, message?: string): Row => ({
  name: `${status}${message === undefined ? "" : ` (${message})`}`,
  answer: says(status, () => ({}), message),
  ...refused(tag, 1, { status }),
  rescued: false,
  // "No" is an answer, and some of them are kept for a moment.
  next: "reload"
})

const refusals: ReadonlyArray<Row> = [
  no(400, "BadRequest"),
  no(401, "KeyRefused"),
  no(401, "PlanExhausted", "Your plan's usage limit has been reached"),
  no(402, "PlanExhausted"),
  no(403, "KeyRefused"),
  no(404, "NotFound"),
  no(410, "NotFound"),
  no(422, "BadRequest")
]

const successes: ReadonlyArray<Row> = [
  { name: "201", answer: says(201), ...foreign },
  { name: "204", answer: says(204), ...garbled },
  {
    name: "304, although nothing was asked that could be not modified",
    answer: says(304),
    ...refused("ServiceFailed", 1, { status: 304, mayHaveTakenEffect: false }),
    rescued: false
  }
]

export const statuses: ReadonlyArray<Row> = [
  ...throttled,
  ...failures,
  ...refusals,
  ...redirects,
  ...successes
]
