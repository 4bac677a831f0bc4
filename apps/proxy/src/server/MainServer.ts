/** The listener for clients. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ActiveConfig } from "../pipeline/ActiveConfig.ts"
import { RequestHandler } from "../pipeline/RequestHandler.ts"
import * as Server from "./Server.ts"

export class MainServer extends Context.Tag("quarry-proxy/MainServer")<MainServer, Server.Server>() {}

/** `shutdownDelay` is evaluated when the shutdown starts. Returns how long `/readyz` fails before the listener stops. */
export const layer = (
  shutdownDelay: Effect.Effect<Duration.DurationInput>
): Layer.Layer<MainServer, never, ActiveConfig | RequestHandler> =>
  Layer.effect(
    MainServer,
    Effect.flatMap(
      Effect.all([ActiveConfig, RequestHandler]),
      ([activeConfig, handler]) => {
        const { listen, limits, shutdown } = activeConfig.current().config
        return Server.make({
          ...listen,
          limits,
          isTrustedPeer: (address) => activeConfig.current().clients.isTrustedProxy(address),
          keepAliveHint: shutdown.delay,
          shutdownDelay,
          shutdownTimeout: shutdown.timeout,
          handler
        })
      }
    )
  )
