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
export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Its id; null where the path belongs to none. */
  readonly operation: string | null
}

export interface RequestLog {
  readonly record: (request: RecordedRequest) => Effect.Effect<void>
  readonly requests: Effect.Effect<ReadonlyArray<RecordedRequest>>
  readonly clear: Effect.Effect<void>
}

/** Remembers the last `capacity` requests. */
export const make = (capacity: number): Effect.Effect<RequestLog> =>
  Effect.sync(() => {
    let recorded: Array<RecordedRequest> = []
    return {
      record: (request) =>
        Effect.sync(() => {
          recorded.push(request)
          // Dropped in large steps: a shift per request would move the whole list each time
          if (recorded.length >= 2 * capacity) recorded = recorded.slice(-capacity)
        }),
      requests: Effect.sync(() => recorded.slice(-capacity)),
      clear: Effect.sync(() => {
        recorded = []
      })
    }
  })
