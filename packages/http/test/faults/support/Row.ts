/** A row of the fault matrix: what the upstream does, and the expected outcome. */
import type * as Timeouts from "@blockquarry/http/Timeouts"
import type * as Http from "node:http"

/** A request, and what a responder needs. */
interface Exchange {
  readonly response: Http.ServerResponse
  readonly query: URLSearchParams
  /** The time of the client. */
  readonly now: number
  /** The JSON text of a valid response. */
  readonly text: string
  /** Redirect targets on the same and on another host. Both URLs contain the API key. */
  readonly sameHost: string
  readonly otherHost: string
  /** Signals that nothing more will be sent. */
  readonly onSilence: () => void
}

export type Responder = (exchange: Exchange) => void

/** The expected outcome of a call. */
export interface ExpectedOutcome {
  /** "ok" or the tag of the error. */
  readonly tag: string
  readonly requests: number
  /** Fields of the error. */
  readonly fields?: Readonly<Record<string, unknown>>
}

export interface Row {
  readonly name: string
  readonly responder: Responder
  readonly get: ExpectedOutcome
  readonly update: ExpectedOutcome
  /** Operations with a different outcome. */
  readonly except?: Readonly<Record<string, ExpectedOutcome>>
  /** Whether a stale response is served instead of the error. */
  readonly servesStale: boolean
  /**
   * The outcome of the next call, after the fault: it sends a request (`sent`, the default), it must bypass a cached
   * error (`reload`), it fails in the cooldown (`cooldown`), or it fails like the first call (`same`).
   */
  readonly next?: "sent" | "reload" | "cooldown" | "same"
  /** Sends requests to an unreachable host: one that refuses connections, or one that does not exist. */
  readonly unreachableHost?: "refused" | "unknown"
  readonly attempts?: number
  readonly timeouts?: Timeouts.Timeouts
}

export const attempts = 3

/** No timeout is shorter, and every wait before a retry is. */
export const minTimeoutMillis = 10_000

export const timeouts: Timeouts.Timeouts = { attempt: "10 seconds", call: "20 seconds" }

const ok = (requests: number): ExpectedOutcome => ({ tag: "ok", requests })

/** Read operations are retried; updates are not, because they may have been applied. */
export const networkError = (requests = attempts): Pick<Row, "get" | "update" | "servesStale"> => ({
  get: { tag: "NetworkError", requests, fields: { sent: true, mayHaveBeenApplied: false } },
  update: { tag: "NetworkError", requests: 1, fields: { sent: true, mayHaveBeenApplied: true } },
  servesStale: true
})

/** A 200 without a complete JSON document. */
export const malformed: Pick<Row, "get" | "update" | "servesStale"> = {
  get: {
    tag: "InvalidResponseError",
    requests: attempts,
    fields: { kind: "incomplete", path: "", mayHaveBeenApplied: false }
  },
  update: {
    tag: "InvalidResponseError",
    requests: 1,
    fields: { kind: "incomplete", path: "", mayHaveBeenApplied: true }
  },
  servesStale: true
}

/** A complete response of an unexpected shape, which is not retried. */
export const unexpectedShape: Pick<Row, "get" | "update" | "servesStale"> = {
  get: { tag: "InvalidResponseError", requests: 1, fields: { mayHaveBeenApplied: false } },
  update: { tag: "InvalidResponseError", requests: 1, fields: { mayHaveBeenApplied: true } },
  servesStale: false
}

/** Succeeds at the first attempt. */
export const success: Pick<Row, "get" | "update" | "servesStale"> = {
  get: ok(1),
  update: ok(1),
  servesStale: false
}

/** The same error for read operations and updates, which are not applied. */
export const rejected = (tag: string, requests: number, fields: ExpectedOutcome["fields"] = {}) => ({
  get: { tag, requests, fields },
  update: { tag, requests, fields }
})
