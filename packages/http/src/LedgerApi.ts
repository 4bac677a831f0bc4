/**
 * The ledger API: transactions by hash, on the main network and on the test network.
 *
 * @since 0.1.0
 */
import { ledgerOperations } from "@blockquarry/core/Operations"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ApiClient from "./ApiClient.ts"
import type { ApiOptions } from "./ApiOptions.ts"
import * as Engine from "./internal/pipeline/Engine.ts"
import * as Upstream from "./internal/pipeline/Upstream.ts"
import * as Settings from "./Settings.ts"

/**
 * The two networks are two base addresses.
 *
 * @since 0.1.0
 * @category models
 */
export interface LedgerApiOptions extends ApiOptions {
  readonly testnetUrl: string | URL | undefined
}

/**
 * The main network's client, with the test network's beside it.
 *
 * @since 0.1.0
 * @category models
 */
export interface LedgerApiService extends ApiClient.ApiClient<typeof ledgerOperations> {
  readonly testnet: ApiClient.ApiClient<typeof ledgerOperations>
}

/**
 * @since 0.1.0
 * @category tags
 */
export class LedgerApi extends Context.Tag("@blockquarry/http/LedgerApi")<LedgerApi, LedgerApiService>() {}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: LedgerApiOptions
): Effect.Effect<LedgerApiService, never, Engine.Engine | HttpClient.HttpClient> =>
  Effect.gen(function*() {
    const engine = yield* Engine.Engine
    const mainnet = yield* Upstream.make("ledger", options, Settings.ledgerUrl)
    const testnet = yield* Upstream.make(
      "ledger",
      { ...options, baseUrl: options.testnetUrl },
      Settings.ledgerTestnetUrl
    )
    return {
      ...ApiClient.make(ledgerOperations, engine, mainnet),
      testnet: ApiClient.make(ledgerOperations, engine, testnet)
    }
  })

/**
 * The client of the ledger API, from options.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: LedgerApiOptions): Layer.Layer<LedgerApi, never, HttpClient.HttpClient> =>
  Layer.provide(layerWithEngine(options), Engine.layer)

/**
 * The client of the ledger API over an engine of yours: one that shares its stores, say.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerWithEngine = (
  options: LedgerApiOptions
): Layer.Layer<LedgerApi, never, Engine.Engine | HttpClient.HttpClient> =>
  Layer.effect(LedgerApi, make(options))

/**
 * The client of the ledger API, from configuration: `QUARRY_API_KEY`, `QUARRY_LEDGER_URL` and
 * `QUARRY_LEDGER_TESTNET_URL` where nothing else is said.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  config: Config.Config.Wrap<LedgerApiOptions> = Settings.ledger
): Layer.Layer<LedgerApi, ConfigError, HttpClient.HttpClient> =>
  Layer.unwrapEffect(Effect.map(Config.unwrap(config), layer))
