/** Calls operations at the upstreams that the settings of a command describe. */
import type { AnyOperation, Operation } from "@blockquarry/core/Operation"
import type { OperationError } from "@blockquarry/core/OperationError"
import { type EncodedRequest, formatQuery, requestEncoder } from "@blockquarry/core/RequestEncoding"
import { baseUrlSettings, type UpstreamName } from "@blockquarry/core/Upstreams"
import * as ApiClient from "@blockquarry/http/ApiClient"
import * as ApiRequest from "@blockquarry/http/ApiRequest"
import * as BaseUrl from "@blockquarry/http/gateway/BaseUrl"
import * as Engine from "@blockquarry/http/gateway/Engine"
import type { RawResponse } from "@blockquarry/http/gateway/RawResponse"
import * as Settings from "@blockquarry/http/gateway/Settings"
import * as Upstream from "@blockquarry/http/gateway/Upstream"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Timeouts from "@blockquarry/http/Timeouts"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { ArgumentValues } from "../args/ArgumentValues.ts"
import { rateLimitOption } from "../args/GlobalOptions.ts"
import { addedQuery } from "../args/QueryOption.ts"
import { findApiKey } from "../config/ApiKey.ts"
import type { CommandSettings } from "../config/Configuration.ts"
import { type ConfigFileError, MissingApiKeyError, sandboxHint, UsageError } from "../errors/CommandError.ts"
import { styled } from "../terminal/StreamInfo.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { responseMessage } from "../terminal/VerboseLog.ts"
import { baseUrlOption } from "../text/BaseUrlOptions.ts"
import { withCursorOf } from "../text/Json.ts"
import { configuredBaseUrl, type RequestedOperation, upstreamOf, userAgent } from "./Connection.ts"
import { HttpTransport } from "./HttpTransport.ts"

type ConnectionError = MissingApiKeyError | UsageError | ConfigFileError

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
  /** Returns the URL of a request, for commands that print it. Reads no API key: a command that prints it may ask the user. */
  readonly requestUrl: (
    operation: RequestedOperation,
    values: ArgumentValues,
    request: EncodedRequest
  ) => Effect.Effect<string, UsageError>
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

/** The address of `quarry sandbox serve`. The sandbox in this process has none. */
const sandboxOrigin = "http://127.0.0.1:4000"

/** Connects to the sandbox, or to the configured service. */
export const layerFromSettings = (
  settings: CommandSettings
): Layer.Layer<ApiClients, UsageError, HttpTransport | CommandTerminal> =>
  Layer.scoped(
    ApiClients,
    Effect.gen(function*() {
      const { baseUrl, client, defaultRateLimit, key } = settings.isSandbox
        ? yield* connectToSandbox
        : yield* connectToService(settings)
      const configuredRate = settings.configuration.values.get(rateLimitOption.name)?.value ?? ""
      const rateLimit = Either.getOrElse(RateLimit.parse(configuredRate), () => defaultRateLimit)
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
          const options = { baseUrl: yield* baseUrl(name), rateLimit, userAgent, timeouts, breaker }
          const apiKey = yield* key
          // The ledger API works without a key
          if (apiKey === undefined && operation.api !== "ledger") return yield* new MissingApiKeyError()
          const upstream = yield* Upstream.make(operation.api, { ...options, apiKey }, {
            apiKey: Settings.apiKey,
            baseUrl: baseUrlSettings[name].variable
          }).pipe(
            Effect.provide(services),
            // The options are valid
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
        requestUrl: (operation, values, request) =>
          Effect.gen(function*() {
            const query = [...request.query, ...yield* addedQuery(operation, values)]
            const apiUrl = Either.getOrThrow(
              BaseUrl.normalize(operation.api, yield* baseUrl(upstreamOf(operation, values)))
            )
            const url =
              new URL(apiUrl + request.path + (query.length === 0 ? "" : `?${formatQuery(query)}`)).href
            return settings.isSandbox ? url.replace(new URL(url).origin, sandboxOrigin) : url
          })
      }
    })
  )

/** Of the settings, only a rate limit applies. */
const connectToSandbox = Effect.gen(function*() {
  const terminal = yield* CommandTerminal
  yield* terminal.note(
    styled(terminal.err, "yellow", "sandbox mode: synthetic data, not from any real blockchain")
  )
  const { apiKey, baseUrls, client } = yield* (yield* HttpTransport).sandbox
  return {
    client,
    baseUrl: (upstream: UpstreamName) => Effect.succeed(baseUrls[upstream]),
    key: Effect.succeed(Redacted.make(apiKey)),
    defaultRateLimit: RateLimit.none
  }
})

const connectToService = (settings: CommandSettings) =>
  Effect.gen(function*() {
    const { network } = yield* HttpTransport
    const client = yield* network(settings.sendsManyRequests ? "many-requests" : "few-requests")
    return {
      client: settings.isVerbose ? withCacheLog(client) : client,
      baseUrl: (upstream: UpstreamName) => {
        const configured = configuredBaseUrl(upstream, settings)
        if (configured !== undefined) return Effect.succeed(configured)
        const { name, variable } = baseUrlOption(upstream)
        return new UsageError({
          reason: `${variable} is not set`,
          hint: `run quarry config set ${name} <url>, set ${variable} or --${name} <url>, ${sandboxHint}`
        })
      },
      key: yield* Effect.cached(
        Effect.flatMap(
          findApiKey(settings.configuration),
          (found) => found?.read ?? Effect.succeed(undefined)
        )
      ),
      defaultRateLimit: RateLimit.standard
    }
  })

/** Logs what responses say about the cache of a proxy. Only with `--verbose`, because it makes requests slower. */
const withCacheLog = (client: Layer.Layer<HttpClient.HttpClient>): Layer.Layer<HttpClient.HttpClient> =>
  Layer.map(client, (context) =>
    Context.make(
      HttpClient.HttpClient,
      HttpClient.tap(Context.get(context, HttpClient.HttpClient), ({ headers }) => {
        const cache = headers["cache-status"]
        return cache === undefined
          ? Effect.void
          : Effect.annotateLogs(Effect.logDebug(responseMessage), { cache })
      })
    ))
