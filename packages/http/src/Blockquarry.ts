/**
 * Several APIs over one engine: their clients share rate limits, cooldowns, circuit breakers and the cache.
 *
 * @example
 * import * as Blockquarry from "@blockquarry/http/Blockquarry"
 * import * as DataApi from "@blockquarry/http/DataApi"
 * import * as LedgerApi from "@blockquarry/http/LedgerApi"
 * import * as ResponseCache from "@blockquarry/http/ResponseCache"
 * import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function*() {
 *   const data = yield* DataApi.DataApi
 *   const ledger = yield* LedgerApi.LedgerApi
 *   return yield* Effect.all([data.tokenPrice({ address: "0x…" }), ledger.ledgerTransaction({ txn_hash: "0x…" })])
 * })
 *
 * // Reads QUARRY_API_KEY, QUARRY_BASE_URL and QUARRY_LEDGER_URL.
 * const ApisLive = Blockquarry.layerConfig({ apis: ["data", "ledger"], cache: ResponseCache.standard })
 *
 * const main = program.pipe(Effect.provide(ApisLive), Effect.provide(FetchHttpClient.layer))
 */
import { upstreamNames } from "@blockquarry/core/Upstreams"
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as Arr from "effect/Array"
import * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Api from "./Api.ts"
import type { ApiClient, Operations } from "./ApiClient.ts"
import type { ApiOptions, OptionalKeyApiOptions } from "./ApiOptions.ts"
import type { CacheStore } from "./CacheStore.ts"
import { DataApi } from "./DataApi.ts"
import * as Engine from "./gateway/Engine.ts"
import * as KeySource from "./internal/call/KeySource.ts"
import { LedgerApi } from "./LedgerApi.ts"
import { LedgerTestnetApi } from "./LedgerTestnetApi.ts"
import type { RateLimitStore } from "./RateLimitStore.ts"
import { StreamsApi } from "./StreamsApi.ts"

/** The engine that the APIs share. Its members may change in any release; the tag does not. */
export { Engine } from "./gateway/Engine.ts"

/** The APIs by their names. */
export interface Apis {
  readonly data: DataApi
  readonly streams: StreamsApi
  readonly ledger: LedgerApi
  readonly ledgerTestnet: LedgerTestnetApi
}

/** Options that apply to every API, and the stores of the engine. */
export interface SharedOptions<E = never, R = never> extends Omit<ApiOptions, "apiKey" | "baseUrl"> {
  /**
   * The stores of the cache and the rate limits, such as `RedisStores.layerConfig()` of `@blockquarry/redis`. Default: in
   * the memory of this process.
   */
  readonly stores?: Layer.Layer<CacheStore | RateLimitStore, E, R> | undefined
}

/** Base URLs by API. */
export type BaseUrls = { readonly [A in keyof Apis]?: ApiOptions["baseUrl"] }

/** Provides an API for each of `baseUrls`, and their engine, for `Api.layerWithEngine`. Fails with a `ConfigError` if an option is invalid. */
export const layer = <const Urls extends BaseUrls, E = never, R = never>(
  options: SharedOptions<E, R> & {
    readonly apiKey: ApiOptions["apiKey"]
    readonly baseUrls:
      & Urls
      & { readonly [A in keyof Urls]-?: A extends keyof Apis ? ApiOptions["baseUrl"] : never }
  }
): Layer.Layer<
  Apis[keyof Urls & keyof Apis] | Engine.Engine,
  ConfigError.ConfigError | E,
  HttpClient.HttpClient | R
> => {
  // JavaScript programs have no types.
  const given: unknown = options
  if (!Predicate.isRecord(given) || !Predicate.isRecord(given["baseUrls"])) {
    const expected = `expected an object with base URLs of ${upstreamNames.join(", ")}`
    return Layer.fail(ConfigError.MissingData(["baseUrls"], expected))
  }
  const { baseUrls, stores, ...others } = options
  return overOneEngine<Apis[keyof Urls & keyof Apis], E, R>(
    upstreamNames.filter((name) => baseUrls[name] !== undefined),
    stores,
    Effect.map(
      withSharedKeys(others),
      (shared) => (api, name) => Api.make(api, { ...shared, baseUrl: baseUrls[name] ?? "" }, settingsOf(name))
    )
  )
}

