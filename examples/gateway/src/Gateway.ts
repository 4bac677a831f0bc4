/**
 * A gateway for the data API: clients send their token, and the gateway sends the API key. Clients share the rate limit of
 * the key, the concurrency slots and the cache of one engine, and no client takes them all.
 */
import { type AnyOperation, pathPrefix } from "@blockquarry/core/Operation"
import { dataOperations } from "@blockquarry/core/Operations"
import { decodeInput, encodeRequest } from "@blockquarry/core/RequestEncoding"
import { parseRequest, pathMatcher } from "@blockquarry/core/RequestParsing"
import type { ApiOptions } from "@blockquarry/http/ApiOptions"
import * as CallContext from "@blockquarry/http/gateway/CallContext"
import * as Engine from "@blockquarry/http/gateway/Engine"
import * as Secrets from "@blockquarry/http/gateway/Secrets"
import * as Upstream from "@blockquarry/http/gateway/Upstream"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** A response of the gateway itself. */
class Rejection
  extends Data.TaggedError("Rejection")<{ readonly status: number; readonly message: string }>
{}

const reject = (status: number, message: string) => new Rejection({ status, message })

const operations: ReadonlyArray<AnyOperation> = Object.values(dataOperations)

const findOperation = pathMatcher(operations)

/** Makes the handler of all requests. `clients` has the names of the clients by their tokens. */
export const make = (options: ApiOptions, clients: ReadonlyMap<string, string>) =>
  Effect.gen(function*() {
    const engine = yield* Engine.Engine
    const upstream = yield* Upstream.make("data", options)
    const { uncacheable: apiKeys } = upstream.keyPool

    const respond = Effect.gen(function*() {
      const { headers, url } = yield* HttpServerRequest.HttpServerRequest
      const name = clients.get(headers["x-api-key"] ?? "")
      if (name === undefined) return yield* reject(401, "unknown token")
      const { pathname, searchParams } = new URL(url, "http://gateway")
      const match = findOperation(pathname.slice(pathPrefix.data.length))
      if (match === undefined) return yield* reject(404, "unknown path")
      const { operation, parameters } = match
      // Equivalent requests get the same form, and so share a cache entry
      const { encoded, unknownQuery } = parseRequest(operation, parameters, [...searchParams], undefined)
      const input = yield* decodeInput(operation, encoded)
      const request = encodeRequest(operation, input)
      const send = engine.raw(operation, upstream, Engine.bodyScan)
      const { response } = yield* send(
        input,
        { ...request, query: [...request.query, ...unknownQuery] },
        // At most a quarter of the concurrency slots that other clients leave
        CallContext.make({ client: { name, weight: 1, share: 1 / 4 } })
      )
      if (response.status === 401 || Secrets.responseContainsSecret(response, apiKeys)) {
        return yield* reject(502, "the upstream responded about the API key")
      }
      return HttpServerResponse.uint8Array(response.bytes, {
        status: response.status,
        contentType: response.headers["content-type"] ?? "application/json"
      })
    })

    return Effect.catchAll(respond, (error) => {
      const status = error._tag === "Rejection"
        ? error.status
        : error._tag === "InvalidInputError"
        ? 400
        : 503
      return Effect.succeed(HttpServerResponse.unsafeJson({ error: error.message }, { status }))
    })
  })
