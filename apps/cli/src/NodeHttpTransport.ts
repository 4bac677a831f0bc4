/** Loads the HTTP clients of Node.js on demand. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { baseUrlOptions } from "./args/GlobalOptions.ts"
import { HttpTransport, type SandboxTransport } from "./HttpTransport.ts"

const network = Effect.map(
  Effect.promise(() => import("@effect/platform/FetchHttpClient")),
  ({ layer }) => layer
)

const sandbox: Effect.Effect<SandboxTransport> = Effect.map(
  Effect.promise(() => import("@blockquarry/sandbox/Sandbox")),
  ({ apiKey, baseUrls, layer }) => {
    const urlsByFlag = {
      "base-url": baseUrls.data,
      "streams-url": baseUrls.streams,
      "ledger-url": baseUrls.ledger,
      "ledger-testnet-url": baseUrls.ledgerTestnet
    }
    return {
      client: layer(),
      config: new Map([
        ["QUARRY_API_KEY", apiKey],
        ...baseUrlOptions.map(({ name, variable }) => [variable, urlsByFlag[name]] as const)
      ])
    }
  }
)

export const layer: Layer.Layer<HttpTransport> = Layer.succeed(HttpTransport, { network, sandbox })
