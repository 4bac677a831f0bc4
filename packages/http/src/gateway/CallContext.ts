/**
 * Call context: what the caller of the engine brings with a call. A gateway passes it as an argument; the clients of APIs take
 * theirs from the fiber.
 *
 * Calls wait for API keys and concurrency slots in one queue per base URL. The queue serves clients in proportion to
 * their weights, and limits the slots of each client.
 *
 * Unstable: this module may change in any release.
 */
import * as Context from "effect/Context"
import * as CallOptions from "../CallOptions.ts"
import type { UsageObserver } from "../CallUsage.ts"
import { type BodyMemory, unlimited } from "./RawResponse.ts"

export interface CallContext {
  readonly client: CallClient
  /**
   * An attempt takes what it has received of a body. When the body is complete, or the attempt fails or is interrupted, it
   * returns that. If there is not enough, it cancels the body and fails with a `LocalLimitError` with the limit `memory`,
   * which is not retried and does not count as a failure of the upstream. Coalesced calls use the memory of the call that
   * sent the request.
   */
  readonly memory: BodyMemory
  readonly options: CallOptions.CallOptions
  readonly reservation: Reservation
}

/** What is sent and used for one call: a gateway charges only for what was sent. */
export interface Reservation {
  /**
   * The number of requests that were sent, by the call itself or by the call that it was coalesced with. The engine counts one
   * when an attempt starts to send it, but not if no connection was opened for it.
   */
  sent: number
  /** Called with each increment of usage as it occurs, also in the background after the call. Must not throw. */
  readonly onUsage: UsageObserver | null
}

/** Makes a context. Default: no client, unlimited memory, no options, nothing observes the usage. */
export const make = (context: Partial<CallContext> = {}): CallContext => ({
  client: context.client ?? noClient,
  memory: context.memory ?? unlimited,
  options: context.options ?? CallOptions.none,
  reservation: context.reservation ?? { sent: 0, onUsage: null }
})

/**
 * A client of a gateway.
 *
 * - `name`: identifies the client. Calls with the same name are those of one client. The name of `noClient` is empty.
 * - `weight`: the client's part of the rate limits and concurrency slots while other clients wait too, relative to their
 *   weights. More than 0.
 * - `share`: the client holds at most this part of the concurrency slots that other clients leave. Greater than 0 and at
 *   most 1. See `FairShare`.
 *
 * `maxQueue` of `RateLimit` and `ConcurrencyLimit` limits the waiting attempts of each client.
 */
export interface CallClient {
  readonly name: string
  readonly weight: number
  readonly share: number
}

/** The client of all calls that are made for no client. */
export const noClient: CallClient = { name: "", weight: 1, share: 1 }

/**
 * The client of the calls of the enclosing region. Default: `noClient`.
 *
 * @example
 * import * as CallContext from "@blockquarry/http/gateway/CallContext"
 * import * as Effect from "effect/Effect"
 *
 * const forClient = Effect.provideService(CallContext.CurrentClient, { name: "app", weight: 1, share: 1 / 4 })
 */
export class CurrentClient
  extends Context.Reference<CurrentClient>()("@blockquarry/http/CallClient", { defaultValue: () => noClient })
{}
