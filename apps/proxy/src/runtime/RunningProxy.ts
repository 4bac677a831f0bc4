/** The whole proxy: two listeners over a backend, until the scope closes. */
import { Engine } from "@blockquarry/http/Gateway"
import { RateLimitStore } from "@blockquarry/http/RateLimitStore"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as AdminHandler from "../admin/AdminHandler.ts"
import * as PrometheusExporter from "../admin/PrometheusExporter.ts"
import * as ProxyMetrics from "../admin/ProxyMetrics.ts"
import * as UsageStats from "../admin/UsageStats.ts"
import type { Config } from "../config/Config.ts"
import * as BuiltInPages from "../docs/BuiltInPages.ts"
import * as Logging from "../observability/Logging.ts"
import * as ActiveConfig from "../pipeline/ActiveConfig.ts"
import * as RequestHandler from "../pipeline/RequestHandler.ts"
import type { SharedState } from "../pipeline/SharedState.ts"
import * as EncodedBodies from "../response/EncodedBodies.ts"
import * as Server from "../server/Server.ts"
import type { Backend } from "./Backend.ts"
import * as Stores from "./Stores.ts"

export interface ProxyOptions {
  readonly config: Config
  readonly backend: Backend
  readonly version: string
  /** Whether somebody collects spans. */
  readonly tracingEnabled: boolean
  /** Where the lines about requests go, and how they look. */
  readonly logSink: Logging.LogSink
  readonly logStyle: Logging.LogStyle
  /** For how long the proxy says that it is about to stop before it does. */
  readonly shutdownDelay: Effect.Effect<Duration.DurationInput>
  /** Lines for a terminal that make a first request. */
  readonly sampleCommands: (port: number) => ReadonlyArray<string>
}

/** A proxy that runs. */
export interface RunningProxy {
  readonly port: number
  /** Null where there is no listener for operations. */
  readonly adminPort: number | null
  /** Requests are answered by another configuration from now on; those under way end by the one they began with. */
  readonly reload: (config: Config) => Effect.Effect<void>
  /** The configuration that is in force. */
  readonly config: () => Config
  /** Counts a configuration that was refused. */
  readonly reloadRejected: Effect.Effect<void>
}

export const start = (
  options: ProxyOptions
): Effect.Effect<RunningProxy, Server.ListenError | Stores.InvalidRedisUrlError, Scope.Scope> =>
  Effect.gen(function*() {
    const { shutdownDelay, backend, config, logSink, logStyle, sampleCommands, version } = options
    const clock = yield* Effect.clock
    const startedAt = yield* Clock.currentTimeMillis
    // In a scope of its own, which closes when the servers have stopped: connections to the service outlive the last
    // request. And a scope that closes takes nothing on any more, while what is asked last still has to be answered.
    const upstreamScope = yield* Effect.acquireRelease(Scope.make(), Scope.close)
    const stores = yield* Layer.buildWithScope(Stores.layer(config), upstreamScope)
    const httpClient = yield* Layer.buildWithScope(backend.httpClientLayer, upstreamScope)
    const engine = yield* Scope.extend(Effect.provide(Engine.make, stores), upstreamScope)
    const quotaStore = yield* Effect.provide(RateLimitStore, stores)

    // A store that is away says so in the log now, and not with the first request.
    const probeQuotaStore = quotaStore.peek("start", { limit: 1, period: 1000 })
    yield* Effect.forkScoped(Effect.delay(probeQuotaStore, "1 second"))

    const usageStats = UsageStats.make(startedAt)
    const metrics = ProxyMetrics.make(version)
    const onComplete: SharedState["onComplete"] = (entry) => {
      usageStats.record(entry)
      metrics.record(entry)
      if (activeConfig.config.log.requests && !Logging.isSuccessfulProbe(entry)) {
        logSink(Logging.accessLogLine(entry, logStyle))
      }
    }
    const sharedState: SharedState = {
      engine,
      quotaStore,
      tracingEnabled: options.tracingEnabled,
      encodedBodies: EncodedBodies.make(),
      pages: BuiltInPages.make(engine, backend.examples),
      onComplete,
      onLateUsage: (client, attempts, cost) => {
        usageStats.recordLateUsage(client, attempts, cost)
        metrics.recordLateUsage(client, cost)
      }
    }
    const activate = (config: Config) =>
      Effect.provide(ActiveConfig.make(sharedState, config, backend.endpointsOf(config.upstream)), httpClient)
    let activeConfig = yield* activate(config)

    const { shutdown, limits, listen, admin } = config
    // The desk is opened before the main listener and closed after it, so that one can watch how that drains.
    const mainServer: { server: Server.RunningServer | undefined } = { server: undefined }
    const writeMetrics = yield* PrometheusExporter.make
    const handler = RequestHandler.make(sharedState, () => activeConfig, clock)
    const adminContext: AdminHandler.AdminContext = {
      activeConfig: () => activeConfig,
      engine,
      usageStats,
      version,
      sampleCommands: () => mainServer.server === undefined ? [] : sampleCommands(mainServer.server.port),
      shuttingDown: () => mainServer.server?.shuttingDown() ?? false,
      metrics: Effect.suspend(() => {
        metrics.setInFlight(handler.inFlight())
        metrics.setConnections(mainServer.server?.connections() ?? 0)
        metrics.setShuttingDown(mainServer.server?.shuttingDown() ?? false)
        return writeMetrics
      })
    }
    const adminServer = admin === null ? null : yield* Server.startServer({
      ...admin,
      limits,
      keepAliveHint: shutdown.delay,
      shutdownDelay: Effect.succeed(0),
      shutdownTimeout: "1 second",
      handler: AdminHandler.handler(adminContext)
    })
    const server = yield* Server.startServer({
      ...listen,
      limits,
      keepAliveHint: shutdown.delay,
      shutdownDelay,
      shutdownTimeout: shutdown.timeout,
      handler
    })
    mainServer.server = server
    return {
      port: server.port,
      adminPort: adminServer?.port ?? null,
      reload: (config) =>
        Effect.map(activate(config), (next) => {
          activeConfig = next
          metrics.recordReload("success")
        }),
      config: () => activeConfig.config,
      reloadRejected: Effect.sync(() => metrics.recordReload("failure"))
    }
  })
