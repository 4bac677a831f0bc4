/** Reloads the configuration while the proxy runs. A reload applies the whole configuration or nothing. */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as Changes from "../config/Changes.ts"
import { allowsAnonymousClients } from "../config/Config.ts"
import * as Diagnostic from "../config/Diagnostic.ts"
import * as Load from "../config/Load.ts"
import * as Watch from "../config/Watch.ts"
import type { RunningProxy } from "./RunningProxy.ts"
import * as StartupBanner from "./StartupBanner.ts"

/** Reloads the configuration on SIGHUP and when a file has changed, as long as the proxy runs. */
export const reloadOnChange = (
  options: Load.LoadOptions,
  initial: Load.LoadedConfig,
  running: RunningProxy,
  watchSources: Watch.WatchSources
): Effect.Effect<void, never, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const applied = yield* SubscriptionRef.make(initial)
    // Each configuration may consist of other files. After a rejection the files of the active one are still watched.
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
        Effect.flatMap((loaded) => apply(loaded, running)),
        Effect.matchEffect({
          onFailure: ({ reasons }) =>
            Effect.zipRight(
              running.reloadRejected,
              Effect.logError(
                ["configuration rejected; the active configuration is unchanged", ...reasons].join("\n  ")
              )
            ),
          onSuccess: (loaded) => SubscriptionRef.set(applied, loaded)
        })
      ))
  })

interface ReloadRejected {
  readonly reasons: ReadonlyArray<string>
}

const apply = (
  loaded: Load.LoadedConfig,
  running: RunningProxy
): Effect.Effect<Load.LoadedConfig, ReloadRejected> => {
  const active = running.config()
  const changes = Changes.between(active, loaded.config)
  const reasons = [
    ...(!allowsAnonymousClients(active) && allowsAnonymousClients(loaded.config)
      ? ["clients: removing all clients would disable authentication and requires a restart"]
      : []),
    ...changes.filter(({ requiresRestart }) => requiresRestart).map(({ text }) =>
      `${text}: requires a restart`
    )
  ]
  if (reasons.length > 0) return Effect.fail({ reasons })
  const summary = changes.length === 0 ? "no changes" : changes.map(({ text }) => text).join("; ")
  return Effect.gen(function*() {
    const lackedAdminToken = running.lacksAdminToken()
    yield* running.reload(loaded.config)
    yield* Effect.forEach(loaded.warnings, (warning) => Effect.logWarning(warning))
    if (running.lacksAdminToken() && !lackedAdminToken) {
      yield* Effect.logInfo(StartupBanner.adminTokenHint(loaded))
    }
    yield* Effect.logInfo(`configuration reloaded: ${summary}`)
    return loaded
  })
}
