/** The listener for clients. */
import * as HttpServer from "@blockquarry/server/HttpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Sampler } from "../observability/Sampler.ts"
import { ActiveConfig } from "./ActiveConfig.ts"
import * as RequestHandler from "./RequestHandler.ts"

export class MainServer extends Context.Tag("quarry-proxy/MainServer")<MainServer, HttpServer.HttpServer>() {}

/** Returns what every listener has in common. The limits are those of the first configuration. */
export const listenerOptions = (
  activeConfig: ActiveConfig["Type"]
): Pick<HttpServer.ServerOptions, "isTrustedPeer" | "keepAliveHint" | "limits"> => {
  const { limits, shutdown } = activeConfig.current().config
  return {
    limits,
    isTrustedPeer: (address) => activeConfig.current().clients.isTrustedProxy(address),
    keepAliveHint: shutdown.delay
  }
}

export const layer = (
  { sampler, shutdownDelay }: Pick<HttpServer.ServerOptions, "shutdownDelay"> & {
    readonly sampler: Sampler | null
  }
) =>
  Layer.effect(
    MainServer,
    Effect.flatMap(Effect.all([ActiveConfig, RequestHandler.make(sampler)]), ([activeConfig, handler]) => {
      const { listen, shutdown } = activeConfig.current().config
      return HttpServer.make({
        ...listenerOptions(activeConfig),
        listen,
        shutdownDelay,
        shutdownTimeout: shutdown.timeout,
        handler
      })
    })
  )
