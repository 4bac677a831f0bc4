/**
 * Formats the log: JSON lines, or plain text if standard error is a terminal. No line contains an API key or a token, and
 * lines above the level `debug` contain no parameter values of requests.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Str from "effect/String"
import type { LogLevel as Level } from "../config/Config.ts"
import { CurrentRequestId } from "../exchange/RequestContext.ts"

export type LogSink = (line: string) => void

export type LogStyle = "json" | "text"

const loggerFor = (style: LogStyle) =>
  Logger.make<unknown, string>(({ annotations, cause, context, date, logLevel, message }) => {
    const messageText = (Array.isArray(message) ? message : [message]).map(String).join(" ")
    const trace = cause._tag === "Empty" ? undefined : Cause.pretty(cause, { renderErrorCause: true })
    // Annotations would cost time for each request, logged or not.
    const requestId = Context.get(FiberRefs.getOrDefault(context, FiberRef.currentContext), CurrentRequestId)
    const fields = [
      ...HashMap.entries(annotations),
      ...(requestId === null ? [] : [["requestId", requestId] as const])
    ]
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

/** Replaces the default logger. Nothing is written to standard output, so that it can be piped. */
export const layer = (sink: LogSink, style: LogStyle, level: Level): Layer.Layer<never> =>
  Layer.merge(
    Logger.replace(Logger.defaultLogger, Logger.map(loggerFor(style), sink)),
    Logger.minimumLogLevel(LogLevel.fromLiteral(Str.capitalize(level)))
  )
