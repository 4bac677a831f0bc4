/** Reading the configuration again while requests are answered: it is taken whole, or not at all. */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { type Config, isOpen } from "./Config/Config.ts"
import * as Load from "./Config/Load.ts"
import * as Problem from "./Config/Problem.ts"
import * as Watch from "./Config/Watch.ts"
import type { Running } from "./Proxy.ts"

/** What is built once: listeners, stores, and the service behind them. */
const lasting: { readonly [setting: string]: (config: Config) => string | number | boolean | undefined } = {
  "listen.host": ({ listen }) => listen.host,
  "listen.port": ({ listen }) => listen.port,
  "operations": ({ operations }) => operations === null ? "off" : `${operations.host} ${operations.port}`,
  "upstream.sandbox": ({ upstream }) => upstream.sandbox,
  "cache.maxBytes": ({ cache, redis }) => redis === null ? cache.maxBytes : 0,
  "redis.url": ({ redis }) => redis === null ? "" : Redacted.value(redis.url),
  "redis.prefix": ({ redis }) => redis?.prefix,
  "redis.processes": ({ redis }) => redis?.processes,
  "limits.connections": ({ limits }) => limits.connections,
  "limits.headers": ({ limits }) => limits.headers,
  "limits.receive": ({ limits }) => Duration.toMillis(limits.receive),
  "limits.stalled": ({ limits }) => Duration.toMillis(limits.stalled),
  "drain.announce": ({ drain }) => Duration.toMillis(drain.announce),
  "drain.grace": ({ drain }) => Duration.toMillis(drain.grace),
  "log.level": ({ log }) => log.level
}

/** The settings that differ and cannot change while the proxy runs. */
const fixed = (running: Config, read: Config): ReadonlyArray<string> =>
  Object.entries(lasting).filter(([, of]) => of(running) !== of(read)).map(([setting]) => setting)

/** Reads the configuration again whenever there is a reason to, for as long as the proxy runs. */
export const whenever = (
  options: Load.Options,
  first: Load.Loaded,
  running: Running,
  seams: Watch.Seams
): Effect.Effect<void, never, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const taken = yield* SubscriptionRef.make(first)
    // Other files may have been read this time; what was refused is watched on, for its next change.
    const changes = Stream.flatMap(
      taken.changes,
      ({ fingerprints }) => Watch.reasons(fingerprints, { ...seams, signals: Stream.never }),
      { switch: true }
    )
    yield* Stream.runForEach(Stream.merge(seams.signals, changes), () =>
      Load.load(options).pipe(
        Effect.mapError(({ problems }): Refused => ({ problems: problems.map(Problem.text) })),
        Effect.flatMap((loaded) => take(loaded, first.config, running)),
        Effect.matchEffect({
          onFailure: ({ problems }) =>
            Effect.zipRight(
              running.refused,
              Effect.logError(
                ["the configuration was refused; the one before stays in force", ...problems].join("\n  ")
              )
            ),
          onSuccess: (loaded) => SubscriptionRef.set(taken, loaded)
        })
      ))
  })

/** What cannot change while the proxy runs is no small print: such a configuration is refused as a whole. */
const take = (
  loaded: Load.Loaded,
  first: Config,
  running: Running
): Effect.Effect<Load.Loaded, Refused> => {
  const problems = [
    ...(!isOpen(running.config()) && isOpen(loaded.config)
      ? [
        "clients: there are none any more, so that nobody would need a token; start it anew if that is meant"
      ]
      : []),
    ...fixed(first, loaded.config).map((setting) =>
      `${setting}: this cannot change while the proxy runs; start it anew`
    )
  ]
  if (problems.length > 0) return Effect.fail({ problems })
  return running.reload(loaded.config).pipe(
    Effect.zipRight(Effect.forEach(loaded.warnings, (warning) => Effect.logWarning(warning))),
    Effect.zipRight(Effect.logInfo("the configuration was read again, and is in force")),
    Effect.as(loaded)
  )
}

interface Refused {
  readonly problems: ReadonlyArray<string>
}
