/** What the calls of the client do, according to the annotations of its log lines. */
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { STATUS_CODES } from "node:http"
import { sanitize } from "../text/Sanitize.ts"
import { waitReasons } from "./VerboseLog.ts"

export interface ClientWait {
  /** Returns a description with the time that is left. */
  readonly describe: (left: string) => string
  /** The failure before a retry; null for a wait for a limit. */
  readonly failure: string | null
  readonly millis: number
}

/** What a call of the client does: it sends a request, waits before that, or ends. */
export type CallEvent =
  | { readonly _tag: "Attempt" }
  | { readonly _tag: "Wait"; readonly wait: ClientWait }
  | { readonly _tag: "End" }

/** A shorter wait for a limit is part of the normal pace. */
const minShownWait = 1000

/** Returns what went wrong, in the words of HTTP where there is a status. */
const failureOf = (outcome: string): string => {
  const status = /^\d{3}/.exec(outcome)?.[0]
  return sanitize(
    status === undefined
      ? outcome.replace(/^TimeoutError$/, "no response in time").replace(/^\w+Error: /, "")
      : `${status} ${STATUS_CODES[status] ?? ""}`.trim()
  )
}

/** Returns what the annotations of a log message say about its call; null if they say nothing. */
const toCallEvent = (
  { millis: length, outcome, url, wait }: Readonly<Record<string, string>>
): CallEvent | null => {
  if (wait === undefined) {
    return outcome !== undefined ? { _tag: "End" } : url !== undefined ? { _tag: "Attempt" } : null
  }
  const millis = Number(length)
  if (outcome !== undefined) {
    const failure = failureOf(outcome)
    const describe = (left: string) => `retrying in ${left}: ${failure}`
    return { _tag: "Wait", wait: { describe, failure, millis } }
  }
  const describe = (left: string) => `waiting ${left} ${waitReasons[wait] ?? wait}`
  return millis < minShownWait ? null : { _tag: "Wait", wait: { describe, failure: null, millis } }
}

/** Runs an effect, and calls `onEvent` for the events of its calls. */
export const observeCalls =
  (onEvent: (call: string, event: CallEvent) => void) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const logger = Logger.make<unknown, void>(({ annotations }) => {
      const { call, ...rest } = Object.fromEntries(HashMap.map(annotations, String))
      const event = call === undefined ? null : toCallEvent(rest)
      if (call !== undefined && event !== null) onEvent(call, event)
    })
    return Logger.withMinimumLogLevel(Effect.provide(self, Logger.add(logger)), LogLevel.Debug)
  }
