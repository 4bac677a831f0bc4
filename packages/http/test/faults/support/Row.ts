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
  readonly here: string
  readonly elsewhere: string
  /** Says that nothing more will come. */
  readonly silent: () => void
}

export type Answerer = (exchange: Exchange) => void

/** How a call ends, after how many requests. */
export interface Outcome {
  /** "ok", or the tag of the failure. */
  readonly tag: string
  readonly requests: number
  /** What the failure says besides. */
  readonly facts?: Readonly<Record<string, unknown>>
}

export interface Row {
  readonly name: string
  readonly answer: Answerer
  readonly read: Outcome
  readonly change: Outcome
  /** Operations that see it in a way of their own. */
  readonly except?: Readonly<Record<string, Outcome>>
  /** Whether a stale answer stands in for the failure. */
  readonly rescued: boolean
  /**
   * What the next call meets, once the service is well again: it is asked (where nothing is said), it must be made to
   * ask since "no" is kept for a moment, or it is told to wait as long as the service said. Or there is no service.
   */
  readonly next?: "asked" | "reload" | "paused" | "same"
  /** Where requests go, if not to the server: a port that nobody listens at, a host that there is not. */
  readonly nowhere?: "refused" | "unknown"
  readonly attempts?: number
  readonly timeouts?: Timeouts.Timeouts
}

export const attempts = 3

/** Longer than any row takes on a busy machine: what is to be shown is that no call needs it. */
export const timeouts: Timeouts.Timeouts = { attempt: "10 seconds", total: "20 seconds" }

const ok = (requests: number): Outcome => ({ tag: "ok", requests })

/** A read is repeated as long as it may be; a change once it cannot have taken effect. */
export const unreachable = (requests = attempts): Pick<Row, "read" | "change" | "rescued"> => ({
  read: { tag: "Unreachable", requests, facts: { sent: true, mayHaveTakenEffect: false } },
  change: { tag: "Unreachable", requests: 1, facts: { sent: true, mayHaveTakenEffect: true } },
  rescued: true
})

/** A success that is no whole document. */
export const garbled: Pick<Row, "read" | "change" | "rescued"> = {
  read: { tag: "ResponseInvalid", requests: attempts, facts: { path: "", mayHaveTakenEffect: false } },
  change: { tag: "ResponseInvalid", requests: 1, facts: { path: "", mayHaveTakenEffect: true } },
  rescued: true
}

/** A whole document that is something else: the service has said what it has to say. */
export const foreign: Pick<Row, "read" | "change" | "rescued"> = {
  read: { tag: "ResponseInvalid", requests: 1, facts: { mayHaveTakenEffect: false } },
  change: { tag: "ResponseInvalid", requests: 1, facts: { mayHaveTakenEffect: true } },
  rescued: false
}

/** Understood at the first attempt. */
export const understood: Pick<Row, "read" | "change" | "rescued"> = {
  read: ok(1),
  change: ok(1),
  rescued: false
}

/** The same for reads and changes: a refusal that takes no effect. */
export const refused = (tag: string, requests: number, facts: Outcome["facts"] = {}) => ({
  read: { tag, requests, facts },
  change: { tag, requests, facts }
})
