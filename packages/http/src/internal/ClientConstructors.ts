/** Constructors of the API clients: from options, environment variables or test doubles. */
import type { AnyOperation, ApiName, Operation } from "@blockquarry/core/Operation"
import type { OperationError } from "@blockquarry/core/OperationError"
import { dataOperations, ledgerOperations, streamsOperations } from "@blockquarry/core/Operations"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as ApiClient from "../ApiClient.ts"
import type { OptionalKeyApiOptions, Overrides } from "../ApiOptions.ts"
import * as Settings from "../Settings.ts"
// Not as members of `Settings`: bundlers would keep the specs of all APIs.
import * as Engine from "../Engine.ts"
import { baseUrl, ledgerTestnetUrl, ledgerUrl, streamsUrl } from "../Settings.ts"
import * as Upstream from "../Upstream.ts"
import { shapeMismatch } from "./attempt/ErrorDetails.ts"

/** An API with its operations and its environment variables. */
export interface ApiSpec<Ops extends Readonly<Record<string, AnyOperation>>> {
  readonly api: ApiName
  /** The name of the public module. */
  readonly module: string
  readonly operations: Ops
  /** The environment variable of the base URL. */
  readonly baseUrlVariable: string
}

export const data: ApiSpec<typeof dataOperations> = {
  api: "data",
  module: "DataApi",
  operations: dataOperations,
  baseUrlVariable: baseUrl
}

export const streams: ApiSpec<typeof streamsOperations> = {
  api: "streams",
  module: "StreamsApi",
  operations: streamsOperations,
  baseUrlVariable: streamsUrl
}

export const ledger: ApiSpec<typeof ledgerOperations> = {
  api: "ledger",
  module: "LedgerApi",
  operations: ledgerOperations,
  baseUrlVariable: ledgerUrl
}

export const ledgerTestnet: ApiSpec<typeof ledgerOperations> = {
  api: "ledger",
  module: "LedgerTestnetApi",
  operations: ledgerOperations,
  baseUrlVariable: ledgerTestnetUrl
}

/** The ledger API works without an API key. */
const needsApiKey = ({ api }: { readonly api: ApiName }): boolean => api !== "ledger"

/** Fails for options that the types exclude: JavaScript programs have none. */
const requireOptions = (
  options: unknown,
  isApiKeyRequired: boolean
): Effect.Effect<void, ConfigError.ConfigError> =>
  !Predicate.isRecord(options)
    ? Effect.fail(ConfigError.InvalidData(["options"], "expected an object"))
    : isApiKeyRequired && options["apiKey"] === undefined
    ? Effect.fail(ConfigError.MissingData(["apiKey"], "expected Redacted.make(\"…\")"))
    : Effect.void

/** Makes a client from options. `settings` name those that differ from `Upstream.optionSettings`. */
export const make = <Ops extends Readonly<Record<string, AnyOperation>>>(
  spec: ApiSpec<Ops>,
  options: OptionalKeyApiOptions,
  settings: Partial<Upstream.Settings> = {}
): Effect.Effect<ApiClient.ApiClient<Ops>, ConfigError.ConfigError, Engine.Engine | HttpClient.HttpClient> =>
  Effect.gen(function*() {
    yield* requireOptions(options, needsApiKey(spec))
    const engine = yield* Engine.Engine
    const upstream = yield* Upstream.make(spec.api, options, { ...Upstream.optionSettings, ...settings })
    return ApiClient.make(
      spec.operations,
      <I, InputEncoded, Output, OutputEncoded>(
        operation: Operation<I, InputEncoded, Output, OutputEncoded>
      ) => engine.decoded(operation, upstream)
    )
  })

/** Makes a client from options, and from environment variables where an option is omitted. */
export const makeConfig = <Ops extends Readonly<Record<string, AnyOperation>>>(
  spec: ApiSpec<Ops>,
  options: Overrides<OptionalKeyApiOptions>,
  settings: Partial<Upstream.Settings> = {}
): Effect.Effect<
  ApiClient.ApiClient<Ops>,
  ConfigError.ConfigError,
  Engine.Engine | HttpClient.HttpClient
> =>
  Effect.gen(function*() {
    yield* requireOptions(options, false)
    const { apiKey, rateLimit } = options
    const configured = yield* Config.all({
      baseUrl: options.baseUrl === undefined
        ? Settings.baseUrlConfig(spec.api, spec.baseUrlVariable)
        : Config.succeed(options.baseUrl),
      apiKey: apiKey !== undefined
        ? Config.succeed(apiKey)
        : needsApiKey(spec)
        ? Settings.apiKeyConfig
        : Settings.optionalApiKeyConfig,
      rateLimit: rateLimit === undefined ? Settings.rateLimitConfig : Config.succeed(rateLimit)
    })
    return yield* make(spec, { ...options, ...configured }, {
      ...settings,
      ...options.baseUrl === undefined ? { baseUrl: spec.baseUrlVariable } : {},
      ...apiKey === undefined ? { apiKey: Settings.apiKey } : {}
    })
  })

/**
 * Makes a client of test doubles. Inputs are decoded and lists are paginated as with a real client. A missing test double
 * and an invalid output are defects: they are mistakes of the test, which must not look like an error of the operation.
 */
export const makeTest = <Ops extends Readonly<Record<string, AnyOperation>>>(
  { module, operations }: ApiSpec<Ops>,
  doubles: ApiClient.TestDoubles<Ops>
): ApiClient.ApiClient<Ops> => {
  const doubleOf = new Map<string, (input: unknown) => Effect.Effect<unknown, OperationError>>(
    Object.entries(doubles)
  )
  return ApiClient.make(
    operations,
    <I, InputEncoded, Output, OutputEncoded>(
      { id, output }: Operation<I, InputEncoded, Output, OutputEncoded>
    ) =>
    (input: I) => {
      const double = doubleOf.get(id)
      if (double === undefined) {
        return Effect.dieMessage(
          `no test double for ${id}. Provide one: ${module}.layerTest({ ${id}: () => Effect.succeed(…) })`
        )
      }
      // The compiler checks the type of the output; this checks its values.
      return Effect.flatMap(double(input), (response) =>
        Effect.catchAll(
          Schema.validate(output)(response),
          (error) => {
            const { path, reason } = shapeMismatch(error, null, Redacted.make(""))
            return Effect.dieMessage(
              `the test double of ${id} in ${module}.layerTest returned an invalid output` +
                `${path === "" ? "" : ` at ${path}`}: ${reason}`
            )
          }
        ))
    }
  )
}

/**
 * Provides an engine that is not shared with any other layer. Without `fresh`, layers that are built together would
 * share one through memoisation.
 */
export const withOwnEngine = <A, E, R>(
  layer: Layer.Layer<A, E, R>
): Layer.Layer<A, E, Exclude<R, Engine.Engine>> => Layer.provide(layer, Layer.fresh(Engine.layer))
