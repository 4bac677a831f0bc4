/** The clients of the three APIs, connected to what the settings name. */
import type { data, streams } from "@blockquarry/core/operations/index"
import type { Client } from "@blockquarry/http/Client"
import type { LedgerApiService } from "@blockquarry/http/LedgerApi"
import * as RateLimit from "@blockquarry/http/RateLimit"
import type { ConfigError } from "effect/ConfigError"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Usage } from "./Failure.ts"
import { Network } from "./Network.ts"
import { Screen, styled } from "./Screen.ts"
import type { Settings } from "./Settings.ts"

export interface ClientsService {
  readonly data: Client<typeof data>
  readonly streams: Client<typeof streams>
  readonly ledger: LedgerApiService
}

export class Clients extends Context.Tag("@blockquarry/cli/Clients")<Clients, ClientsService>() {}

/** The sandbox's addresses and key, or the environment's with the command line's over them. */
export const connect = (settings: Settings): Layer.Layer<Clients, Usage, Network | Screen> =>
  Layer.unwrapEffect(Effect.gen(function*() {
    const network = yield* Network
    const live = yield* Effect.promise(() => import("./ClientsLive.ts"))
    if (settings.isSandbox) {
      const screen = yield* Screen
      yield* screen.note(
        styled(screen.err, "yellow", "SANDBOX: these data are invented, nothing of this is on a chain")
      )
      const { client, settings: own } = yield* network.sandbox
      return Layer.provide(live.layer(settings.timeout, RateLimit.none), [
        client,
        Layer.setConfigProvider(ConfigProvider.fromMap(new Map(own)))
      ])
    }
    const written = ConfigProvider.fromMap(new Map(settings.addresses))
    const overridden = yield* Effect.configProviderWith((environment) =>
      Effect.succeed(ConfigProvider.orElse(written, () => environment))
    )
    return Layer.provide(live.layer(settings.timeout, RateLimit.standard), [
      yield* network.real,
      Layer.setConfigProvider(overridden)
    ])
  })).pipe(
    Layer.mapError((error) =>
      new Usage({ problem: "the environment's settings cannot be read", hint: told(error) })
    )
  )

/** The setting, and what is wrong with it. */
const told = (error: ConfigError): string =>
  error._op === "InvalidData" ? `${error.path.join(".")}: ${error.message}` : String(error)
