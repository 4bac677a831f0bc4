/** Tests over real sockets what the `HttpClient` of a program may do with requests and responses. */
import * as CallUsage from "@blockquarry/http/CallUsage"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import type { HttpClientError } from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { describe, expect, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { unsafeCoerce } from "effect/Function"
import type * as Http from "node:http"
import { sample } from "../../../../../core/test/support/sample.ts"
import { tokenPrice, updateStreamStatus } from "../../../support/Examples.ts"
import * as Server from "../../../support/Server.ts"
import * as TestClients from "../../../support/TestClients.ts"

type Wrap = (client: HttpClient.HttpClient) => HttpClient.HttpClient

const readJson = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<unknown, HttpClientError> =>
  response.json

const wrappers: ReadonlyArray<readonly [name: string, wrap: Wrap]> = [
  ["filterStatusOk", HttpClient.filterStatusOk],
  ["filterStatus", HttpClient.filterStatus((status) => status < 300)],
  ["transformResponse", HttpClient.transformResponse(Effect.flatMap(HttpClientResponse.filterStatusOk))],
  ["tap that reads the text", HttpClient.tap(({ text }) => text)],
  ["tap that reads JSON", HttpClient.tap(readJson)],
  [
    "a tap that reads JSON, then filterStatusOk",
    (client) => HttpClient.filterStatusOk(HttpClient.tap(client, readJson))
  ],
  ["tapError", (client) => HttpClient.tapError(HttpClient.filterStatusOk(client), () => Effect.void)],
  ["retryTransient", (client) => HttpClient.retryTransient(HttpClient.filterStatusOk(client), { times: 0 })],
  ["followRedirects", HttpClient.followRedirects(3)],
  ["withTracerPropagation", HttpClient.withTracerPropagation(true)],
  ["withTracerDisabledWhen", HttpClient.withTracerDisabledWhen(() => false)],
  ["mapRequest", HttpClient.mapRequest((request) => request)]
]

const document = JSON.stringify(tokenPrice.document)

const responses: ReadonlyArray<readonly [status: number, body: string, headers: Http.OutgoingHttpHeaders]> = [
  [200, document, {}],
  [200, "no JSON", {}],
  [302, "", { location: "/elsewhere" }],
  [400, "{\"message\":\"bad\"}", {}],
  [401, "{\"message\":\"no key\"}", {}],
  [404, "", {}],
  [429, "{\"message\":\"slow down\"}", { "retry-after": "7" }],
  [500, "<html>", {}]
]

const outcomeOf = (client: HttpClient.HttpClient, baseUrl: string, attempts: number) =>
  Effect.gen(function*() {
    const clients = yield* TestClients.clientsOver(client, {
      baseUrl,
      retry: TestClients.immediateRetries(attempts)
    })
    const [result, usage] = yield* CallUsage.withUsage(Effect.either(tokenPrice.call(clients)))
    return { result: JSON.stringify(result), attempts: usage.attempts }
  })

/** Streams of Node.js show nothing of a read before, and with its own client a second read never ends. */
const isApplicable = (client: string, wrapper: string, status: number): boolean =>
  !(wrapper === "followRedirects" && status === 302) &&
  !(client !== "fetch" && wrapper.includes("tap that reads"))

const clients = [...Server.clients, ["the client of node:http", NodeHttpClient.layer] as const]

describe.each(clients)("with %s", (client, layer) => {
  for (const [index, [status, body, headers]] of responses.entries()) {
    // A retry would wait until the end of the cooldown.
    const attempts = status === 429 ? 1 : 3
    const first = index + clients.findIndex(([name]) => name === client)
    const applied = sample(wrappers.filter(([name]) => isApplicable(client, name, status)), 6, first)
    it.scoped.each(applied)(
      `a status ${status} with ${JSON.stringify(body)} means the same through %s`,
      ([, wrap]) =>
        Effect.gen(function*() {
          for (const framing of ["content-length", "chunked"]) {
            const server = yield* Server.make((response) => {
              response.writeHead(status, {
                ...headers,
                ...framing === "chunked" ? {} : { "content-length": Buffer.byteLength(body) }
              })
              response.end(body)
            })
            const plain = yield* HttpClient.HttpClient
            const expected = yield* outcomeOf(plain, server.url, attempts)
            const sent = server.received.length
            expect(yield* outcomeOf(wrap(plain), server.url, attempts)).toEqual(expected)
            expect(server.received.length).toBe(2 * sent)
          }
        }).pipe(Effect.provide(layer))
    )
  }
})

class Rejected extends Data.TaggedError("Rejected")<{ readonly limit: number }> {}

/** What JavaScript and casts let a client do: fail with an error that is none of HTTP clients. */
const misuses: ReadonlyArray<readonly [name: string, error: unknown, text: string]> = [
  ["an error", new Error("custom"), "Error: custom"],
  ["an error without a text", new RangeError(), "RangeError"],
  ["a tagged error", new Rejected({ limit: 1 }), "Rejected"],
  ["the tag of an error of HTTP clients", { _tag: "ResponseError" }, "ResponseError"],
  ["a string", "no entry", "no entry"],
  ["nothing", undefined, "undefined"],
  ["a timeout", new Cause.TimeoutException("too late"), "TimeoutException: too late"]
]

describe.each(clients)("a client over %s that ends a response with", (_, layer) => {
  it.scoped.each(misuses)(
    "%s fails the call after one request, which may have been applied",
    ([, failure, text]) =>
      Effect.gen(function*() {
        const server = yield* Server.make((response) => response.end(document))
        const transform = HttpClient.transformResponse(Effect.zipRight(Effect.fail(failure)))
        const clients = yield* TestClients.clientsOver(
          unsafeCoerce(transform(yield* HttpClient.HttpClient)),
          {
            baseUrl: server.url,
            retry: TestClients.immediateRetries(3)
          }
        )
        for (const { call } of [tokenPrice, updateStreamStatus]) {
          const sent = server.received.length
          const error = yield* Effect.flip(call(clients))
          expect(error).toMatchObject({
            _tag: "NetworkError",
            reason: `the HTTP client failed: ${text}`,
            sent: true,
            mayHaveBeenApplied: call === updateStreamStatus.call,
            retryable: false
          })
          expect(server.received.length).toBe(sent + 1)
        }
      }).pipe(Effect.provide(layer))
  )
})
