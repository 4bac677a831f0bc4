/**
 * The client that a gateway makes a call for.
 *
 * Calls wait for API keys and concurrency slots in one queue per base URL. The queue serves clients in proportion to
 * their weights, and limits the slots of each client.
 *
 * Unstable: this module may change in any release.
 */
import * as Context from "effect/Context"

/**
 * A client of a gateway.
 *
 * - `name`: identifies the client. Calls with the same name are those of one client. The name of `none` is empty.
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
export const none: CallClient = { name: "", weight: 1, share: 1 }

/**
 * The client of the calls of the enclosing region. Default: `none`.
 *
 * @example
 * import * as CallClient from "@blockquarry/http/CallClient"
 * import * as Effect from "effect/Effect"
 *
 * const forClient = Effect.provideService(CallClient.CurrentClient, { name: "app", weight: 1, share: 1 / 4 })
 */
export class CurrentClient
  extends Context.Reference<CurrentClient>()("@blockquarry/http/CallClient", { defaultValue: () => none })
{}
