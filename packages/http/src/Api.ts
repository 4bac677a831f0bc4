/**
 * APIs: records of operations as services, with layers for programs and for tests. `DataApi`, `StreamsApi`, `LedgerApi` and
 * `LedgerTestnetApi` are made with this module, and so are APIs of operations that a program describes.
 *
 * @example
 * import { Address } from "@blockquarry/core/Address"
 * import { inputSchema } from "@blockquarry/core/InputSchema"
 * import { get } from "@blockquarry/core/Operation"
 * import { MaxAge } from "@blockquarry/core/Ttl"
 * import * as Api from "@blockquarry/http/Api"
 * import { DataApi } from "@blockquarry/http/DataApi"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const walletStats = get({
 *   id: "walletStats",
 *   api: "data",
 *   path: "/wallets/:address/stats",
 *   input: inputSchema({ address: Address }),
 *   output: Schema.Struct({ nfts: Schema.NumberFromString }),
 *   ttl: () => MaxAge({ duration: "1 minute" }),
 *   cost: 10,
 *   docs: { summary: "Count the NFTs of a wallet" }
 * })
 *
 * class WalletApi extends Api.Tag<WalletApi>()("my-app/WalletApi", { operations: { walletStats } }) {}
 *
 * const countNfts = (address: string) =>
 *   Effect.map(Effect.flatMap(WalletApi, (api) => api.walletStats({ address })), ({ nfts }) => nfts)
 *
 * // On the base URL, API keys, policies, limits and cache of DataApi
 * const WalletApiLive = Api.layerOn(WalletApi, DataApi)
 */
import { operationId } from "@blockquarry/core/ApiRequest"
import { mismatchOf } from "@blockquarry/core/Decoder"
import type { AnyOperation, ApiName, Operation } from "@blockquarry/core/Operation"
import type { OperationError } from "@blockquarry/core/OperationError"
import { baseUrlSettings } from "@blockquarry/core/Upstreams"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Arr from "effect/Array"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Rec from "effect/Record"
import * as Schema from "effect/Schema"
import * as ApiClient from "./ApiClient.ts"
import type { ApiOptions, ConfigOptions, OptionalKeyApiOptions } from "./ApiOptions.ts"
import * as Engine from "./gateway/Engine.ts"
import { hasMembers } from "./gateway/Options.ts"
import * as Settings from "./gateway/Settings.ts"
import * as Upstream from "./gateway/Upstream.ts"
import type { Executor } from "./internal/call/Executor.ts"

/** An API: the tag of its client, with its operations. `Key` says whether it needs an API key. */
export interface Api<
  in out Self,
  in out Operations extends ApiClient.Operations,
  out Key extends ApiKeyRequirement
> extends ApiSpec<Operations, Key>, Context.Tag<Self, ApiClient.ApiClient<Operations>> {}

/** The class that the tag of an API extends. */
export interface TagClass<
  in out Self,
  Id extends string,
  in out Operations extends ApiClient.Operations,
  out Key extends ApiKeyRequirement
> extends Api<Self, Operations, Key> {
  new(_: never): Context.TagClassShape<Id, ApiClient.ApiClient<Operations>>
  readonly key: Id
}

/** Whether an API needs an API key. */
export type ApiKeyRequirement = "required" | "optional"

/** The description of an API. */
export interface ApiSpec<in out Operations extends ApiClient.Operations, out Key extends ApiKeyRequirement> {
  /** The operations under the names of their functions. All belong to the same one of the three APIs. */
  readonly operations: Operations
  /** Without an API key, requests are sent without the `x-api-key` header. Default: `required`. */
  readonly apiKey?: Key | undefined
  /** The environment variable of the base URL. Default: that of the API of the operations, such as `QUARRY_BASE_URL`. */
  readonly baseUrlVariable?: string | undefined
}

/** The options of an API with this requirement. */
export type OptionsOf<Key extends ApiKeyRequirement> = Key extends "required" ? ApiOptions
  : OptionalKeyApiOptions

/** Creates the tag of an API. */
export const Tag = <Self>() =>
<
  const Id extends string,
  Operations extends ApiClient.Operations,
  Key extends ApiKeyRequirement = "required"
>(
  id: Id,
  // `request` is the function for requests that no operation describes.
  { apiKey, baseUrlVariable, operations }: ApiSpec<Operations & { readonly request?: never }, Key>
): TagClass<Self, Id, Operations, Key> =>
  Object.assign(Context.Tag(id)<Self, ApiClient.ApiClient<Operations>>(), {
    apiKey,
    baseUrlVariable,
    operations
  })

