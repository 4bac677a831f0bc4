/**
 * Shares a capacity among clients, so that no client can take all of it.
 *
 * A client may hold at most `share` of the capacity that other clients leave. A client that holds nothing may take
 * all that is free. Thus a client alone gets `share` of the capacity, and each of several busy clients gets less, so
 * that some is free for a client that holds nothing: of n busy clients with share 1/4, each gets 1/(n + 3).
 *
 * Nothing waits here: see `UpstreamQueue` for a queue.
 *
 * @since 0.1.0
 */

/**
 * A capacity, such as concurrent requests or bytes, and what each client holds of it.
 *
 * @since 0.1.0
 * @category models
 */
export interface FairShare {
  /** The amount that all clients hold. */
  readonly used: number
  /** Returns the amount that a client holds. */
  readonly held: (client: string) => number
  /** Whether `tryAcquire` would succeed. */
  readonly canAcquire: (client: string, amount: number, share?: number) => boolean
  /**
   * Takes an amount of at least 0 for a client. Returns false, and takes nothing, if the client would hold more than it
   * may. `share` overrides the share of all clients for this client.
   */
  readonly tryAcquire: (client: string, amount: number, share?: number) => boolean
  /** Returns an amount, or all that the client holds if that is less. */
  readonly release: (client: string, amount: number) => void
}

/**
 * Creates a capacity of which nothing is used. `share` is greater than 0 and at most 1; with a share of 1, clients are
 * limited by the capacity only. Default: 1. Each call reads `capacity`, so a getter may change it.
 *
 * @example
 * import { FairShare } from "@blockquarry/http/Gateway"
 *
 * const slots = FairShare.make({ capacity: 64, share: 1 / 4 })
 * if (slots.tryAcquire("app", 1)) slots.release("app", 1)
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: { readonly capacity: number; readonly share?: number | undefined }
): FairShare => {
  const { share: defaultShare = 1 } = options
  // Of clients that hold nothing, only some have an entry. A `Map` that loses entries all the time allocates.
  const amounts = new Map<string, number>()
  let used = 0
  const held = (client: string): number => amounts.get(client) ?? 0
  const set = (client: string, amount: number): void => {
    if (amount > 0 || amounts.size <= maxEntries) amounts.set(client, amount)
    else amounts.delete(client)
  }
  const canAcquire: FairShare["canAcquire"] = (client, amount, share = defaultShare) => {
    const before = held(client)
    const free = options.capacity - used
    return amount <= free && (before === 0 || before + amount <= share * (free + before))
  }
  return {
    get used() {
      return used
    },
    held,
    canAcquire,
    tryAcquire: (client, amount, share) => {
      if (!canAcquire(client, amount, share)) return false
      used += amount
      set(client, held(client) + amount)
      return true
    },
    release: (client, amount) => {
      const released = Math.min(amount, held(client))
      used -= released
      set(client, held(client) - released)
    }
  }
}

/** Number of clients above which those that hold nothing lose their entry. */
const maxEntries = 1000
