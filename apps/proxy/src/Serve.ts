/** `quarry-proxy serve`: a proxy from the configuration, until the program is told to stop. */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Backend from "./Backend.ts"
import type * as Load from "./Config/Load.ts"
import * as Watch from "./Config/Watch.ts"
import * as Log from "./Log.ts"
import * as LogFile from "./LogFile.ts"
import * as Otlp from "./Otlp.ts"
import * as Proxy from "./Proxy.ts"
import * as Quit from "./Quit.ts"
import * as Reload from "./Reload.ts"
import * as Settings from "./Settings.ts"
import * as Signals from "./Signals.ts"
import * as Welcome from "./Welcome.ts"

const standardError = 2

export const serve = (
  options: Load.Options,
  version: string
): Effect.Effect<never, Quit.Quit, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function*() {
    const loaded = yield* Settings.load(options)
    const { config } = loaded
    const isTraced = yield* Effect.mapError(Otlp.wanted, (problem) => Quit.misconfigured([problem]))
    const signals = yield* Signals.make
    const backend = yield* Backend.fromConfig(config)
    // A person gets text; everything else gets JSON.
    const style = process.stderr.isTTY ? "text" : "json"
    const sink = yield* LogFile.make(standardError)
    // Built into the scope of the servers, before them: what is asked last is told of as well.
    yield* Layer.build(Log.layer(sink, style, config.log.level))
    yield* Layer.build(Otlp.layer(version))
    const life = { begun: false }
    yield* Effect.addFinalizer(() => life.begun ? Effect.logInfo("stopped") : Effect.void)
    const running = Effect.gen(function*() {
      const running = yield* Proxy.serve({
        config,
        backend,
        version,
        isTraced,
        sink,
        style,
        // Who presses Ctrl-C waits for it; who sends SIGTERM has a fleet, and others that still send requests here.
        announce: Effect.suspend(() => {
          const announce = signals.terminated() ? config.drain.announce : Duration.zero
          return Effect.as(
            Effect.logInfo(`stopping: still taking requests for ${Duration.format(announce)}`),
            announce
          )
        }),
        tries: (port) => Welcome.tries(config, port, backend.examples)
      })
      yield* Effect.forEach(loaded.warnings, (warning) => Effect.logWarning(warning))
      yield* Console.log(Welcome.text(config, running, backend.examples))
      life.begun = true
      yield* Effect.logInfo(`listening on port ${running.port} of ${config.listen.host}`)
      return yield* Reload.whenever(options, loaded, running, yield* Watch.live)
    })
    return yield* running.pipe(
      Effect.zipRight(Effect.never),
      Effect.catchTags({
        ListenFailed: (failed) => Effect.fail(Quit.cannotListen(failed)),
        StoresFailed: (failed) => Effect.fail(Quit.noStores(failed))
      }),
      Effect.tapDefect((cause) => Effect.logError("the proxy failed", cause))
    )
  })
