/** Reading the configuration again while requests are answered: it is taken whole, or not at all. */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { allowsAnonymousClients, type Config } from "../config/Config.ts"
import * as Diagnostic from "../config/Diagnostic.ts"
import * as Load from "../config/Load.ts"
import * as Watch from "../config/Watch.ts"
import type { RunningProxy } from "./RunningProxy.ts"

/** What is built once: listeners, stores, and the service behind them. */
const restartRequired: {
  readonly [setting: string]: (config: Config) => string | number | boolean | undefined
} = {
  "listen.host": ({ listen }) => listen.host,
  "listen.port": ({ listen }) => listen.port,
  admin: ({ admin }) => admin === null ? "off" : `${admin.host} ${admin.port}`,
  "upstream.sandbox": ({ upstream }) => upstream.sandbox,
  "cache.maxBytes": ({ cache, redis }) => redis === null ? cache.maxBytes : 0,
  "redis.url": ({ redis }) => redis === null ? "" : Redacted.value(redis.url),
  "redis.keyPrefix": ({ redis }) => redis?.keyPrefix,
  "redis.expectedProxies": ({ redis }) => redis?.expectedProxies,
  "limits.maxConnections": ({ limits }) => limits.maxConnections,
  "limits.maxHeaderBytes": ({ limits }) => limits.maxHeaderBytes,
  "limits.requestTimeout": ({ limits }) => Duration.toMillis(limits.requestTimeout),
  "limits.sendIdleTimeout": ({ limits }) => Duration.toMillis(limits.sendIdleTimeout),
  "shutdown.delay": ({ shutdown }) => Duration.toMillis(shutdown.delay),
  "shutdown.timeout": ({ shutdown }) => Duration.toMillis(shutdown.timeout),
  "log.level": ({ log }) => log.level
}

/** The settings that differ and cannot change while the proxy runs. */
const changedRestartRequired = (runningConfig: Config, newConfig: Config): ReadonlyArray<string> =>
  Object.entries(restartRequired).filter(([, valueOf]) => valueOf(runningConfig) !== valueOf(newConfig)).map((
    [setting]
  ) => setting)

/** Reads the configuration again whenever there is a reason to, for as long as the proxy runs. */
export const reloadOnChange = (
  options: Load.LoadOptions,
  initial: Load.LoadedConfig,
  running: RunningProxy,
  watchSources: Watch.WatchSources
): Effect.Effect<void, never, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const applied = yield* SubscriptionRef.make(initial)
    // Other files may have been read this time; what was refused is watched on, for its next change.
    const changes = Stream.flatMap(
      applied.changes,
      ({ digests }) => Watch.reloadTriggers(digests, { ...watchSources, signals: Stream.never }),
      { switch: true }
    )
    yield* Stream.runForEach(Stream.merge(watchSources.signals, changes), () =>
      Load.load(options).pipe(
        Effect.mapError(({ diagnostics }): ReloadRejected => ({
          reasons: diagnostics.map(Diagnostic.formatDiagnostic)
        })),
        Effect.flatMap((loaded) => apply(loaded, initial.config, running)),
        Effect.matchEffect({
          onFailure: ({ reasons }) =>
            Effect.zipRight(
              running.reloadRejected,
              Effect.logError(
                ["the configuration was refused; the one before stays in force", ...reasons].join("\n  ")
              )
            ),
          onSuccess: (loaded) => SubscriptionRef.set(applied, loaded)
        })
      ))
  })

/** What cannot change while the proxy runs is no small print: such a configuration is refused as a whole. */
const apply = (
  loaded: Load.LoadedConfig,
  initialConfig: Config,
  running: RunningProxy
): Effect.Effect<Load.LoadedConfig, ReloadRejected> => {
  const reasons = [
    ...(!allowsAnonymousClients(running.config()) && allowsAnonymousClients(loaded.config)
      ? [
        "clients: there are none any more, so that nobody would need a token; start it anew if that is meant"
      ]
      : []),
    ...changedRestartRequired(initialConfig, loaded.config).map((setting) =>
      `${setting}: this cannot change while the proxy runs; start it anew`
    )
  ]
  if (reasons.length > 0) return Effect.fail({ reasons })
  return running.reload(loaded.config).pipe(
    Effect.zipRight(Effect.forEach(loaded.warnings, (warning) => Effect.logWarning(warning))),
    Effect.zipRight(Effect.logInfo("the configuration was read again, and is in force")),
    Effect.as(loaded)
  )
}

interface ReloadRejected {
  readonly reasons: ReadonlyArray<string>
}