/** Makes the client of an API over the engine in context. `settings` replace the names of options in the errors of calls. */
export const make = <Self, Operations extends ApiClient.Operations, Key extends ApiKeyRequirement>(
  api: Api<Self, Operations, Key>,
  options: OptionsOf<Key>,
  settings: Partial<Upstream.Settings> = {}
): ClientEffect<Operations> =>
  Effect.gen(function*() {
    const given: OptionalKeyApiOptions = options
    yield* requireObject(given)
    if (api.apiKey !== "optional" && given.apiKey === undefined) {
      return yield* Effect.fail(ConfigError.MissingData(["apiKey"], "expected Redacted.make(\"…\")"))
    }
    const engine = yield* Engine.Engine
    const upstream = yield* Upstream.make(yield* nameOf(api), given, {
      ...Upstream.optionSettings,
      ...settings
    })
    return ApiClient.make(
      api.operations,
      <I, InputEncoded, Output, OutputEncoded>(
        operation: Operation<I, InputEncoded, Output, OutputEncoded>
      ) => engine.decoded(operation, upstream)
    )
  })

/** Makes the client of an API over the engine in context, from environment variables and options: see `layerConfig`. */
export const makeConfig = <Self, Operations extends ApiClient.Operations>(
  api: Api<Self, Operations, ApiKeyRequirement>,
  options: ConfigOptions = {},
  settings: Partial<Upstream.Settings> = {}
): ClientEffect<Operations> =>
  Effect.gen(function*() {
    yield* requireObject(options)
    const name = yield* nameOf(api)
    const { baseUrlVariable = baseUrlSettings[name].variable } = api
    const configured = yield* unwrap({
      ...options,
      baseUrl: options.baseUrl === undefined
        ? Settings.baseUrlConfig(name, baseUrlVariable)
        : options.baseUrl,
      apiKey: options.apiKey !== undefined
        ? options.apiKey
        : api.apiKey === "optional"
        ? Settings.optionalApiKeyConfig
        : Settings.apiKeyConfig,
      rateLimit: options.rateLimit === undefined ? Settings.rateLimitConfig : options.rateLimit
    })
    // Like any effect, a `Config` of the API key is read again.
    const apiKey = Config.isConfig(options.apiKey) ? options.apiKey : configured.apiKey
    return yield* make(api, { ...configured, apiKey }, {
      ...settings,
      ...options.baseUrl === undefined ? { baseUrl: baseUrlVariable } : {},
      ...options.apiKey === undefined ? { apiKey: Settings.apiKey } : {}
    })
  })

/**
 * The client of an API, from options. Fails with a `ConfigError` if an option is invalid. It shares rate limits, circuit breakers
 * and cache with no other layer: `layerOn`, `layerWithEngine` and `Blockquarry.layer` share them.
 */
export const layer = <Self, Operations extends ApiClient.Operations, Key extends ApiKeyRequirement>(
  api: Api<Self, Operations, Key>,
  options: OptionsOf<Key>
): Layer.Layer<Self, ConfigError.ConfigError, HttpClient.HttpClient> =>
  withOwnEngine(layerWithEngine(api, options))

/**
 * The client of an API over the engine in context, from options. Clients over one engine share the rate limit of an API key at a
 * base URL, the circuit breaker of the base URL, and the cache.
 */
export const layerWithEngine = <Self, Operations extends ApiClient.Operations, Key extends ApiKeyRequirement>(
  api: Api<Self, Operations, Key>,
  options: OptionsOf<Key>
): Layer.Layer<Self, ConfigError.ConfigError, Engine.Engine | HttpClient.HttpClient> =>
  Layer.effect(api, make(api, options))

/**
 * The client of an API, from environment variables: `QUARRY_API_KEY`, the variable of the base URL, such as `QUARRY_BASE_URL`,
 * and `QUARRY_RATE_LIMIT`. Options take precedence over them; each is a value, or a `Config` that reads it from elsewhere.
 *
 * Fails with a `ConfigError` that names the variable if a required one is missing or if a value is invalid.
 *
 * @example
 * import * as Api from "@blockquarry/http/Api"
 * import { DataApi } from "@blockquarry/http/DataApi"
 * import * as Config from "effect/Config"
 *
 * const DataApiLive = Api.layerConfig(DataApi, {
 *   apiKey: Config.redacted("MY_API_KEY").pipe(Config.orElse(() => Config.redacted("QUARRY_API_KEY"))),
 *   retry: { attempts: Config.integer("MY_ATTEMPTS").pipe(Config.withDefault(3)) },
 *   cache: {}
 * })
 */
export const layerConfig = <Self, Operations extends ApiClient.Operations>(
  api: Api<Self, Operations, ApiKeyRequirement>,
  options?: ConfigOptions
): Layer.Layer<Self, ConfigError.ConfigError, HttpClient.HttpClient> =>
  withOwnEngine(Layer.effect(api, makeConfig(api, options)))

/**
 * The client of an API on another API: it has the same base URL, API keys and policies, and shares the rate limits, circuit
 * breaker and cache of the client in context.
 *
 * Fails with a `ConfigError` if that client was not made by a layer of this package, or if the operations belong to different
 * APIs.
 */
export const layerOn = <
  Self,
  Operations extends ApiClient.Operations,
  Other,
  OtherOperations extends ApiClient.Operations
