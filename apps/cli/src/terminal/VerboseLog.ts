/** Formats the client's log for `--verbose`. */
import * as CallUsage from "@blockquarry/http/CallUsage"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import { sanitize } from "../text/Sanitize.ts"
import { styled } from "./StreamInfo.ts"
import type { TerminalService } from "./Terminal.ts"

/**
 * Prints log messages to stderr: all levels if `isVerbose`, otherwise warnings and errors, but with `isRepeating` not those that
 * say what the one before says: each poll of a watch reads the same list.
 */
export const withVerboseLog = (terminal: TerminalService, isVerbose: boolean, isRepeating = false) => {
  const format = makeFormat()
  let last = ""
  const minimumLevel = isVerbose ? LogLevel.Debug : LogLevel.Warning
  const logger = Logger.make<unknown, void>(({ annotations, date, logLevel, message }) => {
    // A region may log more, for its progress line
    if (LogLevel.lessThan(logLevel, minimumLevel)) return
    const { call, ...fields } = Object.fromEntries(HashMap.map(annotations, String))
    // About the state of an API key. The command has one, so that its error says the same
    if (!isVerbose && fields["key"] !== undefined) return
    const line = format(textOf(message), call ?? "", fields, date.getTime())
    if (line === null || (isRepeating && !isVerbose && line === last)) return
    last = line
    // The number of the call relates a response to its request if several calls are in flight
    const number = call === undefined ? [] : [`#${call}`]
    const text = sanitize([date.toISOString().slice(11, 23), ...number, line].join(" "))
    Effect.runSync(terminal.note(styled(terminal.err, "dim", text)))
  })
  const layer = Layer.merge(
    Logger.replace(Logger.defaultLogger, logger),
    Logger.minimumLogLevel(minimumLevel)
  )
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    effect.pipe(
      isVerbose ? (effect) => withUsageLine(terminal, effect) : identity,
      // The consumer of a stream reports the errors of its fibers
      Effect.withUnhandledErrorLogLevel(Option.none()),
      Effect.provide(layer)
    )
}

/** Prints at the end what the service bills, as far as it says so. */
const withUsageLine = <A, E, R>(
  terminal: TerminalService,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let usage = CallUsage.none
    const line = Effect.suspend(() => {
      const { attempts, price, unsettledPrice } = usage
      if (attempts === 0) return Effect.void
      const estimated = unsettledPrice === 0 ? "" : ` (${unsettledPrice} of them estimated)`
      const text = `requests: ${attempts}, units: ${price}${estimated}`
      return terminal.note(styled(terminal.err, "dim", text))
    })
    return CallUsage.observeUsage(effect, (more) => {
      usage = CallUsage.add(usage, more)
    }).pipe(Effect.ensuring(line))
  })

const textOf = (message: unknown): string =>
  (Array.isArray(message) ? message : [message]).map(String).join(" ")

/** The message of a log line with the cache status of the response to the last request. */
export const responseMessage = "response headers"

/** What is known of an attempt until its result is logged. */
interface OpenAttempt {
  readonly startedAt: number
  readonly cache: string | null
}

/** What a call waits for before it is sent, by the annotation `wait`. */
export const waitReasons: Readonly<Record<string, string>> = {
  rate_limit: "for the local rate limit (--rate-limit)",
  cooldown: "because the service limits the rate (429)",
  concurrency: "for a free connection"
}

/**
 * Formats requests and attempt results as `→` and `←` lines, waits as `…` lines, and other messages with their
 * annotations. Returns null for messages that belong to the line of a result.
 */
const makeFormat = () => {
  // A call has one attempt at a time
  const attempts = new Map<string, OpenAttempt>()
  return (
    text: string,
    call: string,
    annotations: Readonly<Record<string, string>>,
    now: number
  ): string | null => {
    const { attempt, bytes, cache = null, method = "", millis, outcome, url, wait } = annotations
    if (url !== undefined) {
      attempts.set(call, { startedAt: now, cache: null })
      return `→ ${method} ${url}`
    }
    const open = attempts.get(call)
    if (text === responseMessage) {
      if (open !== undefined) attempts.set(call, { ...open, cache })
      return null
    }
    const duration = millis === undefined ? "" : ` ${formatMillis(Number(millis))}`
    if (outcome === undefined) {
      return wait === undefined
        ? [text, ...Object.entries(annotations).map(([name, value]) => `${name}=${value}`)].join(" ")
        : `… waiting${duration} ${waitReasons[wait] ?? wait}`
    }
    attempts.delete(call)
    const details = [
      ...attempt === undefined || attempt === "1" ? [] : [`attempt ${attempt}`],
      ...open === undefined ? [] : [formatMillis(now - open.startedAt)],
      ...bytes === undefined ? [] : [`${bytes} bytes`],
      ...open === undefined || open.cache === null ? [] : [`cache: ${open.cache}`]
    ]
    const retry = wait === undefined ? "" : `, retrying in${duration}`
    return `← ${outcome}${details.length === 0 ? "" : ` (${details.join(", ")})`}${retry}`
  }
}

const formatMillis = (millis: number): string =>
  millis < 1000 ? `${Math.round(millis)}ms` : Duration.format(Duration.millis(Math.round(millis)))
