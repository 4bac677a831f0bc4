/**
 * Shares the CPU among clients: while several are active, only a few upstream requests start in each turn of the event loop,
 * in turn by client. Otherwise a request, even a cached one, waits for all requests of a busy client that arrived before it.
 */
import * as Effect from "effect/Effect"
import * as MutableList from "effect/MutableList"

export interface RequestTurns {
  /** Records a request of a client, cached or not. `now` is in milliseconds. */
  readonly recordRequest: (client: string, now: number) => void
  /** Waits until an upstream request of a client may start. Complete if it may at once. */
  readonly start: (client: string, now: number) => Effect.Effect<void>
}

/** Upstream requests that start in one turn: about one millisecond of CPU time. One of each client may exceed it. */
export const maxPerTurn = 6

/** How long a client counts as active after its last request, in milliseconds. */
const activeTime = 1000

/** Undefined once its client has disconnected. */
interface WaitingRequest {
  resume: (() => void) | undefined
}

/** `onNextTurn` runs a function in the next turn of the event loop. */
export const make = (onNextTurn: (run: () => void) => void = setImmediate): RequestTurns => {
  let latestClient: string | undefined
  let severalActiveAt = Number.NEGATIVE_INFINITY
  // Requests that wait, by client. The client that is next is the first.
  const waiting = new Map<string, MutableList.MutableList<WaitingRequest>>()
  const startedBy = new Set<string>()
  let started = 0

  const recordStart = (client: string): void => {
    if (started === 0) onNextTurn(nextTurn)
    started += 1
    startedBy.add(client)
  }

  const nextTurn = (): void => {
    started = 0
    startedBy.clear()
    for (const [client, requests] of waiting) {
      let request = MutableList.shift(requests)
      while (request !== undefined && request.resume === undefined) request = MutableList.shift(requests)
      waiting.delete(client)
      if (!MutableList.isEmpty(requests)) waiting.set(client, requests)
      if (request?.resume === undefined) continue
      recordStart(client)
      request.resume()
      if (started >= maxPerTurn) return
    }
  }

  return {
    recordRequest: (client, now) => {
      if (latestClient !== undefined && latestClient !== client) severalActiveAt = now
      latestClient = client
    },
    start: (client, now) => {
      // The clock may be set back.
      if (Math.abs(now - severalActiveAt) > activeTime) return Effect.succeed(undefined)
      if (!waiting.has(client) && (started < maxPerTurn || !startedBy.has(client))) {
        recordStart(client)
        return Effect.succeed(undefined)
      }
      return Effect.async((resume) => {
        const request: WaitingRequest = { resume: () => resume(Effect.void) }
        const requests = waiting.get(client) ?? MutableList.empty<WaitingRequest>()
        waiting.set(client, MutableList.append(requests, request))
        return Effect.sync(() => {
          request.resume = undefined
        })
      })
    }
  }
}
