/** Long texts of clients and upstreams, up to the limits of URLs, headers and bodies: every request gets its response. */
import { allOperations } from "@blockquarry/core/Operations"
import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import { sampleRequests } from "../support/sampleRequests.ts"
import { transfers } from "./corpus/entry.ts"
import * as Harness from "./harness.ts"
import { exchange, get, parseResponses, statuses } from "./rawHttp.ts"
import { rawResponse } from "./recordingUpstream.ts"

/** Below the limit of a URL. */
const maxTarget = 8000
/** Below the limit of all headers. */
const maxHeader = 14_000

/** Every one of them would take hours. The distances of the short and the long run have no factor in common with the lists. */
const sample = <A>(all: ReadonlyArray<A>, short: number, long: number): ReadonlyArray<A> =>
  all.filter((_, index) => index % (isFull ? long : short) === 0)

const cross = (starts: ReadonlyArray<string>, repeated: ReadonlyArray<string>, ends: ReadonlyArray<string>) =>
  starts.flatMap((start) =>
    repeated.flatMap((text) =>
      ends.map((end) => (length: number) =>
        start + text.repeat(Math.max(0, Math.floor((length - start.length - end.length) / text.length))) + end
      )
    )
  )

/** Values of parameters, encoded: texts that expressions for dates, IDs, chains and cursors may read more than once. */
const values = cross(
  ["", ..."0x 1 -1 eth 2024 2024-05-01 2024-05-01T03:04:05 Jan%202%202024%203:04 3:04 %28".split(" ")],
  "+ - %2B %20+ 0 9 a 3:04 3:04+ GMT ( () . : = %3D _ / , T1 29+".split(" "),
  ["x", ")", "+0530", "Z", ""]
)

const dates = values.map((value) => `/all${transfers}?from_date=${value(maxTarget - transfers.length - 20)}`)

const parameters = allOperations.flatMap(({ id, method, parameters: names }) => {
  const [path = ""] = sampleRequests[id]?.path.split("?") ?? []
  return method === "GET"
    ? ["", "/all"].flatMap((prefix) =>
      [...names.map(({ name }) => name), "unknown"].flatMap((name) =>
        values.map((value) =>
          `${prefix}${path}?${name}=${value(maxTarget - prefix.length - path.length - name.length - 2)}`
        )
      )
    )
    : []
})

const paths = allOperations.flatMap(({ id, method }) => {
  const [path = ""] = sampleRequests[id]?.path.split("?") ?? []
  const place = path.search(/0x\w+/)
  return method === "GET" && place > 0
    ? values.map((value) => path.slice(0, place) + value(maxTarget - path.length) + path.slice(place))
    : []
})

const headers = [
  "If-None-Match If-Match If-Modified-Since Cache-Control Pragma Range Authorization Cookie",
  "Accept Accept-Encoding Accept-Language Origin Referer Sec-Fetch-Site Via Forwarded",
  "X-Forwarded-For X-Request-Id Traceparent Tracestate User-Agent Keep-Alive Prefer X"
].flatMap((names) => names.split(" ")).flatMap((name) =>
  cross(
    ["", "\"", "W/\"", "max-age=", "gzip;q=", "Bearer ", "eyJ.", "Mon, 01 Jan 2024", "00-", "http://"],
    [" ", "\t ", ", ", "; ", "W/\"a\", ", ..."\" \\\" \", = , ; a 0 a=b, . a. : / -".split(" ")],
    ["x", "\"", ",\""]
  ).map((value) => `${name}: ${value(maxHeader)}`)
)

/** A transfer with the same text in many fields. */
const transfer = (text: string) =>
  Object.fromEntries(
    "token_name token_decimals value address block_timestamp block_number possible_spam log_index".split(" ")
      .map((name) => [name, text])
  )

/** Sends a request and a probe, and returns the statuses of the responses, and what is wrong with them. */
const send = (port: number, request: Buffer) =>
  Effect.map(
    exchange(port, Buffer.concat([request, get("/livez", "Connection: close")])),
    (stream) => ({ statuses: statuses(stream), problem: parseResponses(stream).problem })
  )

const unexpected = (port: number, requests: ReadonlyArray<Buffer>, allowed: ReadonlyArray<number>) =>
  Effect.forEach(
    requests,
    (request) =>
      Effect.map(
        send(port, request),
        ({ problem, statuses: [first = 0, ...others] }) =>
          problem === null && allowed.includes(first) && others.join() === "200"
            ? []
            : [{ request: request.toString().slice(0, 200), problem, statuses: [first, ...others] }]
      ),
    { concurrency: 16 }
  ).pipe(Effect.map((found) => found.flat().slice(0, 5)))

const limits = { requestTimeout: Duration.minutes(5) }

it.scopedLive("rejects long dates", () =>
  Effect.gen(function*() {
    const { port, upstream } = yield* Harness.start({ limits })
    const targets = sample(dates, 17, 1).map((target) => Harness.authorized(target))
    expect(yield* unexpected(port, targets, [400])).toEqual([])
    expect(upstream.requests()).toEqual([])
  }))

it.scopedLive("responds to requests with long parameters, path segments and headers", () =>
  Effect.gen(function*() {
    const { port } = yield* Harness.start({ limits })
    const targets = sample([...parameters, ...paths], 613, 17).map((target) => Harness.authorized(target))
    expect(yield* unexpected(port, targets, [200, 400, 403, 404])).toEqual([])
    const others = sample(headers, 101, 7).map((line) => Harness.authorized(transfers, line))
    expect(yield* unexpected(port, others, [200, 400, 401, 403])).toEqual([])
  }))

it.scopedLive("responds to requests whose responses have long values and headers", () =>
  Effect.gen(function*() {
    const { port, upstream } = yield* Harness.start({ limits })
    const texts = sample(values, 127, 17).map((value) => decodeURIComponent(value(100_000)))
    const names = ["ETag", "Cache-Control", "Retry-After", "RateLimit", "X-Request-Weight", "Link"]
    const responses = [
      ...texts.flatMap((text) => [
        rawResponse(200, JSON.stringify({ result: [transfer(text)], cursor: null })),
        rawResponse(200, JSON.stringify({ result: [], cursor: text })),
        rawResponse(400, JSON.stringify({ message: text }))
      ]),
      rawResponse(200, `{"result":[${"1".repeat(100_000)}],"cursor":1${"0".repeat(100_000)}}`),
      ...sample(headers, 607, 43).flatMap((line) =>
        names.map((name) =>
          rawResponse(200, `{"result":[],"cursor":null}`, { [name]: line.slice(line.indexOf(":") + 2, 8000) })
        )
      )
    ]
    for (const prefix of ["", "/all"]) {
      for (const response of responses) {
        // A list ends with its next page
        const pages = [response]
        upstream.respondWith(() => pages.pop() ?? rawResponse(200, `{"result":[],"cursor":null}`))
        expect(yield* unexpected(port, [Harness.authorized(prefix + transfers)], [200, 400, 502])).toEqual([])
      }
    }
  }))
