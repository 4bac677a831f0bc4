/**
 * Call context: what the caller of the engine brings with a call. A gateway passes it as an argument; the clients of APIs take
 * theirs from the fiber.
 *
 * Unstable: this module may change in any release.
 */
import * as CallClient from "./CallClient.ts"
import * as CallOptions from "./CallOptions.ts"
import type { UsageObserver } from "./CallUsage.ts"
import { type BodyMemory, unlimited } from "./RawResponse.ts"

export interface CallContext {
  readonly client: CallClient.CallClient
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
  client: context.client ?? CallClient.none,
  memory: context.memory ?? unlimited,
  options: context.options ?? CallOptions.none,
  reservation: context.reservation ?? { sent: 0, onUsage: null }
})
