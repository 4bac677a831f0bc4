/** Long texts of clients and upstreams, up to the limits of URLs, headers and bodies: every request gets its response. */
import { allOperations } from "@blockquarry/core/Operations"
import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { sample } from "../../../../packages/core/test/support/sample.ts"
import { sampleRequests } from "../support/sampleRequests.ts"
import { transfers } from "./corpus/entry.ts"
import * as Harness from "./harness.ts"
import { exchange, get, parseResponses, statuses } from "./rawHttp.ts"
import { rawResponse } from "./recordingUpstream.ts"

/** Below the limit of a URL. */
const maxTarget = 8000
/** Below the limit of all headers. */
const maxHeader = 14_000

/** Texts of a length that expressions for dates, IDs, chains and cursors may read more than once: encoded values. */
const values = ["", "0x", "2024-05-01T03:04:05", "Jan%202%202024%203:04", "%28"].flatMap((start) =>
  "+ - %20+ 0 9 a 3:04 3:04+ GMT ( () . : %3D , T1 29+".split(" ").map((text) => (length: number) =>
    `${start}${text.repeat(Math.floor((length - start.length - 1) / text.length))}x`
  )
)

/** The paths of all reads. */
const reads = allOperations.filter(({ method }) => method === "GET").map(({ id, parameters }) => ({
  path: sampleRequests[id]?.path.split("?")[0] ?? "",
  names: [...parameters.map(({ name }) => name), "unknown"]
}))

const targets = reads.flatMap(({ names, path }) => {
  const place = path.search(/0x\w+/)
  return [
    ...names.flatMap((name) =>
      ["", "/all"].map((prefix) => (value: string) => `${prefix}${path}?${name}=${value}`)
    ),
    ...(place > 0 ? [(value: string) => path.slice(0, place) + value + path.slice(place)] : [])
  ].flatMap((targetOf) => values.map((value) => targetOf(value(maxTarget - targetOf("").length))))
})

const headers = [
  "If-None-Match If-Match If-Modified-Since Cache-Control Pragma Range Authorization Cookie",
  "Accept Accept-Encoding Accept-Language Origin Referer Sec-Fetch-Site Via Forwarded",
  "X-Forwarded-For X-Request-Id Traceparent Tracestate User-Agent Keep-Alive Prefer X"
].flatMap((names) => names.split(" ")).flatMap((name) =>
  ["W/\"a\", ", ", ", "; ", "a=b, ", "a;q=", "\"", "\\\"", "\t ", "0", "."].map((text) =>
    `${name}: ${text.repeat(maxHeader / text.length)}x`
  )
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

it.scopedLive("responds to requests with long parameters, path segments and headers, and forwards no long date", () =>
  Effect.gen(function*() {
    const { port, upstream } = yield* Harness.start({ limits })
    const dates = values.map((value) => `/all${transfers}?from_date=${value(maxTarget - 200)}`)
    const authorized = (all: ReadonlyArray<string>) => all.map((target) => Harness.authorized(target))
    expect(yield* unexpected(port, authorized(sample(dates, 5)), [400])).toEqual([])
    expect(upstream.requests()).toEqual([])
    expect(yield* unexpected(port, authorized(sample(targets, 97)), [200, 400, 403, 404])).toEqual([])
    const others = sample(headers, 7).map((line) => Harness.authorized(transfers, line))
    expect(yield* unexpected(port, others, [200, 400, 401, 403])).toEqual([])
  }))

it.scopedLive("responds to requests whose responses have long values and headers", () =>
  Effect.gen(function*() {
    const { port, upstream } = yield* Harness.start({ limits })
    const texts = sample(values, 13).map((value) => decodeURIComponent(value(100_000)))
    const names = ["ETag", "Cache-Control", "Retry-After", "RateLimit", "X-Request-Weight", "Link"]
    const responses = [
      ...texts.flatMap((text) => [
        rawResponse(200, JSON.stringify({ result: [transfer(text)], cursor: null })),
        rawResponse(200, JSON.stringify({ result: [], cursor: text })),
        rawResponse(400, JSON.stringify({ message: text }))
      ]),
      rawResponse(200, `{"result":[${"1".repeat(100_000)}],"cursor":1${"0".repeat(100_000)}}`),
      ...sample(headers, 61).flatMap((line) =>
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
