/** Lists that survive outages: after a failure that may pass, a list continues from its last page. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { CommandError } from "../errors/CommandError.ts"
import { formatClock } from "../render/Time.ts"
import type { TerminalService } from "../terminal/Terminal.ts"
import { sanitize } from "../text/Sanitize.ts"
import type { RecordPage, RecordSource } from "./RecordList.ts"

type RetryableError = Extract<CommandError, { readonly retryable: boolean; readonly summary: string }>

/** Why a list waits. */
export interface PageWait {
  readonly error: RetryableError
  /** Milliseconds since 1970 at which the next attempt starts. */
  readonly until: number
  /** Whether it is the first wait since the last page. */
  readonly isFirst: boolean
}

const firstDelay = 1000
const maxDelay = 30_000

const isRetryable = (error: CommandError): error is RetryableError =>
  "retryable" in error && error.retryable && "summary" in error

/** The limits that end by themselves. */
const isLimit = (error: RetryableError): boolean =>
  error._tag === "RateLimitError" ||
  (error._tag === "LocalLimitError" && error.limit !== "unavailable" && error.limit !== "memory")

/** The failures since the last page. */
interface Outage {
  readonly failures: number
  /** In nanoseconds, because the time of day may jump; null if there were only limits. */
  readonly start: bigint | null
}

const noOutage: Outage = { failures: 0, start: null }

/**
 * Returns the source with retries. A list that has no cursor is only retried before its first page. An outage may last for
 * `retryFor` (0: no retries); waits for rate limits and quotas do not count, because they end.
 */
export const retryPages = <Item>(
  source: RecordSource<Item>,
  retryFor: Duration.Duration,
  onWait: (wait: PageWait) => Effect.Effect<void>
): RecordSource<Item> => {
  const limit = Duration.toMillis(retryFor)
  const pagesAfter: RecordSource<Item>["pages"] = (cursor, before) => {
    let position: string | null | undefined = cursor
    let previous = before
    let canContinue = true
    let outage = noOutage
    const attempt: Stream.Stream<RecordPage<Item>, CommandError> = Stream.suspend(() =>
      source.pages(position ?? undefined, previous)
    ).pipe(
      Stream.tap(({ end }) =>
        Effect.sync(() => {
          previous = end.previous
          canContinue = typeof end.cursor === "string"
          position = end.cursor
          outage = noOutage
        })
      ),
      Stream.catchAll((error) => Stream.unwrap(Effect.as(waitAfter(error), attempt)))
    )
    const waitAfter = (error: CommandError): Effect.Effect<void, CommandError> =>
      Effect.gen(function*() {
        if (!canContinue || !isRetryable(error)) return yield* Effect.fail(error)
        const { failures, start } = outage
        const retryAfter = "retryAfter" in error ? error.retryAfter : null
        const wanted = retryAfter === null
          ? Math.min(maxDelay, firstDelay * 2 ** Math.min(failures, 10))
          : Math.max(firstDelay, Duration.toMillis(retryAfter))
        const now = yield* Clock.currentTimeNanos
        const outageStart = isLimit(error) ? start : start ?? now
        const remaining = isLimit(error)
          ? wanted
          : limit - Math.floor(Number(now - (outageStart ?? now)) / 1e6)
        if (remaining <= 0) return yield* Effect.fail(error)
        outage = { failures: failures + 1, start: outageStart }
        const delay = Math.min(wanted, remaining)
        const until = (yield* Clock.currentTimeMillis) + delay
        yield* onWait({ error, until, isFirst: failures === 0 })
        yield* Effect.sleep(delay)
      })
    return attempt
  }
  return limit === 0
    ? source
    : { ...source, pages: (cursor, previous) => Stream.suspend(() => pagesAfter(cursor, previous)) }
}

/** Shows waits: on the progress line of a terminal, after `prefix`; elsewhere as one line for each outage. */
export const showWait =
  ({ err, note, progress }: TerminalService, prefix: Effect.Effect<string> = Effect.succeed("")) =>
  ({ error, isFirst, until }: PageWait): Effect.Effect<void> => {
    const text = `waiting until ${formatClock(until)} UTC, then retrying: ${sanitize(error.summary)}`
    return err.isTerminal
      ? Effect.flatMap(prefix, (prefix) => progress(prefix + text))
      : Effect.when(note(text), () => isFirst)
  }
