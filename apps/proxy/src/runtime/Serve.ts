/** `quarry-proxy serve`: loads the configuration and runs the proxy until it is interrupted. */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Tokens from "../auth/Tokens.ts"
import { lacksAdminToken } from "../config/Config.ts"
import type { ConfigSources } from "../config/EnvironmentVariables.ts"
import * as Load from "../config/Load.ts"
import * as Logging from "../observability/Logging.ts"
import * as LogWriter from "../observability/LogWriter.ts"
import * as Otlp from "../observability/Otlp.ts"
import * as Sampler from "../observability/Sampler.ts"
import { ActiveConfig } from "../pipeline/ActiveConfig.ts"
import { MainServer } from "../pipeline/MainServer.ts"
import * as Upstreams from "../upstream/Upstreams.ts"
import * as ExitError from "./ExitError.ts"
import * as Proxy from "./Proxy.ts"
import * as Reload from "./Reload.ts"
import * as Signals from "./Signals.ts"
import * as StartupBanner from "./StartupBanner.ts"
import * as Stores from "./Stores.ts"

const standardError = 2

export const serve = (
  options: ConfigSources,
  version: string
): Effect.Effect<never, ExitError.ExitError, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function*() {
    const loaded = yield* Effect.mapError(Load.load(options), ExitError.fromInvalidConfig)
    const { config } = loaded
    const tracingEnabled = yield* Effect.mapError(Otlp.isConfigured, (problem) =>
      ExitError.invalidConfig([problem]))
    const sampling = yield* Sampler.fromEnvironment
    const signals = yield* Signals.make
    // Elsewhere standard output is often a log, which must not contain tokens.
    const generatedToken = lacksAdminToken(config) && process.stdout.isTTY
      ? yield* Tokens.generate
      : null
    // Text for terminals; JSON for log collectors.
    const logStyle = process.stderr.isTTY ? "text" : "json"
    const logSink = yield* LogWriter.make(standardError)
    // Built before the servers in the same scope, so that the last requests are logged and traced too.
    yield* Layer.build(Logging.layer(logSink, logStyle, config.log.level))
    const lifecycle = { started: false }
    // Before the exporter, and so after its last export: the process ends when this is logged.
    yield* Effect.addFinalizer(() =>
      lifecycle.started ? Effect.logInfo("stopped") : Effect.void
    )
    yield* Layer.build(Layer.mapError(Otlp.layer(version), ExitError.invalidEnvironment))
    const proxy = Proxy.layer({
      config,
      version,
      sampler: tracingEnabled ? sampling.sampler : null,
      generatedToken,
      log: { sink: logSink, style: logStyle },
      // SIGTERM comes from an orchestrator, and load balancers may still send requests. After Ctrl-C a user waits.
      shutdownDelay: Effect.suspend(() => {
        const shutdownDelay = signals.receivedSigterm() ? config.shutdown.delay : Duration.zero
        return Effect.as(Effect.logInfo(shutdownMessage(shutdownDelay)), shutdownDelay)
      })
    })
    /** A reload replaces them. */
    let certificates = () => config.redis?.tls
    /** Announces the listeners, and reloads the configuration until the process ends. */
    const run = Effect.gen(function*() {
      const warnings = [...loaded.warnings, ...(tracingEnabled ? sampling.warnings : [])]
      yield* Effect.forEach(warnings, (warning) => Effect.logWarning(warning))
      if (generatedToken === null && lacksAdminToken(config) && config.admin?.open !== "all") {
        yield* Effect.logInfo(StartupBanner.adminTokenHint(loaded))
      }
      yield* Console.log(yield* StartupBanner.text(generatedToken))
      lifecycle.started = true
      const { current } = yield* ActiveConfig
      certificates = () => current().config.redis?.tls
      const { port } = yield* MainServer
      yield* Effect.logInfo(`listening on port ${port()} of ${config.listen.host}`)
      yield* Reload.reloadOnChange(options, loaded)
    })
    const backend = Layer.merge(
      Layer.mapError(Upstreams.layer(config.upstream), ExitError.invalidEnvironment),
      Stores.layer(config, () => certificates())
    )
    return yield* Layer.launch(Layer.scopedDiscard(run).pipe(Layer.provide(proxy), Layer.provide(backend)))
      .pipe(
        Effect.catchTags({
          ListenError: (failed) => Effect.fail(ExitError.cannotListen(failed)),
          RedisUnusableError: (failed) => Effect.fail(ExitError.redisUnusable(loaded, failed)),
          StoreError: (failed) => Effect.fail(ExitError.usageFileUnusable(loaded, failed))
        }),
        Effect.tapDefect((cause) => Effect.logError("internal error", cause))
      )
  })

const shutdownMessage = (delay: Duration.Duration): string =>
  Duration.equals(delay, Duration.zero)
    ? "shutting down"
    : `shutting down: accepting requests for ${Duration.format(delay)}`
