/** Sends every entry of the corpus, byte for byte, to a proxy with a recording upstream. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { sample } from "../../../../packages/core/test/support/sample.ts"
import { sendRequest } from "../support/proxy.ts"
import { type CorpusEntry, type EntryContext } from "./corpus/entry.ts"
import { framing } from "./corpus/framing.ts"
import { foreignHosts, headers, invalidTokens, ownHosts } from "./corpus/headers.ts"
import { methods } from "./corpus/methods.ts"
import { streams, targets } from "./corpus/targets.ts"
import * as Harness from "./harness.ts"
import { bytes, exchange, header, type ParsedResponse, parseResponses } from "./rawHttp.ts"

/** Long enough to send a whole request on a busy machine, short enough for the tests that wait for the timeout. */
const requestTimeout = Duration.seconds(3)

/** Sent after each entry: a response shows that the proxy and the test agree on where the entry ends. */
const probe = bytes("GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")

const isLive = ({ body, status }: ParsedResponse): boolean => status === 200 && body === `{"status":"live"}\n`

/** Returns what is wrong with an error response. Node itself responds to an unknown expectation (417). */
const malformed = (response: ParsedResponse, isHead: boolean): string | null => {
  const { body, status } = response
  if (status < 400 || isHead || status === 417) return null
  const document: unknown = JSON.parse(body)
  const { code, message, requestId, ...others } = Object(document)
  return typeof code === "string" && typeof message === "string" && Object.keys(others).length === 0 &&
      requestId === header(response, "x-request-id")
    ? null
    : `an error response of another form: ${body}`
}

/** Sends an entry. Returns the statuses of its responses and the first problem with them. */
const send = (port: number, entry: CorpusEntry, context: EntryContext) =>
  Effect.map(exchange(port, Buffer.concat([entry.bytes(context), probe])), (stream) => {
    const isHead = entry.bytes(context).subarray(0, 5).toString() === "HEAD "
    const { problem, responses } = parseResponses(stream, (index) => isHead && index === 0)
    const actual = responses.map((response) => isLive(response) ? "live" : String(response.status)).join(
      " "
    )
    const wrong = problem ?? responses.map((response, index) =>
      malformed(response, isHead && index === 0)
    ).find((found) => found !== null) ?? null
    return { actual, wrong }
  })

const run = (entries: ReadonlyArray<CorpusEntry>, anonymous: boolean) =>
  Effect.gen(function*() {
    const { port, upstream } = yield* Harness.start({ limits: { requestTimeout }, anonymous })
    const context = { required: `Host: localhost\r\n${anonymous ? "" : `X-API-Key: ${Harness.token}\r\n`}` }
    const one = (entry: CorpusEntry) =>
      Effect.map(
        send(port, entry, context),
        ({ actual, wrong }) =>
          wrong === null && entry.expectedResponses.includes(actual)
            ? []
            : [{ name: entry.name, expected: entry.expectedResponses, actual, wrong }]
      )
    const unexpected = yield* Effect.forEach(
      entries.filter(({ upstreamRequests }) => upstreamRequests === undefined),
      one,
      {
        concurrency: 32
      }
    )
    expect(unexpected.flat()).toEqual([])
    expect(upstream.requests().map((request) => request.split("\r\n")[0])).toEqual([])
    for (const entry of entries.filter(({ upstreamRequests }) => upstreamRequests !== undefined)) {
      expect(yield* one(entry)).toEqual([])
      const requests = upstream.requests()
      expect([entry.name, requests.map((request) => request.split("\r\n")[0])]).toEqual([
        entry.name,
        entry.upstreamRequests
      ])
      expect(requests.map((request) => Harness.deviationFrom(request, upstream.port))).toEqual(
        requests.map(() => null)
      )
      upstream.clear()
    }
    expect((yield* sendRequest(port, "/livez")).status).toBe(200)
  })

// The corpus has most requests in many variants
const families = {
  framing,
  headers,
  methods,
  targets: sample(targets, 5),
  streams
}

for (const anonymous of [false, true]) {
  describe(anonymous ? "a proxy with anonymous access" : "a proxy with clients", () => {
    // Anonymous access changes nothing in how requests are parsed
    const { framing: _, methods: __, ...others } = families
    for (const [name, entries] of Object.entries(anonymous ? others : families)) {
      it.scopedLive(`handles ${entries.length} requests safely: ${name}`, () => run(entries, anonymous))
    }
    if (anonymous) {
      it.scopedLive("accepts only its own host names", () => run([...foreignHosts, ...ownHosts], anonymous))
    } else {
      it.scopedLive("accepts only valid tokens", () => run(invalidTokens(Harness.token), anonymous))
    }
  })
}
