/** Shows on the progress line that a command waits for a service: for how long, and why. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type ClientWait, observeCalls } from "../terminal/CallEvents.ts"
import { Pager } from "../terminal/Pager.ts"
import { CommandTerminal, type TerminalService } from "../terminal/Terminal.ts"
import { formatDuration } from "./Time.ts"

/** Milliseconds of silence after which a command says that it waits. */
const maxSilence = 1000

/** Milliseconds between two updates of the line. */
const updateInterval = 100

/** A call that has no result yet. */
interface OpenCall {
  readonly wait: ClientWait | null
  /** The end of the wait, in milliseconds since 1970. */
  readonly until: number
  /** Of the last attempt, if there was one. */
  readonly failure: string | null
}

/**
 * Runs a command with a terminal that shows the waits of its calls: after the progress that the command shows, or else
 * alone. There is none in front of a pager, while no call is open, and where stderr is no terminal.
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
      let isShown = false
      let silentSince = 0

      /** Returns what the calls wait for; null if there is nothing to say. */
      const describe = (now: number): string | null => {
        const calls = [...openCalls.values()]
        const waiting = calls.find(({ until }) => now < until)
        if (waiting !== undefined) return waiting.wait?.describe(formatDuration(waiting.until - now)) ?? null
        if (calls.length === 0 || now - silentSince < maxSilence) return null
        const elapsed = formatDuration(now - silentSince)
        const failure = calls.find((call) => call.failure !== null)?.failure ?? null
        return failure === null
          ? `waiting for the response (${elapsed})`
          : `retrying (${elapsed}): ${failure}`
      }
      const draw = Effect.suspend(() => {
        const now = clock.unsafeCurrentTimeMillis()
        const text = isPaged ? null : describe(now)
        if (text !== null && ownText !== null) return terminal.progress(`${ownText}; ${text}`)
        if (text !== null && now - silentSince >= maxSilence) {
          isShown = true
          return terminal.progress(text)
        }
        return ownText === null && isShown ? hide : Effect.void
      })
      const hide = Effect.suspend(() => {
        isShown = false
        return terminal.progress(null)
      })
      /** Ends the silence, because something appears. */
      const appears = Effect.suspend(() => {
        silentSince = clock.unsafeCurrentTimeMillis()
        return isShown ? hide : Effect.void
      })
      const active: TerminalService = {
        ...terminal,
        print: (text, onWritten) =>
          Effect.zipRight(text.length === 0 ? Effect.void : appears, terminal.print(text, onWritten)),
        note: (text, kind) => Effect.zipRight(appears, terminal.note(text, kind)),
        progress: (text) =>
          Effect.suspend(() => {
            ownText = text
            isShown = false
            const now = silentSince = clock.unsafeCurrentTimeMillis()
            const detail = text === null || isPaged ? null : describe(now)
            return terminal.progress(detail === null ? text : `${text}; ${detail}`)
          })
      }
      const observed = observeCalls((call, event) => {
        const now = clock.unsafeCurrentTimeMillis()
        if (openCalls.size === 0) silentSince = now
        if (event._tag === "End") return void openCalls.delete(call)
        const wait = event._tag === "Wait" ? event.wait : null
        const failure = wait?.failure ?? openCalls.get(call)?.failure ?? null
        openCalls.set(call, { wait, until: now + (wait?.millis ?? 0), failure })
      })
      yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Clock.sleep(updateInterval), draw)))
      return yield* observed(self).pipe(
        Effect.provideService(CommandTerminal, active),
        Effect.provideService(Pager, (options) =>
          Effect.map(pager(options), (process) => {
            isPaged = process !== null
            return process === null ? null : {
              ...process,
              close: Effect.ensuring(process.close, Effect.sync(() => (isPaged = false)))
            }
          })),
        Effect.ensuring(Effect.suspend(() => isShown ? hide : Effect.void))
      )
    }))
