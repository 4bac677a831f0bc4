/** Calls operations at the upstreams that the settings of a command describe. */
import type { AnyOperation, Operation } from "@blockquarry/core/Operation"
import type { OperationError } from "@blockquarry/core/OperationError"
import { type EncodedRequest, requestEncoder } from "@blockquarry/core/RequestEncoding"
import { baseUrlSettings } from "@blockquarry/core/Upstreams"
import * as ApiClient from "@blockquarry/http/ApiClient"
import * as ApiRequest from "@blockquarry/http/ApiRequest"
import * as Engine from "@blockquarry/http/gateway/Engine"
import type { RawResponse } from "@blockquarry/http/gateway/RawResponse"
import * as Settings from "@blockquarry/http/gateway/Settings"
import * as Upstream from "@blockquarry/http/gateway/Upstream"
import * as Timeouts from "@blockquarry/http/Timeouts"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ArgumentValues } from "../args/ArgumentValues.ts"
import { addedQuery } from "../args/QueryOption.ts"
import type { CommandSettings } from "../config/Configuration.ts"
import type { UsageError } from "../errors/CommandError.ts"
import type { CommandTerminal } from "../terminal/Terminal.ts"
import { withCursorOf } from "../text/Json.ts"
import {
  connect,
  type Connection,
  type ConnectionError,
  type RequestedOperation,
  upstreamOf
} from "./Connection.ts"
import type { HttpTransport } from "./HttpTransport.ts"

/** Receives the last response of each request, also that of an error. */
type OnResponse = (response: RawResponse) => void

/** Each function fails if the API key or the base URL of the operation is missing or invalid, and needs no others. */
export interface ApiClientsService {
  /** Returns the function that calls an operation. */
  readonly functionOf: <O extends AnyOperation>(
    operation: O,
    values: ArgumentValues
  ) => Effect.Effect<ApiClient.OperationFunctionOf<O>, ConnectionError>
  /** Returns the function that sends any request to the API of an operation, whose ID errors have, with `written` as it is. */
  readonly requestOf: (
    operation: RequestedOperation,
    values: ArgumentValues,
    written: Pick<EncodedRequest, "query" | "body">,
    onResponse?: OnResponse
  ) => Effect.Effect<ApiRequest.RequestFunction, ConnectionError>
  readonly requestUrl: Connection["requestUrl"]
}

export class ApiClients extends Context.Tag("@blockquarry/cli/ApiClients")<ApiClients, ApiClientsService>() {}

/** The timeout of a command is that of a call; an attempt may take a quarter of it if that is more than the default. */
const timeoutsOf = ({ timeout }: CommandSettings): Timeouts.Timeouts =>
  timeout === null ? Timeouts.standard : {
    attempt: Duration.max(Timeouts.standard.attempt, Duration.times(timeout, 0.25)),
    call: timeout
  }

/** None: a command waits and retries by itself, and an open circuit would reject the other inputs of a command. */
const breaker = { minimum: Number.POSITIVE_INFINITY }

/** Connects to the sandbox, or to the configured service. */
export const layerFromSettings = (
  settings: CommandSettings
): Layer.Layer<ApiClients, UsageError, HttpTransport | CommandTerminal> =>
  Layer.scoped(
    ApiClients,
    Effect.gen(function*() {
      const { client, endpoint, requestUrl } = yield* connect(settings)
      // One engine, so that all inputs of a command share its rate limit
      const services = yield* Layer.build(Layer.merge(Engine.layer, client))
      const { decoded, raw } = Context.get(services, Engine.Engine)
      const timeouts = timeoutsOf(settings)
      /** Sends requests as `decoded`, and passes on their responses. */
      const received = <I, InputEncoded, Output, OutputEncoded>(
        operation: Operation<I, InputEncoded, Output, OutputEncoded>,
        upstream: Upstream.Upstream,
        onResponse: OnResponse
      ) => {
        const send = raw(operation, upstream)
        return (input: I, request: EncodedRequest): Effect.Effect<Output, OperationError> =>
          Effect.flatMap(send(input, request), ({ classification, response }) => {
            onResponse(response)
            const result = classification()
            return result._tag === "Complete" ? result.decode(operation) : Effect.fail(result.error)
          })
      }
      const connectTo = (operation: RequestedOperation, values: ArgumentValues) =>
        Effect.gen(function*() {
          const query = yield* addedQuery(operation, values)
          const name = upstreamOf(operation, values)
          const options = { ...(yield* endpoint(name)), timeouts, breaker }
          const upstream = yield* Upstream.make(operation.api, options, {
            apiKey: Settings.apiKey,
            baseUrl: baseUrlSettings[name].variable
          }).pipe(
            Effect.provide(services),
            // The endpoint is valid
            Effect.catchTag("ConfigError", Effect.die)
          )
          return { query, upstream }
        })
      return {
        functionOf: (operation, values) =>
          Effect.map(connectTo(operation, values), ({ query, upstream }) =>
            ApiClient.make({ operation }, (operation) => {
              const send = decoded(operation, upstream)
              const encode = requestEncoder(operation)
              return (input, request = encode(input)) =>
                send(input, { ...request, query: [...request.query, ...query] })
            }).operation),
        requestOf: (operation, values, { body, query }, onResponse = () => {}) =>
          Effect.map(connectTo(operation, values), ({ upstream }) =>
            ApiRequest.make(operation.api, (requested) => {
              const send = received({ ...requested, id: operation.id }, upstream, onResponse)
              const encode = requestEncoder(requested)
              return (input, request = encode(input)) =>
                send(input, { ...request, query, body: body && withCursorOf(body, request.body ?? "") })
            })),
        requestUrl
      }
    })
  )
