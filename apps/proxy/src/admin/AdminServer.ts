/** The listener for operators. */
import { Engine } from "@blockquarry/http/Engine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TokenGenerator from "../auth/TokenGenerator.ts"
import { ActiveConfig } from "../pipeline/ActiveConfig.ts"
import { Quotas } from "../quota/Quotas.ts"
import { MainServer } from "../server/MainServer.ts"
import * as Server from "../server/Server.ts"
import { Upstreams } from "../upstream/Upstreams.ts"
import * as AdminHandler from "./AdminHandler.ts"
import * as PrometheusExporter from "./PrometheusExporter.ts"
import { ProxyMetrics } from "./ProxyMetrics.ts"
import { UsageStats } from "./UsageStats.ts"

/** Null if the admin listener is disabled. */
export class AdminServer
  extends Context.Tag("quarry-proxy/AdminServer")<AdminServer, Server.Server | null>()
{}

export interface AdminOptions extends Pick<AdminHandler.AdminContext, "version"> {
  /** The token of the admin listener as long as `admin.tokens` is empty; null if there is none. */
  readonly generatedToken: string | null
}

export const layer = ({ generatedToken, version }: AdminOptions) =>
  Layer.scoped(
    AdminServer,
    Effect.gen(function*() {
      const activeConfig = yield* ActiveConfig
      const engine = yield* Engine
      const mainServer = yield* MainServer
      const proxyMetrics = yield* ProxyMetrics
      const quotas = yield* Quotas
      const { examples } = yield* Upstreams
      const usageStats = yield* UsageStats
      const writeMetrics = yield* PrometheusExporter.make
      const { admin, limits, shutdown } = activeConfig.current().config
      if (admin === null) return null
      const metrics = Effect.suspend(() => {
        const clients = activeConfig.current().clients.all.map(({ name }) => name)
        proxyMetrics.setInFlight(clients, quotas.limits.inFlight)
        proxyMetrics.setBufferedBytes(quotas.memory.used())
        proxyMetrics.setConnections(mainServer.connections())
        proxyMetrics.setDelayedResponses(quotas.rejections.delayed())
        proxyMetrics.setShuttingDown(mainServer.shuttingDown())
        return writeMetrics
      })
      return yield* Server.make({
        ...admin,
        limits,
        isTrustedPeer: (address) => activeConfig.current().clients.isTrustedProxy(address),
        keepAliveHint: shutdown.delay,
        shutdownDelay: Effect.succeed(0),
        shutdownTimeout: "1 second",
        handler: AdminHandler.make({
          activeConfig,
          engine,
          mainServer,
          usageStats,
          version,
          generatedTokenHash: generatedToken === null ? null : TokenGenerator.hash(generatedToken),
          examples,
          metrics
        })
      })
    })
  )
