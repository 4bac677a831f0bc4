/** What the stages know of a call, and what they pass on. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import type {
  RateLimited,
  RequestCopy,
  ResponseInvalid,
  ServiceFailed,
  TimedOut,
  Unreachable
} from "@blockquarry/core/QueryError"
import type { WireRequest } from "@blockquarry/core/Wire"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import type { Answer } from "../Answer.ts"
import type { Policies } from "../ApiOptions.ts"
import type { Receipt } from "../Receipt.ts"
import type { Address, Ring } from "../Target.ts"
import type { Transport } from "../Transport.ts"
import type { Again, Verdict } from "../Verdict.ts"

export interface Call {
  readonly operation: Pick<AnyOperation, "id" | "repeat" | "cost">
  readonly request: WireRequest
  /** What failures keep of the request. */
  readonly copy: RequestCopy
  readonly ring: Ring
  readonly transport: Transport
  /** Those of the layer, and over them those of the region. */
  readonly policies: Policies
  /** When the call is over, in milliseconds since 1970. */
  readonly deadline: number
  /** How long an attempt of the layer's own may take: who is more hasty says nothing about the service. */
  readonly patience: number
  /** What its caller wants to have charged, if so. */
  readonly receipt: Receipt | null
}

/** A call with the key that an attempt goes by. */
export interface Keyed extends Call {
  readonly address: Address
}

/**
 * What came of an attempt, as far as it tells of the service. Retry budget, breaker, pauses and cache go by this.
 *
 * - `works`, `fails`: it does. (What it has against a request is no failure.)
 * - `throttled`: it said 429.
 * - `silent`: nothing can be said.
 * - `unsent`: nothing was sent, for reasons of our own.
 */
export type Health = "works" | "fails" | "throttled" | "silent" | "unsent"

/** An answer and what it means. */
export interface Judged {
  readonly answer: Answer
  readonly verdict: Verdict
  readonly health: Exclude<Health, "unsent">
}

/** How many milliseconds an answer wants the key to be left alone; null where it does not say. */
export const hintOf = ({ verdict }: Judged): number | null => {
  const hint = verdict._tag === "Whole" ? null : verdict.again?.retryAfter ?? null
  const millis = hint === null ? 0 : Duration.toMillis(hint)
  return millis > 0 ? millis : null
}

/** No answer, and whether another attempt may help. */
export interface Missed {
  readonly error: Unreachable | TimedOut | ResponseInvalid | RateLimited | ServiceFailed
  readonly again: Again | null
  readonly health: Health
}

/** What came of an attempt: an answer of any kind, or none. */
export type Outcome = Either.Either<Judged, Missed>

export const healthOf: (outcome: Outcome) => Health = Either.match({
  onLeft: ({ health }) => health,
  onRight: ({ health }) => health
})
