/** Reloads the configuration while the proxy runs. A reload applies the whole configuration or nothing. */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { ProxyMetrics } from "../admin/ProxyMetrics.ts"
import * as Changes from "../config/Changes.ts"
import { allowsAnonymousClients, type Config } from "../config/Config.ts"
import * as Diagnostic from "../config/Diagnostic.ts"
import type { ConfigSources } from "../config/EnvironmentVariables.ts"
import * as Load from "../config/Load.ts"
import * as Watch from "../config/Watch.ts"
import { ActiveConfig } from "../pipeline/ActiveConfig.ts"

/** Activates a configuration, and counts the reload. */
export const activate = (config: Config): Effect.Effect<void, never, ActiveConfig | ProxyMetrics> =>
  Effect.gen(function*() {
    const metrics = yield* ProxyMetrics
    yield* (yield* ActiveConfig).replace(config)
    metrics.recordReload("success")
  })

/** Reloads the configuration on SIGHUP and when a file has changed, as long as the proxy runs. */
export const reloadOnChange = (
  options: ConfigSources,
  initial: Load.LoadedConfig
): Effect.Effect<void, never, ActiveConfig | FileSystem.FileSystem | ProxyMetrics> =>
  Effect.gen(function*() {
    const metrics = yield* ProxyMetrics
    const applied = yield* SubscriptionRef.make(initial)
    // Each configuration may consist of other files. After a rejection the files of the active one are still watched.
    const changes = Stream.flatMap(applied.changes, ({ digests }) => Watch.fileChanges(digests), {
      switch: true
    })
    yield* Stream.runForEach(Stream.merge(Watch.signals, changes), () =>
      Load.load(options).pipe(
        Effect.mapError(({ diagnostics }) => diagnostics.map(Diagnostic.formatDiagnostic)),
        Effect.flatMap(apply),
        Effect.catchAllDefect((defect) => Effect.fail([`internal error: ${String(defect)}`])),
        Effect.matchEffect({
          onFailure: (reasons) => {
            metrics.recordReload("failure")
            return Effect.logError(
              ["configuration rejected; the active configuration is unchanged", ...reasons].join("\n  ")
            )
          },
          onSuccess: (loaded) => SubscriptionRef.set(applied, loaded)
        })
      ))
  })

/** Fails with the reasons if the configuration is rejected. */
const apply = (
  loaded: Load.LoadedConfig
): Effect.Effect<Load.LoadedConfig, ReadonlyArray<string>, ActiveConfig | ProxyMetrics> =>
  Effect.gen(function*() {
    const { config: active } = (yield* ActiveConfig).current()
    const changes = Changes.between(active, loaded.config)
    const reasons = [
      ...(!allowsAnonymousClients(active) && allowsAnonymousClients(loaded.config)
        ? ["clients: removing all clients would disable authentication and requires a restart"]
        : []),
      ...changes.filter(({ requiresRestart }) => requiresRestart).map(({ text }) =>
        `${text}: requires a restart`
      )
    ]
    if (reasons.length > 0) return yield* Effect.fail(reasons)
    yield* activate(loaded.config)
    yield* Effect.forEach(loaded.warnings, (warning) => Effect.logWarning(warning))
    const summary = changes.length === 0 ? "no changes" : changes.map(({ text }) => text).join("; ")
    yield* Effect.logInfo(`configuration reloaded: ${summary}`)
    return loaded
  })
