/** `--verbose`: what the client logs, as lines for people. */
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import { sanitize } from "./render/Sanitize.ts"
import { styled, type TerminalService } from "./Terminal.ts"

/** Every line of a log goes to the screen's notes; without `isVerbose` only what somebody has to know. */
export const withVerboseLog = (screen: TerminalService, isVerbose: boolean) => {
  const logger = Logger.make<unknown, void>(({ annotations, date, message }) => {
    const messageText = (Array.isArray(message) ? message : [message]).map(String).join(" ")
    const { call, ...facts } = Object.fromEntries(HashMap.map(annotations, String))
    const line = formatLine(messageText, new Map(Object.entries(facts)))
    // Several calls may be under way at once, and an answer says of itself only what its status is.
    const number = call === undefined ? [] : [`#${call}`]
    const text = sanitize([date.toISOString().slice(11, 23), ...number, line].join(" "))
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
const formatLine = (text: string, annotations: ReadonlyMap<string, string>): string => {
  const url = annotations.get("url")
  if (url !== undefined) return `→ ${annotations.get("method") ?? ""} ${url}`
  const outcome = annotations.get("outcome")
  if (outcome === undefined) {
    return [text, ...[...annotations].map(([name, value]) => `${name}=${value}`)].join(" ")
  }
  const attempt = annotations.get("attempt") ?? "1"
  const attemptLabel = attempt === "1" ? "" : ` (attempt ${attempt})`
  return `← ${outcome}${attemptLabel}${text.replace(/^attempt ended/, "")}`
}
