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
    const said = (Array.isArray(message) ? message : [message]).map(String).join(" ")
    const { call, ...facts } = Object.fromEntries(HashMap.map(annotations, String))
    const line = worded(said, new Map(Object.entries(facts)))
    // Several calls may be under way at once, and an answer says of itself only what its status is.
    const number = call === undefined ? [] : [`#${call}`]
    const text = safe([date.toISOString().slice(11, 23), ...number, line].join(" "))
    Effect.runSync(screen.note(styled(screen.err, "dim", text)))
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

/** A request as it is sent, and what came of it; any other line with its annotations. */
const worded = (said: string, facts: ReadonlyMap<string, string>): string => {
  const url = facts.get("url")
  if (url !== undefined) return `→ ${facts.get("method") ?? ""} ${url}`
  const outcome = facts.get("outcome")
  if (outcome === undefined) return [said, ...[...facts].map(([name, value]) => `${name}=${value}`)].join(" ")
  const attempt = facts.get("attempt") ?? "1"
  const which = attempt === "1" ? "" : ` (attempt ${attempt})`
  return `← ${outcome}${which}${said.replace(/^attempt ended/, "")}`
}
