/**
 * The ledger API on the main network: transactions by hash.
 *
 * @since 0.1.0
 */
import type { ledgerOperations } from "@blockquarry/core/Operations"
import type * as HttpClient from "@effect/platform/HttpClient"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ApiClient, TestDoubles } from "./ApiClient.ts"
import type { OptionalKeyApiOptions, Overrides } from "./ApiOptions.ts"
import type { Engine } from "./Engine.ts"
import * as ClientConstructors from "./internal/ClientConstructors.ts"

/**
 * The client of the ledger API on the main network: one function for each operation.
 *
 * @since 0.1.0
 * @category models
 */
export interface LedgerApiService extends ApiClient<typeof ledgerOperations> {}

/**
 * The tag of the client of the ledger API on the main network.
 *
 * @since 0.1.0
 * @category tags
 */
export class LedgerApi extends Context.Tag("@blockquarry/http/LedgerApi")<LedgerApi, LedgerApiService>() {}

/**
 * Makes the client of the ledger API on the main network over the engine in context.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: OptionalKeyApiOptions
): Effect.Effect<LedgerApiService, ConfigError, Engine | HttpClient.HttpClient> =>
  ClientConstructors.make(ClientConstructors.ledger, options)

/**
 * The client of the ledger API on the main network, from options. Fails with a `ConfigError` if an option is invalid.
 *
 * The client shares rate limits, circuit breakers and cache with no other layer; `Blockquarry.layer` shares them.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: OptionalKeyApiOptions
): Layer.Layer<LedgerApi, ConfigError, HttpClient.HttpClient> =>
  ClientConstructors.withOwnEngine(layerWithEngine(options))

/**
 * The client of the ledger API on the main network over the engine in context, from options.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerWithEngine = (
  options: OptionalKeyApiOptions
): Layer.Layer<LedgerApi, ConfigError, Engine | HttpClient.HttpClient> =>
  Layer.effect(LedgerApi, make(options))

/**
 * The client of the ledger API on the main network, from environment variables:
 * `QUARRY_API_KEY` (optional), `QUARRY_LEDGER_URL` and `QUARRY_RATE_LIMIT`. Options take precedence over them.
 *
 * Fails with a `ConfigError` that names the variable if the base URL is missing or if a value is invalid.
 *
 * @example
 * import * as LedgerApi from "@blockquarry/http/LedgerApi"
 * import * as ResponseCache from "@blockquarry/http/ResponseCache"
 *
 * // The environment, and a cache
 * const LedgerApiLive = LedgerApi.layerConfig({ cache: ResponseCache.standard })
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  options: Overrides<OptionalKeyApiOptions> = {}
): Layer.Layer<LedgerApi, ConfigError, HttpClient.HttpClient> =>
  ClientConstructors.withOwnEngine(
    Layer.effect(LedgerApi, ClientConstructors.makeConfig(ClientConstructors.ledger, options))
  )

/**
 * A client for tests. Operations without a test double die with a message that names them. Inputs are validated, and
 * `.pages` and `.items` call the test double for each page.
 *
 * @example
 * import * as LedgerTransaction from "@blockquarry/core/model/LedgerTransaction"
 * import * as LedgerApi from "@blockquarry/http/LedgerApi"
 * import * as Effect from "effect/Effect"
 *
 * const LedgerApiTest = LedgerApi.layerTest({
 *   ledgerTransaction: () => Effect.succeed(LedgerTransaction.example({ success: false }))
 * })
 *
 * @since 0.1.0
 * @category testing
 */
export const layerTest = (doubles: TestDoubles<typeof ledgerOperations>): Layer.Layer<LedgerApi> =>
  Layer.sync(LedgerApi, () => ClientConstructors.makeTest(ClientConstructors.ledger, doubles))
