/**
 * The log, on standard error: a line of JSON for each request and for everything else that is worth saying, or plain
 * text where a person looks on. No line holds a key, and none above the level debug a value of a request.
 */
import * as Cause from "effect/Cause"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import type { LogLevel as Level } from "../config/Config.ts"
import type { AccessLogEntry } from "../exchange/AccessLogEntry.ts"

/** Takes a line, without its end. */
export type LogSink = (line: string) => void

export type LogStyle = "json" | "text"

/** Probes come every few seconds, and all is said by the first that fails. */
export const isSuccessfulProbe = ({ route, status }: AccessLogEntry): boolean =>
  (route === "/livez" || route === "/readyz") && status === 200

/** The line of a request that is over. */
export const accessLogLine = (entry: AccessLogEntry, style: LogStyle): string => {
  if (style === "text") {
    const { startedAt, cache, client, code, requestId, method, durationMs, route, status } = entry
    const words = [method, route, status, `${durationMs}ms`, cache ?? code ?? "", client ?? "", requestId]
    return `${new Date(startedAt).toISOString()} ${words.filter((word) => word !== "").join(" ")}`
  }
  const { startedAt, requestId, ...fields } = entry
  const time = new Date(startedAt).toISOString()
  return JSON.stringify({ time, level: "info", message: "request", requestId, ...fields })
}

const loggerFor = (style: LogStyle) =>
  Logger.make<unknown, string>(({ annotations, cause, date, logLevel, message }) => {
    const messageText = (Array.isArray(message) ? message : [message]).map(String).join(" ")
    const trace = cause._tag === "Empty" ? undefined : Cause.pretty(cause, { renderErrorCause: true })
    const fields = [...HashMap.entries(annotations)]
    if (style === "text") {
      const parts = [
        date.toISOString(),
        logLevel.label,
        messageText,
        ...fields.map(([name, value]) => `${name}=${String(value)}`)
      ]
      return [parts.join(" "), ...(trace === undefined ? [] : [trace])].join("\n")
    }
    return JSON.stringify({
      time: date.toISOString(),
      level: logLevel._tag.toLowerCase(),
      message: messageText,
      ...Object.fromEntries(fields.map(([name, value]) => [name, String(value)])),
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
export const layer = (sink: LogSink, style: LogStyle, level: Level): Layer.Layer<never> =>
  Layer.merge(
    Logger.replace(Logger.defaultLogger, Logger.map(loggerFor(style), sink)),
    Logger.minimumLogLevel(levels[level])
  )
