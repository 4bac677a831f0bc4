/** Records received requests. */
import * as Effect from "effect/Effect"

/** A received request with its headers, including the API key, and its operation. */
export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The ID of the operation, or null if the path matches none. */
  readonly operation: string | null
}

export interface RequestLog {
  readonly record: (request: RecordedRequest) => Effect.Effect<void>
  readonly requests: Effect.Effect<ReadonlyArray<RecordedRequest>>
  readonly clear: Effect.Effect<void>
}

/** Creates a log of the last `capacity` requests. */
export const make = (capacity: number): Effect.Effect<RequestLog> =>
  Effect.sync(() => {
    let recorded: Array<RecordedRequest> = []
    return {
      record: (request) =>
        Effect.sync(() => {
          recorded.push(request)
          // Removing one request at a time would copy the array for each request
          if (recorded.length >= 2 * capacity) recorded = recorded.slice(-capacity)
        }),
      requests: Effect.sync(() => recorded.slice(-capacity)),
      clear: Effect.sync(() => {
        recorded = []
      })
    }
  })
