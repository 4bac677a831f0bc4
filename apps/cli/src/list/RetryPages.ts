/** Lists that survive outages: after a failure that may pass, a list continues from its last page. */
import type { RateLimitError } from "@blockquarry/core/OperationError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { CommandError } from "../errors/CommandError.ts"
import { formatClock, formatDuration } from "../render/Time.ts"
import type { TerminalService } from "../terminal/Terminal.ts"
import { sanitize } from "../text/Sanitize.ts"
import type { RecordPage, RecordSource } from "./RecordSource.ts"

/** Why a list waits. */
export interface PageWait {
  readonly error: Extract<CommandError, { readonly retryable: boolean; readonly summary: string }>
  /** Milliseconds since 1970 at which the next attempt starts. */
  readonly until: number
  /** Whether it is the first wait since the last page. */
  readonly isFirst: boolean
}

export interface RetryPagesOptions {
  /** How long an outage may last. Waits for rate limits and quotas do not count, because they end. 0: no retries. */
  readonly retryFor: Duration.Duration
  /** Called before a wait. The result is interrupted when the wait ends. */
  readonly onWait: (wait: PageWait) => Effect.Effect<void>
}

const firstDelay = 1000
const maxDelay = 30_000

const isRetryable = (error: CommandError): error is PageWait["error"] =>
  "retryable" in error && error.retryable && "summary" in error

/** The limits that end by themselves. */
const isLimit = (error: PageWait["error"]): boolean =>
  error._tag === "RateLimitError" ||
  (error._tag === "LocalLimitError" && error.limit !== "unavailable" && error.limit !== "memory")

const retryAfterOf = (error: PageWait["error"]): RateLimitError["retryAfter"] =>
  "retryAfter" in error ? error.retryAfter : null

/** Returns the source with retries. A list that has no cursor is only retried before its first page. */
export const retryPages = <Item>(
  source: RecordSource<Item>,
  { onWait, retryFor }: RetryPagesOptions
): RecordSource<Item> => {
  const limit = Duration.toMillis(retryFor)
  return limit === 0 ? source : {
    ...source,
    pages: (cursor) =>
      Stream.suspend(() => {
        let position = cursor
        let canContinue = true
        let failures = 0
        let outageStart: bigint | null = null
        let cause: PageWait["error"] | null = null
        const onPage = ({ nextCursor }: RecordPage<Item>) => {
          canContinue = typeof nextCursor === "string"
          position = nextCursor ?? undefined
          failures = 0
          outageStart = null
          cause = null
        }
        const attempt = (): Stream.Stream<RecordPage<Item>, CommandError> =>
          source.pages(position).pipe(
            Stream.tap((page) => Effect.sync(() => onPage(page))),
            Stream.catchAll((error) => Stream.unwrap(Effect.as(waitAfter(error), Stream.suspend(attempt))))
          )
        const waitAfter = (error: CommandError): Effect.Effect<void, CommandError> =>
          Effect.gen(function*() {
            if (!canContinue || !isRetryable(error)) return yield* Effect.fail(error)
            const now = yield* Clock.currentTimeMillis
            const retryAfter = retryAfterOf(error)
            const backoff = Math.min(maxDelay, firstDelay * 2 ** Math.min(failures, 10))
            const wanted = retryAfter === null ? backoff : Math.max(firstDelay, Duration.toMillis(retryAfter))
            let delay = wanted
            // The circuit breaker is open because of the failures before
            const shown = error._tag === "CircuitOpenError" ? cause ?? error : error
            cause = shown
            if (!isLimit(error)) {
              // The time of day may jump
              const monotonic = yield* Clock.currentTimeNanos
              outageStart = outageStart ?? monotonic
              const remaining = limit - Math.floor(Number(monotonic - outageStart) / 1e6)
              if (remaining <= 0) return yield* Effect.fail(shown)
              delay = Math.min(wanted, remaining)
            }
            const wait = { error: shown, until: now + delay, isFirst: failures === 0 }
            failures++
            yield* Effect.race(Effect.sleep(delay), Effect.zipRight(onWait(wait), Effect.never))
          })
        return attempt()
      })
  }
}

/** Returns the source with retries whose waits are shown on their own. */
export const retryingSource = <Item>(
  source: RecordSource<Item>,
  retryFor: Duration.Duration,
  terminal: TerminalService
): RecordSource<Item> => retryPages(source, { retryFor, onWait: showWait(terminal, () => "") })

/** Shows waits: on a terminal a line that counts down, elsewhere one line for each outage. */
export const showWait =
  (terminal: TerminalService, prefix: (now: number) => string) =>
  ({ error, isFirst, until }: PageWait): Effect.Effect<void> =>
    Effect.gen(function*() {
      const reason = sanitize(error.summary)
      if (!terminal.err.isTerminal) {
        if (isFirst) yield* terminal.note(`waiting until ${formatClock(until)} UTC, then retrying: ${reason}`)
        return
      }
      while (true) {
        const now = yield* Clock.currentTimeMillis
        yield* terminal.progress(
          `${prefix(now)}waiting ${formatDuration(until - now)} (until ${formatClock(until)} UTC): ${reason}`
        )
        yield* Effect.sleep("1 second")
      }
    })
