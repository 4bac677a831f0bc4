/**
 * Slows down clients that go on sending requests which the proxy rejects, for example one that ignores `Retry-After`. Each
 * rejection costs CPU time that other clients need.
 *
 * Each source may have `limits.maxRejectionRate` rejections per second. Responses to further ones are delayed so that they
 * keep to this rate. A client that waits for responses then sends no more than that, with any number of connections.
 * Requests that are not rejected are not delayed.
 */
import * as LruMap from "@blockquarry/http/gateway/LruMap"
import * as Effect from "effect/Effect"

export interface RejectionPace {
  /**
   * Returns the response at once, or after a delay if the source has had too many rejections. `maxRate` is in rejections
   * per second, `now` in milliseconds.
   */
  readonly pace: <A>(source: string, response: A, maxRate: number, now: number) => Effect.Effect<A>
  /** Returns the number of responses that are delayed. There is at most one for each pending response. */
  readonly delayed: () => number
}

/** The longest delay: clients usually wait longer for a response. In milliseconds. */
export const maxDelay = 5000

/** Rejections of one second may come at once. In milliseconds. */
const burst = 1000

/** Sources that are remembered. Beyond it the least recently rejected one is forgotten. */
const maxSources = 10_000

export const make = (): RejectionPace => {
  // The time of the next rejection of each source at the maximum rate (generic cell rate algorithm).
  const nextTimes = LruMap.make<number>({ maxSize: maxSources })
  let delayed = 0

  const delayOf = (source: string, maxRate: number, now: number): number => {
    const latest = now + burst + maxDelay
    const next = Math.max(nextTimes.get(source) ?? now, now)
    // Bounded, so that it does not outlast a clock that is set back.
    nextTimes.set(source, Math.min(next + 1000 / maxRate, latest))
    return Math.min(next, latest) - burst - now
  }

  return {
    pace: (source, response, maxRate, now) => {
      const delay = delayOf(source, maxRate, now)
      if (delay <= 0) return Effect.succeed(response)
      return Effect.acquireUseRelease(
        Effect.sync(() => {
          delayed += 1
        }),
        () => Effect.as(Effect.sleep(delay), response),
        () =>
          Effect.sync(() => {
            delayed -= 1
          })
      )
    },
    delayed: () => delayed
  }
}
