/**
 * Shares the CPU among clients: while several are active, only a few upstream requests start in each turn of the event loop,
 * in turn by client. Otherwise a request, even a cached one, waits for all requests of a busy client that arrived before it.
 */
import { FairQueue, type QueuedItem } from "@blockquarry/http/gateway/FairQueue"
import * as Effect from "effect/Effect"

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

interface WaitingRequest extends QueuedItem {
  readonly resume: () => void
}

/** `onNextTurn` runs a function in the next turn of the event loop. */
export const make = (onNextTurn: (run: () => void) => void = setImmediate): RequestTurns => {
  let latestClient: string | undefined
  let severalActiveAt = Number.NEGATIVE_INFINITY
  const waiting = new FairQueue<WaitingRequest>()
  const startedBy = new Set<string>()
  let started = 0
  let arrivals = 0

  const recordStart = (client: string): void => {
    if (started === 0) onNextTurn(nextTurn)
    started += 1
    startedBy.add(client)
  }

  const nextTurn = (): void => {
    started = 0
    startedBy.clear()
    while (started < maxPerTurn) {
      const request = waiting.next(() => true)
      if (request === undefined) return
      waiting.serve(request)
      recordStart(request.client.name)
      request.resume()
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
      if (waiting.sizeOf({ name: client }) === 0 && (started < maxPerTurn || !startedBy.has(client))) {
        recordStart(client)
        return Effect.succeed(undefined)
      }
      return Effect.async((resume) => {
        const request = {
          client: { name: client, weight: 1 },
          cost: 1,
          arrival: arrivals += 1,
          resume: () => resume(Effect.void)
        }
        waiting.add(request)
        return Effect.sync(() => waiting.remove(request))
      })
    }
  }
}
