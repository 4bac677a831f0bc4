/** The network of a process. Both ways are loaded when they are taken. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { addresses } from "./line/Globals.ts"
import { type InSandbox, Network } from "./Network.ts"

const real = Effect.map(
  Effect.promise(() => import("@effect/platform/FetchHttpClient")),
  ({ layer }) => layer
)

const sandbox: Effect.Effect<InSandbox> = Effect.map(
  Effect.promise(() => import("@blockquarry/sandbox/Sandbox")),
  ({ key, layer, urls }) => {
    const at = {
      "base-url": urls.data,
      "streams-url": urls.streams,
      "ledger-url": urls.ledger,
      "ledger-testnet-url": urls.ledgerTestnet
    }
    return {
      client: layer(),
      settings: new Map([
        ["QUARRY_API_KEY", key],
        ...addresses.map(({ name, setting }) => [setting, at[name]] as const)
      ])
    }
  }
)

export const layer: Layer.Layer<Network> = Layer.succeed(Network, { real, sandbox })
