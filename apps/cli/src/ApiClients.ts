/** Provides the clients of the APIs. */
import type { DataApiService } from "@blockquarry/http/DataApi"
import type { LedgerApiService } from "@blockquarry/http/LedgerApi"
import type { LedgerTestnetApiService } from "@blockquarry/http/LedgerTestnetApi"
import type { StreamsApiService } from "@blockquarry/http/StreamsApi"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { UsageError } from "./CommandError.ts"
import type { CommandSettings } from "./CommandSettings.ts"
import { connect, type Connection, type ConnectionError } from "./Connection.ts"
import type { HttpTransport } from "./HttpTransport.ts"
import type { CommandTerminal } from "./Terminal.ts"

/** Each client fails if its configuration is missing or invalid. */
export interface ApiClientsService {
  readonly data: Effect.Effect<DataApiService, ConnectionError>
  readonly streams: Effect.Effect<StreamsApiService, ConnectionError>
  readonly ledger: Effect.Effect<LedgerApiService, ConnectionError>
  readonly ledgerTestnet: Effect.Effect<LedgerTestnetApiService, ConnectionError>
  /** Reads the base URL of a client. Needs no API key. */
  readonly readBaseUrl: Connection["readBaseUrl"]
}

export class ApiClients extends Context.Tag("@blockquarry/cli/ApiClients")<ApiClients, ApiClientsService>() {}

/** Connects the clients to the sandbox, or to the configured service. */
export const layerFromSettings = (
  settings: CommandSettings
): Layer.Layer<ApiClients, UsageError, HttpTransport | CommandTerminal> =>
  Layer.unwrapEffect(Effect.gen(function*() {
    const apiClientsLive = yield* Effect.promise(() => import("./ApiClientsLive.ts"))
    return apiClientsLive.layer(settings.timeout, yield* connect(settings))
  }))
