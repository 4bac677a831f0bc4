/** What a row of the fault matrix says: what a service does wrong, and what must come of it. */
import type * as Timeouts from "@blockquarry/http/Timeouts"
import type * as Http from "node:http"

/** One request at the server, and what there is to answer it with. */
interface Exchange {
  readonly response: Http.ServerResponse
  readonly query: URLSearchParams
  /** The JSON text of a whole and right answer. */
  readonly text: string
  /** A path of the same server, and a server that nobody is to talk to; both addresses repeat the key. */
  readonly sameHost: string
  readonly otherHost: string
  /** Says that nothing more will come. */
  readonly onSilence: () => void
}

export type Responder = (exchange: Exchange) => void

/** How a call ends, after how many requests. */
export interface ExpectedOutcome {
  /** "ok", or the tag of the failure. */
  readonly tag: string
  readonly requests: number
  /** What the failure says besides. */
  readonly fields?: Readonly<Record<string, unknown>>
}

export interface Row {
  readonly name: string
  readonly responder: Responder
  readonly get: ExpectedOutcome
  readonly update: ExpectedOutcome
  /** Operations that see it in a way of their own. */
  readonly except?: Readonly<Record<string, ExpectedOutcome>>
  /** Whether a stale answer stands in for the failure. */
  readonly servesStale: boolean
  /**
   * What the next call meets, once the service is well again: it is asked (where nothing is said), it must be made to
   * ask since "no" is kept for a moment, or it is told to wait as long as the service said. Or there is no service.
   */
  readonly next?: "asked" | "reload" | "paused" | "same"
  /** Where requests go, if not to the server: a port that nobody listens at, a host that there is not. */
  readonly unreachableHost?: "refused" | "unknown"
  readonly attempts?: number
  readonly timeouts?: Timeouts.Timeouts
}

export const attempts = 3

/** Longer than any row takes on a busy machine: what is to be shown is that no call needs it. */
export const timeouts: Timeouts.Timeouts = { attempt: "10 seconds", call: "20 seconds" }

const ok = (requests: number): ExpectedOutcome => ({ tag: "ok", requests })

/** A read is repeated as long as it may be; a change once it cannot have taken effect. */
export const networkError = (requests = attempts): Pick<Row, "get" | "update" | "servesStale"> => ({
  get: { tag: "NetworkError", requests, fields: { sent: true, mayHaveBeenApplied: false } },
  update: { tag: "NetworkError", requests: 1, fields: { sent: true, mayHaveBeenApplied: true } },
  servesStale: true
})

/** A success that is no whole document. */
export const malformed: Pick<Row, "get" | "update" | "servesStale"> = {
  get: { tag: "InvalidResponseError", requests: attempts, fields: { path: "", mayHaveBeenApplied: false } },
  update: { tag: "InvalidResponseError", requests: 1, fields: { path: "", mayHaveBeenApplied: true } },
  servesStale: true
}

/** A whole document that is something else: the service has said what it has to say. */
export const unexpectedShape: Pick<Row, "get" | "update" | "servesStale"> = {
  get: { tag: "InvalidResponseError", requests: 1, fields: { mayHaveBeenApplied: false } },
  update: { tag: "InvalidResponseError", requests: 1, fields: { mayHaveBeenApplied: true } },
  servesStale: false
}

/** Understood at the first attempt. */
export const success: Pick<Row, "get" | "update" | "servesStale"> = {
  get: ok(1),
  update: ok(1),
  servesStale: false
}

/** The same for reads and changes: a refusal that takes no effect. */
export const rejected = (tag: string, requests: number, fields: ExpectedOutcome["fields"] = {}) => ({
  get: { tag, requests, fields },
  update: { tag, requests, fields }
})
