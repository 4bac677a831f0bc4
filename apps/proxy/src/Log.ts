/**
 * The log, on standard error: a line of JSON for each request and for everything else that is worth saying, or plain
 * text where a person looks on. No line holds a key, and none above the level debug a value of a request.
 */
import * as Cause from "effect/Cause"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import type { LogLevel as Level } from "./Config/Config.ts"
import type { Facts } from "./Facts.ts"

/** Takes a line, without its end. */
export type Sink = (line: string) => void

export type Style = "json" | "text"

/** Probes come every few seconds, and all is said by the first that fails. */
export const isQuietProbe = ({ route, status }: Facts): boolean =>
  (route === "/livez" || route === "/readyz") && status === 200

/** The line of a request that is over. */
export const request = (facts: Facts, style: Style): string => {
  if (style === "text") {
    const { at, cache, client, code, id, method, millis, route, status } = facts
    const words = [method, route, status, `${millis}ms`, cache ?? code ?? "", client ?? "", id]
    return `${new Date(at).toISOString()} ${words.filter((word) => word !== "").join(" ")}`
  }
  const { at, id, ...said } = facts
  const time = new Date(at).toISOString()
  return JSON.stringify({ time, level: "info", message: "request", requestId: id, ...said })
}

const lineOf = (style: Style) =>
  Logger.make<unknown, string>(({ annotations, cause, date, logLevel, message }) => {
    const words = (Array.isArray(message) ? message : [message]).map(String).join(" ")
    const trace = cause._tag === "Empty" ? undefined : Cause.pretty(cause, { renderErrorCause: true })
    const facts = [...HashMap.entries(annotations)]
    if (style === "text") {
      const text = [
        date.toISOString(),
        logLevel.label,
        words,
        ...facts.map(([name, value]) => `${name}=${String(value)}`)
      ]
      return [text.join(" "), ...(trace === undefined ? [] : [trace])].join("\n")
    }
    return JSON.stringify({
      time: date.toISOString(),
      level: logLevel._tag.toLowerCase(),
      message: words,
      ...Object.fromEntries(facts.map(([name, value]) => [name, String(value)])),
      ...(trace === undefined ? {} : { cause: trace })
    })
  })

const levels = {
  debug: LogLevel.Debug,
  info: LogLevel.Info,
  warning: LogLevel.Warning,
  error: LogLevel.Error
} as const satisfies { readonly [L in Level]: LogLevel.LogLevel }

/** Standard output stays empty, for whoever pipes it. */
export const layer = (sink: Sink, style: Style, level: Level): Layer.Layer<never> =>
  Layer.merge(
    Logger.replace(Logger.defaultLogger, Logger.map(lineOf(style), sink)),
    Logger.minimumLogLevel(levels[level])
  )