>(
  api: Api<Self, Operations, ApiKeyRequirement>,
  other: Api<Other, OtherOperations, ApiKeyRequirement>
): Layer.Layer<Self, ConfigError.ConfigError, Other> =>
  Layer.effect(
    api,
    Effect.gen(function*() {
      const [name, otherName] = yield* Effect.all([nameOf(api), nameOf(other)])
      if (name !== otherName) {
        return yield* invalidOperations(
          api,
          `expected operations of the API ${otherName}, as in ${other.key}, got ${name}`
        )
      }
      const executor = ApiClient.executorOf(yield* other)
      return executor === undefined
        ? yield* invalidOperations(
          api,
          `the client of ${other.key} was not made by a layer of @blockquarry/http`
        )
        : ApiClient.make(api.operations, executor)
    })
  )

/**
 * A client for tests. Operations without a test double die with a message that names them. Inputs are validated, and
 * `.pages` and `.items` call the test double for each page.
 */
export const layerTest = <Self, Operations extends ApiClient.Operations>(
  api: Api<Self, Operations, ApiKeyRequirement>,
  doubles: ApiClient.TestDoubles<Operations>
): Layer.Layer<Self> => Layer.sync(api, () => ApiClient.make(api.operations, testExecutor(api, doubles)))

type ClientEffect<Operations extends ApiClient.Operations> = Effect.Effect<
  ApiClient.ApiClient<Operations>,
  ConfigError.ConfigError,
  Engine.Engine | HttpClient.HttpClient
>

type AnyApi = Pick<Api<never, never, ApiKeyRequirement>, "key"> & {
  readonly operations: ApiClient.Operations
}

/** Fails for options that the types exclude: JavaScript programs have none. */
const requireObject = (options: unknown): Effect.Effect<void, ConfigError.ConfigError> =>
  Predicate.isRecord(options)
    ? Effect.void
    : Effect.fail(ConfigError.InvalidData(["options"], "expected an object"))

/** Returns which of the three APIs the operations belong to. */
const nameOf = (api: AnyApi): Effect.Effect<ApiName, ConfigError.ConfigError> => {
  const [name, ...others] = Arr.dedupe(Object.values(api.operations).map((operation) => operation.api))
  return name === undefined || others.length > 0
    ? invalidOperations(
      api,
      `expected operations of one API, got ${[name ?? "none", ...others].join(" and ")}`
    )
    : Effect.succeed(name)
}

const invalidOperations = ({ key }: AnyApi, reason: string): Effect.Effect<never, ConfigError.ConfigError> =>
  Effect.fail(ConfigError.InvalidData([key, "operations"], reason))

/** Reads the options that are a `Config`, or that have members which are. */
const unwrap = (options: ConfigOptions): Config.Config<OptionalKeyApiOptions> =>
  // `ConfigOptions` states the types of the options; `Upstream.make` validates their values.
  toConfig(options) as Config.Config<OptionalKeyApiOptions>

const toConfig = (value: unknown): Config.Config<unknown> =>
  Config.isConfig(value)
    ? value
    : isOptions(value)
    ? Config.all(Rec.map(value, toConfig))
    : Config.succeed(value)

/** Whether a value is an object of options. `Config.all` takes no empty one. */
const isOptions = (value: unknown): value is Readonly<Record<string, unknown>> =>
  hasMembers(value) && Object.keys(value).length > 0

/**
 * Provides an engine that is not shared with any other layer. Without `fresh`, layers that are built together would
 * share one through memoisation.
 */
const withOwnEngine = <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, Exclude<R, Engine.Engine>> =>
  Layer.provide(layer, Layer.fresh(Engine.layer))

/**
 * Executes operations with test doubles. A missing test double and an invalid output are defects: they are mistakes of the
 * test, which must not look like an error of the operation.
 */
const testExecutor = <Operations extends ApiClient.Operations>(
  { key, operations }: AnyApi & { readonly operations: Operations },
  doubles: ApiClient.TestDoubles<Operations>
): Executor => {
  const module = key.slice(key.lastIndexOf("/") + 1)
  // Each is called with the input of its operation.
  const functions: object = doubles
  const given = new Map<string, TestDouble>(Object.entries(functions))
  const names = new Map(
    Object.entries(operations).map(([name, operation]): readonly [AnyOperation, string] => [operation, name])
  )
  return (operation) => (input) => {
    const { decode, id, output } = operation
    const name = names.get(operation) ?? id
    const double = given.get(name)
    if (double === undefined) {
      return Effect.dieMessage(
        `no test double for ${id}. Provide one: ${module}.layerTest({ ${name}: () => Effect.succeed(…) })`
      )
    }
    // The compiler checks the type of the output; this checks its values. A request has a JSON document.
    const check = name === operationId ? decode : Schema.validate(output)
    return Effect.flatMap(
      double(input),
      (response) =>
        Effect.catchAll(check(response), (error) => {
          const { path, reason } = mismatchOf(error)
          return Effect.dieMessage(
            `the test double of ${id} in ${module}.layerTest returned an invalid output` +
              `${path === "" ? "" : ` at ${path}`}: ${reason}`
          )
        })
    )
  }
}

type TestDouble = (input: unknown) => Effect.Effect<unknown, OperationError>
