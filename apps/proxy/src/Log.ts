/** The proxy's log: a line for each request on standard error. No line holds a value of a request, or a key. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import type * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"

/** Says how a request went. Its route is the path with the parameters unnamed. */
export const request = (
  facts: { readonly method: string; readonly route: string; readonly status: number; readonly id: string },
  started: number
): Effect.Effect<void> =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => Effect.logInfo(`${facts.method} ${facts.route} ${facts.status} ${now - started}ms ${facts.id}`)
  )

const line = Logger.make(({ annotations, cause, date, logLevel, message }) => {
  const words = (Array.isArray(message) ? message : [message]).map(String)
  const facts = [...HashMap.entries(annotations)].map(([name, value]) => `${name}=${String(value)}`)
  const text = [date.toISOString(), logLevel.label, ...words, ...facts].join(" ")
  return cause._tag === "Empty" ? text : `${text}\n${Cause.pretty(cause, { renderErrorCause: true })}`
})

/** Standard output stays empty, for whoever pipes it. */
export const layer: Layer.Layer<never> = Logger.replace(Logger.defaultLogger, Logger.withConsoleError(line))
