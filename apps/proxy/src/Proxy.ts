/** The whole proxy: two listeners over a backend, until the scope closes. */
import * as Engine from "@blockquarry/http/Engine"
import { RateLimitStore } from "@blockquarry/http/RateLimitStore"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Encoded from "./Answers/Encoded.ts"
import type { Backend } from "./Backend.ts"
import type { Config } from "./Config/Config.ts"
import * as Handle from "./Handle.ts"
import * as Instance from "./Instance.ts"
import * as Log from "./Log.ts"
import * as Desk from "./Operations/Desk.ts"
import * as Metrics from "./Operations/Metrics.ts"
import * as ProxyMetrics from "./Operations/ProxyMetrics.ts"
import * as Tally from "./Operations/Tally.ts"
import * as Pages from "./Pages.ts"
import type { Process } from "./Process.ts"
import * as Server from "./Server.ts"
import * as Stores from "./Stores.ts"

export interface Options {
  readonly config: Config
  readonly backend: Backend
  readonly version: string
  /** Whether somebody collects spans. */
  readonly isTraced: boolean
  /** Where the lines about requests go, and how they look. */
  readonly sink: Log.Sink
  readonly style: Log.Style
  /** For how long the proxy says that it is about to stop before it does. */
  readonly announce: Effect.Effect<Duration.DurationInput>
  /** Lines for a terminal that make a first request. */
  readonly tries: (port: number) => ReadonlyArray<string>
}

/** A proxy that runs. */
export interface Running {
  readonly port: number
  /** Null where there is no listener for operations. */
  readonly operationsPort: number | null
  /** Requests are answered by another configuration from now on; those under way end by the one they began with. */
  readonly reload: (config: Config) => Effect.Effect<void>
  /** The configuration that is in force. */
  readonly config: () => Config
  /** Counts a configuration that was refused. */
  readonly refused: Effect.Effect<void>
}

export const serve = (
  options: Options
): Effect.Effect<Running, Server.ListenFailed | Stores.StoresFailed, Scope.Scope> =>
  Effect.gen(function*() {
    const { announce, backend, config, sink, style, tries, version } = options
    const clock = yield* Effect.clock
    const started = yield* Clock.currentTimeMillis
    // In a scope of its own, which closes when the servers have stopped: connections to the service outlive the last
    // request. And a scope that closes takes nothing on any more, while what is asked last still has to be answered.
    const behind = yield* Effect.acquireRelease(Scope.make(), Scope.close)
    const stores = yield* Layer.buildWithScope(Stores.layer(config), behind)
    const client = yield* Layer.buildWithScope(backend.client, behind)
    const engine = yield* Scope.extend(Effect.provide(Engine.make, stores), behind)
    const budgets = yield* Effect.provide(RateLimitStore, stores)

    // A store that is away says so in the log now, and not with the first request.
    const look = budgets.look("start", { limit: 1, period: 1000 })
    yield* Effect.forkScoped(Effect.delay(look, "1 second"))

    const tally = Tally.make(started)
    const metrics = ProxyMetrics.make(version)
    const over: Process["over"] = (facts) => {
      tally.record(facts)
      metrics.record(facts)
      if (current.config.log.requests && !Log.isQuietProbe(facts)) sink(Log.request(facts, style))
    }
    const process: Process = {
      engine,
      budgets,
      isTraced: options.isTraced,
      encoded: Encoded.make(),
      pages: Pages.make(engine, backend.examples),
      over,
      late: (client, attempts, units) => {
        tally.late(client, attempts, units)
        metrics.late(client, units)
      }
    }
    const instanceOf = (config: Config) =>
      Effect.provide(Instance.make(process, config, backend.serviceOf(config.upstream)), client)
    let current = yield* instanceOf(config)

    const { drain, limits, listen, operations } = config
    // The desk is opened before the main listener and closed after it, so that one can watch how that drains.
    const opened: { server: Server.Server | undefined } = { server: undefined }
    const writeMetrics = yield* Metrics.make
    const handler = Handle.make(process, () => current, clock)
    const desk: Desk.Desk = {
      instance: () => current,
      engine,
      tally,
      version,
      tries: () => opened.server === undefined ? [] : tries(opened.server.port),
      draining: () => opened.server?.draining() ?? false,
      metrics: Effect.suspend(() => {
        metrics.inflight(handler.underWay())
        metrics.connections(opened.server?.connections() ?? 0)
        metrics.draining(opened.server?.draining() ?? false)
        return writeMetrics
      })
    }
    const operationsServer = operations === null ? null : yield* Server.serve({
      ...operations,
      limits,
      keep: drain.announce,
      announce: Effect.succeed(0),
      grace: "1 second",
      handler: Desk.handler(desk)
    })
    const server = yield* Server.serve({
      ...listen,
      limits,
      keep: drain.announce,
      announce,
      grace: drain.grace,
      handler
    })
    opened.server = server
    return {
      port: server.port,
      operationsPort: operationsServer?.port ?? null,
      reload: (config) =>
        Effect.map(instanceOf(config), (instance) => {
          current = instance
          metrics.reloaded("taken")
        }),
      config: () => current.config,
      refused: Effect.sync(() => metrics.reloaded("refused"))
    }
  })
