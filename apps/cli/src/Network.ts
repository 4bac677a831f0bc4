/** Where answers come from: the network, or the sandbox in this process. */
import type { HttpClient } from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"

export interface NetworkService {
  readonly real: Effect.Effect<Layer.Layer<HttpClient>>
  readonly sandbox: Effect.Effect<InSandbox>
}

/** A client that reaches the sandbox, and the settings with which it does. */
export interface InSandbox {
  readonly client: Layer.Layer<HttpClient>
  readonly settings: ReadonlyMap<string, string>
}

export class Network extends Context.Tag("@blockquarry/cli/Network")<Network, NetworkService>() {}
