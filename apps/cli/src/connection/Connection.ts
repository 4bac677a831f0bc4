/** How a command reaches the upstreams: the HTTP client, and the base URL, API key and rate limit of each. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import { type EncodedRequest, formatQuery } from "@blockquarry/core/RequestEncoding"
import { baseUrlSettings, type UpstreamName } from "@blockquarry/core/Upstreams"
import * as ApiOptions from "@blockquarry/http/ApiOptions"
import * as BaseUrl from "@blockquarry/http/gateway/BaseUrl"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { type ArgumentValues, singleValue } from "../args/ArgumentValues.ts"
import { networkOption, rateLimitOption } from "../args/GlobalOptions.ts"
import { addedQuery } from "../args/QueryOption.ts"
import { findApiKey } from "../config/ApiKey.ts"
import type { CommandSettings } from "../config/Configuration.ts"
import { type ConfigFileError, MissingApiKeyError, sandboxHint, UsageError } from "../errors/CommandError.ts"
import { styled } from "../terminal/StreamInfo.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { responseMessage } from "../terminal/VerboseLog.ts"
import { baseUrlOption } from "../text/BaseUrlOptions.ts"
import { HttpTransport } from "./HttpTransport.ts"

export const userAgent = `quarry ${ApiOptions.userAgent}`

export type ConnectionError = MissingApiKeyError | UsageError | ConfigFileError

/** What the client of an upstream needs. The ledger API works without a key. */
interface Endpoint {
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted | undefined
  readonly rateLimit: RateLimit.RateLimit
  readonly userAgent: string
}

/** What a request needs of an operation; a request that none describes has it as well. */
export type RequestedOperation = Pick<AnyOperation, "api" | "id" | "parameters">

export interface Connection {
  readonly client: Layer.Layer<HttpClient.HttpClient>
  /** Returns the URL of a request, for commands that print it. Reads no API key: a command that prints it may ask the user. */
  readonly requestUrl: (
    operation: RequestedOperation,
    values: ArgumentValues,
    request: EncodedRequest
  ) => Effect.Effect<string, UsageError>
  readonly endpoint: (upstream: UpstreamName) => Effect.Effect<Endpoint, ConnectionError>
}

/** The address of `quarry sandbox serve`. The sandbox in this process has none. */
const sandboxOrigin = "http://127.0.0.1:4000"

/** Connects to the sandbox, or to the configured service. */
export const connect = (
  settings: CommandSettings
): Effect.Effect<Connection, UsageError, HttpTransport | CommandTerminal> =>
  Effect.gen(function*() {
    const { baseUrl, client, defaultRateLimit, key } = settings.isSandbox
      ? yield* connectToSandbox
      : yield* connectToService(settings)
    const configuredRate = settings.configuration.values.get(rateLimitOption.name)?.value ?? ""
    const rateLimit = Either.getOrElse(RateLimit.parse(configuredRate), () => defaultRateLimit)
    return {
      client,
      requestUrl: (operation, values, request) =>
        Effect.gen(function*() {
          const query = [...request.query, ...yield* addedQuery(operation, values)]
          const apiUrl = Either.getOrThrow(
            BaseUrl.normalize(operation.api, yield* baseUrl(upstreamOf(operation, values)))
          )
          const url =
            new URL(apiUrl + request.path + (query.length === 0 ? "" : `?${formatQuery(query)}`)).href
          return settings.isSandbox ? url.replace(new URL(url).origin, sandboxOrigin) : url
        }),
      endpoint: (upstream) =>
        Effect.gen(function*() {
          const url = yield* baseUrl(upstream)
          const apiKey = yield* key
          if (apiKey === undefined && baseUrlSettings[upstream].api !== "ledger") {
            return yield* new MissingApiKeyError()
          }
          return { baseUrl: url, apiKey, rateLimit, userAgent }
        })
    }
  })

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

const configuredBaseUrl = (
  upstream: UpstreamName,
  { configuration }: CommandSettings
): string | undefined => configuration.values.get(baseUrlOption(upstream).name)?.value

/**
 * Returns the origin of the service of an operation, without credentials: lists of different services are different.
 * The sandbox has none.
 */
export const serviceOf = (
  operation: Pick<AnyOperation, "api">,
  { settings, values }: { readonly settings: CommandSettings; readonly values: ArgumentValues }
): { readonly service?: string } => {
  const baseUrl = configuredBaseUrl(upstreamOf(operation, values), settings)
  return settings.isSandbox || baseUrl === undefined ? {} : { service: new URL(baseUrl).origin }
}

/** Returns the upstream of an operation. `--network` selects between those of the ledger API. */
export const upstreamOf = ({ api }: Pick<AnyOperation, "api">, values: ArgumentValues): UpstreamName =>
  api === "ledger" && singleValue(values, networkOption.name) === "testnet" ? "ledgerTestnet" : api
