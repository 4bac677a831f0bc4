/** Runs the main listener and the admin listener on a backend until the scope closes. */
import * as Engine from "@blockquarry/http/Engine"
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
import * as TokenGenerator from "../auth/TokenGenerator.ts"
import { type Config, lacksAdminToken } from "../config/Config.ts"
import * as BuiltInPages from "../docs/BuiltInPages.ts"
import * as AccessLog from "../observability/AccessLog.ts"
import type * as Logging from "../observability/Logging.ts"
import type * as Sampler from "../observability/Sampler.ts"
import * as ActiveConfig from "../pipeline/ActiveConfig.ts"
import * as ParseRequest from "../pipeline/ParseRequest.ts"
import * as RequestHandler from "../pipeline/RequestHandler.ts"
import type { SharedState } from "../pipeline/SharedState.ts"
import * as ClientLimits from "../quota/ClientLimits.ts"
import * as RejectionPace from "../quota/RejectionPace.ts"
import * as RequestTurns from "../quota/RequestTurns.ts"
import * as ResponseMemory from "../quota/ResponseMemory.ts"
import * as EncodedBodies from "../response/EncodedBodies.ts"
import { noConnections } from "../server/Connections.ts"
import * as Server from "../server/Server.ts"
import type { Backend } from "./Backend.ts"
import type { ExitError } from "./ExitError.ts"
import * as Stores from "./Stores.ts"

export interface ProxyOptions {
  readonly config: Config
  readonly backend: Backend
  readonly version: string
  /** Decides which requests are traced; null if no spans are exported. */
  readonly sampler: Sampler.Sampler | null
  /** The token of the admin listener as long as `admin.tokens` is empty; null if there is none. */
  readonly generatedToken: string | null
  /** Receives the lines of the access log. */
  readonly logSink: Logging.LogSink
  readonly logStyle: Logging.LogStyle
  /** Evaluated when the shutdown starts. Returns how long `/readyz` fails before the listener stops accepting requests. */
  readonly shutdownDelay: Effect.Effect<Duration.DurationInput>
  /** Returns shell commands that send a first request. */
  readonly sampleCommands: (port: number) => ReadonlyArray<string>
}

/** A running proxy. */
export interface RunningProxy {
  readonly port: number
  /** `null` if the admin listener is disabled. */
  readonly adminPort: number | null
  /** Activates a configuration for new requests. Requests in flight complete with the previous configuration. */
  readonly reload: (config: Config) => Effect.Effect<void>
  /** Returns the active configuration. */
  readonly config: () => Config
  /** Whether operators need a token, and none is configured or generated. */
  readonly lacksAdminToken: () => boolean
  /** Counts a rejected configuration. */
  readonly reloadRejected: Effect.Effect<void>
}

export const start = (
  options: ProxyOptions
): Effect.Effect<RunningProxy, Server.ListenError | Stores.RedisUnusableError | ExitError, Scope.Scope> =>
  Effect.gen(function*() {
    const { shutdownDelay, backend, config, logSink, logStyle, sampleCommands, version } = options
    const clock = yield* Effect.clock
    const startedAt = yield* Clock.currentTimeMillis
    // A separate scope that closes after the servers have stopped: a closing scope rejects new resources, but the last
    // requests still need upstream connections.
    const upstreamScope = yield* Effect.acquireRelease(Scope.make(), Scope.close)
    const stores = yield* Layer.buildWithScope(Stores.layer(config), upstreamScope)
    const httpClient = yield* Layer.buildWithScope(backend.httpClientLayer, upstreamScope)
    const engine = yield* Scope.extend(Effect.provide(Engine.make, stores), upstreamScope)
    const quotaStore = yield* Effect.provide(RateLimitStore, stores)

    const usageStats = UsageStats.make(startedAt)
    const metrics = ProxyMetrics.make(version)
    const onComplete: SharedState["onComplete"] = (entry) => {
      usageStats.record(entry)
      metrics.record(entry)
      if (activeConfig.config.log.requests && !AccessLog.isSuccessfulProbe(entry)) {
        logSink(AccessLog.accessLogLine(entry, logStyle))
      }
    }
    const sharedState: SharedState = {
      now: () => clock.unsafeCurrentTimeMillis(),
      engine,
      quotaStore,
      clientLimits: ClientLimits.make(),
      responseMemory: ResponseMemory.make(),
      rejectionPace: RejectionPace.make(),
      requestTurns: RequestTurns.make(),
      sampler: options.sampler,
      encodedBodies: EncodedBodies.make(),
      parsedRequests: ParseRequest.makeParsedRequests(),
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
    // The admin listener starts before the main listener and stops after it, so that the shutdown can be observed.
    const mainServer: { server: Server.RunningServer | undefined } = { server: undefined }
    const writeMetrics = yield* PrometheusExporter.make
    const isTrustedPeer = (address: string) => activeConfig.clients.isTrustedProxy(address)
    const handler = RequestHandler.make(sharedState, () => activeConfig)
    const adminContext: AdminHandler.AdminContext = {
      activeConfig: () => activeConfig,
      generatedTokenHash: options.generatedToken === null
        ? null
        : TokenGenerator.hash(options.generatedToken),
      engine,
      usageStats,
      version,
      sampleCommands: () => mainServer.server === undefined ? [] : sampleCommands(mainServer.server.port),
      shuttingDown: () => mainServer.server?.shuttingDown() ?? false,
      metrics: Effect.suspend(() => {
        metrics.setInFlight(
          activeConfig.clients.all.map(({ name }) => name),
          sharedState.clientLimits.inFlight
        )
        metrics.setBufferedBytes(sharedState.responseMemory.used())
        metrics.setConnections(mainServer.server?.connections() ?? noConnections)
        metrics.setDelayedResponses(sharedState.rejectionPace.delayed())
        metrics.setShuttingDown(mainServer.server?.shuttingDown() ?? false)
        return writeMetrics
      })
    }
    const adminServer = admin === null ? null : yield* Server.startServer({
      ...admin,
      limits,
      isTrustedPeer,
      keepAliveHint: shutdown.delay,
      shutdownDelay: Effect.succeed(0),
      shutdownTimeout: "1 second",
      handler: AdminHandler.handler(adminContext)
    })
    const server = yield* Server.startServer({
      ...listen,
      limits,
      isTrustedPeer,
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
      lacksAdminToken: () => options.generatedToken === null && lacksAdminToken(activeConfig.config),
      reloadRejected: Effect.sync(() => metrics.recordReload("failure"))
    }
  })
