/** Shows on the progress line that a command waits for a service: for how long, and why. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { STATUS_CODES } from "node:http"
import { Pager } from "../terminal/Pager.ts"
import { CommandTerminal, type TerminalService } from "../terminal/Terminal.ts"
import { waitReasons } from "../terminal/VerboseLog.ts"
import { sanitize } from "../text/Sanitize.ts"
import { formatDuration } from "./Time.ts"

/** Milliseconds of silence after which a command says that it waits. */
const maxSilence = 1000

/** A shorter wait for a limit, in milliseconds, is part of the normal pace. */
const minShownWait = 1000

/** Milliseconds between two updates of the line. */
const updateInterval = 100

/** A call that has no result yet. */
interface OpenCall {
  /** The limit that it waits for, if any. Otherwise it waits for its retry. */
  readonly limit: string | null
  /** The end of the wait, in milliseconds since 1970. */
  readonly until: number
  /** Of the last attempt, if there was one. */
  readonly failure: string | null
}

/** Returns what went wrong, in the words of HTTP where there is a status. */
const failureOf = (outcome: string): string => {
  const status = /^\d{3}/.exec(outcome)?.[0]
  return sanitize(
    status === undefined
      ? outcome.replace(/^TimeoutError$/, "no response in time").replace(/^\w+Error: /, "")
      : `${status} ${STATUS_CODES[status] ?? ""}`.trim()
  )
}

/**
 * Runs a command with a terminal that shows the waits of its calls, which the annotations of the client's log tell: after the
 * progress that the command shows, or else alone. There is none in front of a pager, while no call is open, and where
 * stderr is no terminal.
 */
export const withActivity =
  (terminal: TerminalService) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | CommandTerminal> =>
    Effect.scoped(Effect.gen(function*() {
      const clock = yield* Effect.clock
      const pager = yield* Pager
      const openCalls = new Map<string, OpenCall>()
      let isPaged = false
      let ownText: string | null = null
      let shown: string | null = null
      let silentSince = 0

      const describe = (now: number): string | null => {
        const calls = [...openCalls.values()]
        const waiting = calls.find(({ until }) => now < until)
        if (waiting !== undefined) {
          const left = formatDuration(waiting.until - now)
          return waiting.limit === null
            ? `retrying in ${left}: ${waiting.failure}`
            : `waiting ${left} ${waiting.limit}`
        }
        if (calls.length === 0 || now - silentSince < maxSilence) return null
        const elapsed = formatDuration(now - silentSince)
        const failure = calls.find((call) => call.failure !== null)?.failure ?? null
        return failure === null
          ? `waiting for the response (${elapsed})`
          : `retrying (${elapsed}): ${failure}`
      }
      const lineAt = (now: number): string | null => {
        const wait = isPaged ? null : describe(now)
        if (ownText === null) return now - silentSince >= maxSilence ? wait : null
        return wait === null ? ownText : `${ownText}; ${wait}`
      }
      const draw = Effect.suspend(() => {
        const line = lineAt(clock.unsafeCurrentTimeMillis())
        if (line === shown) return Effect.void
        shown = line
        return terminal.progress(line)
      })
      /** Ends the silence, because something appears. */
      const appears = Effect.suspend(() => {
        silentSince = clock.unsafeCurrentTimeMillis()
        return ownText === null ? draw : Effect.void
      })
      const active: TerminalService = {
        ...terminal,
        print: (text, onWritten) =>
          Effect.zipRight(text.length === 0 ? Effect.void : appears, terminal.print(text, onWritten)),
        note: (text, kind) => Effect.zipRight(appears, terminal.note(text, kind)),
        progress: (text) =>
          Effect.suspend(() => {
            ownText = text
            silentSince = clock.unsafeCurrentTimeMillis()
            shown = lineAt(silentSince)
            return terminal.progress(shown)
          })
      }
      const logger = Logger.make<unknown, void>(({ annotations }) => {
        const { call, millis, outcome, url, wait }: Readonly<Record<string, string>> = Object.fromEntries(
          HashMap.map(annotations, String)
        )
        if (call === undefined) return
        const now = clock.unsafeCurrentTimeMillis()
        if (openCalls.size === 0) silentSince = now
        const failure = outcome === undefined ? openCalls.get(call)?.failure ?? null : failureOf(outcome)
        if (wait !== undefined) {
          const limit = outcome === undefined ? waitReasons[wait] ?? wait : null
          if (limit !== null && Number(millis) < minShownWait) return
          openCalls.set(call, { limit, until: now + Number(millis), failure })
        } else if (outcome !== undefined) openCalls.delete(call)
        else if (url !== undefined) openCalls.set(call, { limit: null, until: now, failure })
      })
      yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Clock.sleep(updateInterval), draw)))
      return yield* self.pipe(
        Effect.provide(Logger.add(logger)),
        Logger.withMinimumLogLevel(LogLevel.Debug),
        Effect.provideService(CommandTerminal, active),
        Effect.provideService(Pager, (options) =>
          Effect.map(pager(options), (process) => {
            isPaged = process !== null
            return process && {
              ...process,
              close: Effect.ensuring(process.close, Effect.sync(() => (isPaged = false)))
            }
          })),
        Effect.ensuring(Effect.suspend(() => {
          openCalls.clear()
          return draw
        }))
      )
    }))
