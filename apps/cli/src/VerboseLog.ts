/** Formats the client's log for `--verbose`. */
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import { sanitize } from "./render/Sanitize.ts"
import { styled, type TerminalService } from "./Terminal.ts"

/** Prints log messages to stderr: all levels if `isVerbose`, otherwise warnings and errors. */
export const withVerboseLog = (terminal: TerminalService, isVerbose: boolean) => {
  const logger = Logger.make<unknown, void>(({ annotations, date, message }) => {
    const messageText = (Array.isArray(message) ? message : [message]).map(String).join(" ")
    const { call, ...fields } = Object.fromEntries(HashMap.map(annotations, String))
    const line = formatLine(messageText, new Map(Object.entries(fields)))
    // The number of the call relates a response to its request if several calls are in flight
    const number = call === undefined ? [] : [`#${call}`]
    const text = sanitize([date.toISOString().slice(11, 23), ...number, line].join(" "))
    Effect.runSync(terminal.note(styled(terminal.err, "dim", text)))
  })
  const layer = Layer.merge(
    Logger.replace(Logger.defaultLogger, logger),
    Logger.minimumLogLevel(isVerbose ? LogLevel.Debug : LogLevel.Warning)
  )
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    effect.pipe(
      // The consumer of a stream reports the errors of its fibers
      Effect.withUnhandledErrorLogLevel(Option.none()),
      Effect.provide(layer)
    )
}

/** Formats requests and attempt results as `→` and `←` lines, and other messages with their annotations. */
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
