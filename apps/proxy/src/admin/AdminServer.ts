/** The listener for operators. */
import * as HttpServer from "@blockquarry/server/HttpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { listenerOptions } from "../pipeline/MainServer.ts"
import * as AdminHandler from "./AdminHandler.ts"

/** Null if the admin listener is disabled. */
export class AdminServer
  extends Context.Tag("quarry-proxy/AdminServer")<AdminServer, HttpServer.HttpServer | null>()
{}

export const layer = (options: AdminHandler.AdminOptions) =>
  Layer.scoped(
    AdminServer,
    Effect.flatMap(AdminHandler.resolve(options), (context) => {
      const { admin } = context.activeConfig.current().config
      return admin === null ? Effect.succeed(null) : HttpServer.make({
        ...listenerOptions(context.activeConfig),
        listen: admin,
        shutdownDelay: Effect.succeed(0),
        shutdownTimeout: "1 second",
        handler: AdminHandler.make(context)
      })
    })
  )
