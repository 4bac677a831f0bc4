/** `--verbose`: what the client logs, as lines for people. */
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import { safe } from "./render/Safe.ts"
import { type ScreenService, styled } from "./Screen.ts"

/** Every line of a log goes to the screen's notes; without `isVerbose` only what somebody has to know. */
export const to = (screen: ScreenService, isVerbose: boolean) => {
  const logger = Logger.make<unknown, void>(({ annotations, date, message }) => {
    const facts = [...HashMap.entries(annotations)].map(([name, value]) => `${name}=${String(value)}`)
    const said = Array.isArray(message) ? message.map(String) : [String(message)]
    const line = safe([date.toISOString().slice(11, 23), ...said, ...facts].join(" "))
    Effect.runSync(screen.note(styled(screen.err, "dim", line)))
  })
  const layer = Layer.merge(
    Logger.replace(Logger.defaultLogger, logger),
    Logger.minimumLogLevel(isVerbose ? LogLevel.Debug : LogLevel.Warning)
  )
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    effect.pipe(
      // What a fiber of a stream fails with is reported by whoever reads the stream
      Effect.withUnhandledErrorLogLevel(Option.none()),
      Effect.provide(layer)
    )
}
