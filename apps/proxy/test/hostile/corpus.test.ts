/** Sends every entry of the corpus, byte for byte, to a proxy with a recording upstream. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { sendRequest } from "../support/proxy.ts"
import { allowed, type CorpusEntry, type EntryContext } from "./corpus/entry.ts"
import { framing } from "./corpus/framing.ts"
import { headers, ownHosts, strangeHosts, strangeTokens } from "./corpus/headers.ts"
import { methods } from "./corpus/methods.ts"
import { streams, targets } from "./corpus/targets.ts"
import * as Stand from "./harness.ts"
import { bytes, exchange, header, type ParsedResponse, parseResponses } from "./rawHttp.ts"

/** The version of Node's HTTP parser. */
const llhttp = process.versions["llhttp"] ?? ""

/** Long enough that a busy machine sends a whole request in time, short enough to wait for where it has to pass. */
const receive = Duration.seconds(3)

/** Sent behind each entry: where it is answered, the proxy and we agree on where the entry ended. */
const behind = bytes("GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")

const isLive = ({ body, status }: ParsedResponse): boolean => status === 200 && body === `{"status":"live"}\n`

/** What is wrong with a refusal: they are all of one form, but for an expectation, which Node answers itself. */
const malformed = (response: ParsedResponse, isHead: boolean): string | null => {
  const { body, status } = response
  if (status < 400 || isHead || status === 417) return null
  const document: unknown = JSON.parse(body)
  const { code, message, requestId, ...others } = Object(document)
  return typeof code === "string" && typeof message === "string" && Object.keys(others).length === 0 &&
      requestId === header(response, "x-request-id")
    ? null
    : `a refusal of another form: ${body}`
}

/** Sends an entry, and says how it was answered, and what is wrong with the answers. */
const send = (port: number, entry: CorpusEntry, context: EntryContext) =>
  Effect.map(exchange(port, Buffer.concat([entry.bytes(context), behind])), (stream) => {
    const isHead = entry.bytes(context).subarray(0, 5).toString() === "HEAD "
    const { problem, responses } = parseResponses(stream, (index) => isHead && index === 0)
    const answered = responses.map((response) => isLive(response) ? "live" : String(response.status)).join(
      " "
    )
    const wrong = problem ?? responses.map((response, index) =>
      malformed(response, isHead && index === 0)
    ).find((found) => found !== null) ?? null
    return { answered, wrong }
  })

const run = (entries: ReadonlyArray<CorpusEntry>, anonymous: boolean) =>
  Effect.gen(function*() {
    const { port, service } = yield* Stand.start({ limits: { requestTimeout: receive }, anonymous })
    const context = { required: `Host: localhost\r\n${anonymous ? "" : `X-API-Key: ${Stand.token}\r\n`}` }
    const one = (entry: CorpusEntry) =>
      Effect.map(
        send(port, entry, context),
        ({ answered, wrong }) =>
          wrong === null && allowed(entry, llhttp).includes(answered)
            ? []
            : [{ name: entry.name, expected: allowed(entry, llhttp), answered, wrong }]
      )
    const quiet = yield* Effect.forEach(
      entries.filter(({ upstreamRequests }) => upstreamRequests === undefined),
      one,
      {
        concurrency: 32
      }
    )
    expect(quiet.flat()).toEqual([])
    expect(service.requests().map((request) => request.split("\r\n")[0])).toEqual([])
    for (const entry of entries.filter(({ upstreamRequests }) => upstreamRequests !== undefined)) {
      expect(yield* one(entry)).toEqual([])
      const asked = service.requests()
      expect([entry.name, asked.map((request) => request.split("\r\n")[0])]).toEqual([
        entry.name,
        entry.upstreamRequests
      ])
      expect(asked.map((request) => Stand.deviationFrom(request, service.port))).toEqual(
        asked.map(() => null)
      )
      service.clear()
    }
    expect((yield* sendRequest(port, "/livez")).status).toBe(200)
  })

const families: { readonly [name: string]: ReadonlyArray<CorpusEntry> } = {
  framing,
  headers,
  methods,
  targets,
  streams
}

for (const anonymous of [false, true]) {
  describe(anonymous ? "an open proxy" : "a proxy with clients", () => {
    for (const [name, entries] of Object.entries(families)) {
      it.scopedLive(`${name}: ${entries.length} of the corpus`, () => run(entries, anonymous))
    }
    if (anonymous) {
      it.scopedLive("accepts only its own host names", () => run([...strangeHosts, ...ownHosts], anonymous))
    } else {
      it.scopedLive("accepts only valid tokens", () => run(strangeTokens(Stand.token), anonymous))
    }
  })
}

it("applies the newest rule for each parser version", () => {
  const entry = {
    expectedResponses: {
      llhttp: [{ since: "9.2.0", answers: ["400 live"] }, { since: "9.4.3", answers: ["400"] }]
    }
  }
  expect(["8.1.1", "9.2.0", "9.4.2", "9.4.3", "9.10.0"].map((version) => allowed(entry, version)))
    .toEqual([[], ["400 live"], ["400 live"], ["400"], ["400"]])
})
