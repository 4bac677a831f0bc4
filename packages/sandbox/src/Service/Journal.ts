/**
 * The requests that arrived.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"

/**
 * A request as it was seen, with its headers (the key too) and the operation that it was for.
 *
 * @since 0.1.0
 * @category models
 */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Its id; null where the path belongs to none. */
  readonly operation: string | null
}

export interface Journal {
  readonly record: (request: SeenRequest) => Effect.Effect<void>
  readonly requests: Effect.Effect<ReadonlyArray<SeenRequest>>
  readonly forget: Effect.Effect<void>
}

/** Remembers the last `capacity` requests. */
export const make = (capacity: number): Effect.Effect<Journal> =>
  Effect.sync(() => {
    let seen: Array<SeenRequest> = []
    return {
      record: (request) =>
        Effect.sync(() => {
          seen.push(request)
          // Dropped in large steps: a shift per request would move the whole list each time
          if (seen.length >= 2 * capacity) seen = seen.slice(-capacity)
        }),
      requests: Effect.sync(() => seen.slice(-capacity)),
      forget: Effect.sync(() => {
        seen = []
      })
    }
  })
