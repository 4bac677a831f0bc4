/** Repeats a poll until it is complete, and survives failures that may pass. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { type CommandError, formatError, isSilent } from "../errors/CommandError.ts"
import { countOf } from "../render/Count.ts"
import { formatClock } from "../render/Time.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"

/** The longest delay after failures, unless the interval is longer. */
const maxDelay = 5 * 60_000

/** Returns whether a later poll may succeed. */
const isTransient = (error: CommandError): boolean =>
  error._tag === "PaginationError" ||
  // A record that cannot be read is the same in the next poll; a page that is no list may be that of an outage
  error._tag === "InvalidResponseError" && !error.path.includes("[") ||
  ("retryable" in error && error.retryable)

const retryAfterOf = (error: CommandError): number =>
  "retryAfter" in error && error.retryAfter !== null ? Duration.toMillis(error.retryAfter) : 0

/**
 * Runs `poll` until it returns true, with a delay between polls that varies by 10 %, so that many watches do not poll at
 * the same moment. After a failure that may pass, the delay doubles with every failure in a row.
 */
export const pollUntilComplete = <R>(
  poll: Effect.Effect<boolean, CommandError, R>,
  interval: Duration.Duration
): Effect.Effect<void, CommandError, R | CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const base = Duration.toMillis(interval)
    const since = yield* Clock.currentTimeMillis
    let failuresInRow = 0
    while (true) {
      const outcome = yield* Effect.either(poll)
      let minDelay = 0
      if (outcome._tag === "Right") {
        if (outcome.right) return
        if (failuresInRow > 0) {
          yield* terminal.note(`polling works again after ${countOf(failuresInRow, "failed polls")}`)
        }
        failuresInRow = 0
      } else {
        const error = outcome.left
        if (isSilent(error) || !isTransient(error)) return yield* Effect.fail(error)
        failuresInRow++
        minDelay = retryAfterOf(error)
        if (failuresInRow === 1) {
          yield* terminal.note(`warning: ${formatError(error).message}; polling goes on`, "required")
        }
      }
      const jitter = 0.9 + 0.2 * (yield* Random.next)
      const backoff = Math.min(Math.max(base, maxDelay), base * 2 ** Math.min(failuresInRow, 20))
      const delay = Math.max(minDelay, Math.round(backoff * jitter))
      const now = yield* Clock.currentTimeMillis
      yield* terminal.progress(
        `watching since ${formatClock(since)} UTC, last poll ${formatClock(now)}, next poll ${
          formatClock(now + delay)
        }`
      )
      yield* Effect.sleep(delay)
    }
  }).pipe(Effect.ensuring(Effect.flatMap(CommandTerminal, (terminal) => terminal.progress(null))))
