/** Provides the HTTP client: for the network, or for the sandbox in this process. */
import type { HttpClient } from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { UsageError } from "../errors/CommandError.ts"

export interface HttpTransportService {
  /** Fails if a proxy variable is invalid. `usage`: whether a client should start fast, or send requests fast. */
  readonly network: (
    usage: "few-requests" | "many-requests"
  ) => Effect.Effect<Layer.Layer<HttpClient>, UsageError>
  readonly sandbox: Effect.Effect<SandboxTransport>
}

/** The sandbox's client, and the configuration for it. */
export interface SandboxTransport {
  readonly client: Layer.Layer<HttpClient>
  readonly config: ReadonlyMap<string, string>
}

export class HttpTransport
  extends Context.Tag("@blockquarry/cli/HttpTransport")<HttpTransport, HttpTransportService>()
{}
