/** The library with default policies: clients of the data API, and raw calls without network. */
import type { Operation } from "@blockquarry/core/Operation"
import { decodeInput, encodeRequest } from "@blockquarry/core/RequestEncoding"
import type { ApiOptions, Policies } from "@blockquarry/http/ApiOptions"
import * as DataApi from "@blockquarry/http/DataApi"
import * as Engine from "@blockquarry/http/gateway/Engine"
import * as Upstream from "@blockquarry/http/gateway/Upstream"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { Subject } from "./Comparison.ts"
import { wallet } from "./Documents.ts"
import { makeStubClient } from "./StubClient.ts"
import { effectSubject } from "./Subject.ts"

/** As long as real API keys, because responses are searched for them. */
export const apiKey = "bench-key-0123456789abcdef0123456789abcd"

/** The headers of a request that is sent without the library. */
export const requestHeaders = { accept: "application/json", "x-api-key": apiKey }

/** The input of calls, which the URLs of requests without the library contain. */
export const input = { address: wallet, chain: "eth" } as const

const stubUrl = "http://stub.test"

/**
 * Creates a client of the data API with an engine of its own. It needs all services of the layer of its transport: without the
 * dispatcher of `UndiciTransport`, requests go through the `HttpClient`, which takes longer.
 */
export const makeDataApi = (
  transport: Layer.Layer<HttpClient.HttpClient>,
  options: Partial<ApiOptions> = {}
): Effect.Effect<DataApi.DataApiService, never, Scope.Scope> =>
  DataApi.layer({ apiKey: Redacted.make(apiKey), baseUrl: stubUrl, ...options }).pipe(
    Layer.provide(transport),
    // The options are constants.
    Layer.orDie,
    Layer.build,
    Effect.map(Context.get(DataApi.DataApi))
  )

/** Creates calls of an operation whose response is `body`, and the requests that they send. */
export const makeRawCalls = <I, A, O, W>(operation: Operation<I, A, O, W>, body: string) =>
  Effect.gen(function*() {
    const decoded = Either.getOrThrow(decodeInput(operation, input))
    const request = encodeRequest(operation, decoded)
    const bytes = Buffer.from(body)
    const client = makeStubClient(() => bytes)
    const engine = Context.get(yield* Layer.build(Engine.layer), Engine.Engine)
    const countIfComplete = (length: number) => length === bytes.byteLength ? 1 : 0
    const response = client.get(`${stubUrl}/api/v2.2${request.path}?chain=eth`, { headers: requestHeaders })
    const baseline: Subject = effectSubject(
      "HttpClient + arrayBuffer",
      response.pipe(
        Effect.flatMap((response) => response.arrayBuffer),
        Effect.map(({ byteLength }) => countIfComplete(byteLength))
      )
    )
    const call = (policies: Partial<Policies> = {}) =>
      Upstream.make("data", { apiKey: Redacted.make(apiKey), baseUrl: stubUrl, ...policies }).pipe(
        Effect.provideService(HttpClient.HttpClient, client),
        Effect.orDie,
        Effect.map((upstream) =>
          Effect.map(
            engine.raw(operation, upstream, Engine.bodyScan)(decoded, request),
            ({ response }) => countIfComplete(response.bytes.byteLength)
          )
        )
      )
    return { baseline, bytes, call, client, countIfComplete, response }
  })
