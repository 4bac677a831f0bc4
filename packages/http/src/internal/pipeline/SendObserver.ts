/**
 * Observes whether a call sends requests, so that a gateway charges only for what was sent.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"

/**
 * Called with 1 when an attempt starts to send its request, and with -1 if no connection was opened for it, so that
 * nothing was sent. The sum is the number of requests that were sent for a call, by itself or by the call that it was
 * coalesced with. Must not throw.
 *
 * @since 0.1.0
 * @category models
 */
export type SendObserver = (change: number) => void

/**
 * The observer of the calls of the enclosing region. Default: null.
 *
 * @since 0.1.0
 * @category tags
 */
export class CurrentSendObserver
  extends Context.Reference<CurrentSendObserver>()("@blockquarry/http/SendObserver", {
    defaultValue: (): SendObserver | null => null
  })
{}