/** Provides the APIs `apis` and their engine, for `Api.layerWithEngine`: each from the variables of its own `layerConfig` and from options. */
export const layerConfig = <
  const Names extends Arr.NonEmptyReadonlyArray<keyof Apis>,
  E = never,
  R = never
>(
  options: SharedOptions<E, R> & {
    /** A list of literals, as in `["data", "ledger"]`. */
    readonly apis: Names
    readonly apiKey?: ApiOptions["apiKey"] | undefined
    readonly baseUrls?: BaseUrls | undefined
  }
): Layer.Layer<ApisOf<Names> | Engine.Engine, ConfigError.ConfigError | E, HttpClient.HttpClient | R> => {
  const { apis, baseUrls = {}, stores, ...others } = options
  return overOneEngine<ApisOf<Names>, E, R>(
    apis,
    stores,
    Effect.map(
      withSharedKeys(others),
      (shared) => (api, name) => Api.makeConfig(api, { ...shared, baseUrl: baseUrls[name] }, settingsOf(name))
    )
  )
}

/** If an effect reads the API keys, it does so once for all APIs. */
const withSharedKeys = <Options extends Pick<OptionalKeyApiOptions, "apiKey" | "apiKeyTtl">>(
  options: Options
): Effect.Effect<Options, ConfigError.ConfigError> =>
  Effect.isEffect(options.apiKey)
    ? Effect.map(KeySource.make(options.apiKey, options.apiKeyTtl), (apiKey) => ({ ...options, apiKey }))
    : Effect.succeed(options)

const settingsOf = (name: keyof Apis) => ({ baseUrl: `baseUrls.${name}` })

/** A list whose length is unknown provides nothing: the compiler cannot tell which APIs it contains. */
type ApisOf<Names extends ReadonlyArray<keyof Apis>> = number extends Names["length"] ? never
  : Apis[Names[number]]

type ClientLayer<Api> = Layer.Layer<Api, ConfigError.ConfigError, Engine.Engine | HttpClient.HttpClient>

type MakeClient = <Self, Ops extends Operations, Key extends Api.ApiKeyRequirement>(
  api: Api.Api<Self, Ops, Key>,
  name: keyof Apis
) => Effect.Effect<ApiClient<Ops>, ConfigError.ConfigError, Engine.Engine | HttpClient.HttpClient>

/** Merges the selected clients over an engine that is not shared with any other layer. */
const overOneEngine = <Provided, E, R>(
  names: ReadonlyArray<keyof Apis>,
  stores: SharedOptions<E, R>["stores"],
  makeClient: Effect.Effect<MakeClient, ConfigError.ConfigError>
): Layer.Layer<Provided | Engine.Engine, ConfigError.ConfigError | E, HttpClient.HttpClient | R> => {
  const engine = stores === undefined ? Engine.layer : Layer.provide(Engine.layerWithStores, stores)
  const clients = Effect.map(makeClient, (make) => {
    const clients: { readonly [A in keyof Apis]: ClientLayer<Apis[A]> } = {
      data: Layer.effect(DataApi, make(DataApi, "data")),
      streams: Layer.effect(StreamsApi, make(StreamsApi, "streams")),
      ledger: Layer.effect(LedgerApi, make(LedgerApi, "ledger")),
      ledgerTestnet: Layer.effect(LedgerTestnetApi, make(LedgerTestnetApi, "ledgerTestnet"))
    }
    const selected = names.map((name): ClientLayer<never> => clients[name])
    // `Provided` are the tags of `names`; `test/Blockquarry.test.ts` builds every selection.
    return selected.reduce((one, other) => Layer.merge(one, other), Layer.empty) as ClientLayer<Provided>
  })
  return Layer.provideMerge(Layer.unwrapEffect(clients), Layer.fresh(engine))
}
