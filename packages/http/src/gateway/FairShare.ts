/**
 * Capacities that the clients of a gateway share fairly.
 *
 * Unstable: this module may change in any release.
 */

/**
 * What each client holds of a capacity, such as concurrent requests or bytes. No client can take all of it.
 *
 * A client may hold at most `share` of the capacity that other clients leave. A client that holds nothing may take
 * all that is free. Thus a client alone gets `share` of the capacity, and each of n busy clients `share / (1 + (n - 1) *
 * share)` of it: a large share lends what is idle, and a small one leaves more for a client that holds nothing. When
 * another client becomes busy, one that holds more than its part acquires nothing until it has released the difference.
 *
 * Each call states the capacity and the share of the client, greater than 0 and at most 1, because a new configuration
 * may change them. With a share of 1, clients are limited by the capacity only.
 *
 * @example
 * import { FairShare } from "@blockquarry/http/gateway/FairShare"
 *
 * const slots = new FairShare()
 * if (slots.tryAcquire("app", 1, 64, 1 / 4)) slots.release("app", 1)
 */
export class FairShare {
  // Of clients that hold nothing, only some have an entry. A `Map` that loses entries all the time allocates.
  private readonly amounts = new Map<string, number>()
  private total = 0

  /** The amount that all clients hold. */
  get used(): number {
    return this.total
  }

  /** Returns the amount that a client holds. */
  held(client: string): number {
    return this.amounts.get(client) ?? 0
  }

  /** Whether `tryAcquire` would succeed. */
  canAcquire(client: string, amount: number, capacity: number, share: number): boolean {
    const before = this.held(client)
    const free = capacity - this.total
    return amount <= free && (before === 0 || before + amount <= share * (free + before))
  }

  /**
   * Takes an amount of at least 0 for a client. Returns false, and takes nothing, if the client would hold more than it
   * may.
   */
  tryAcquire(client: string, amount: number, capacity: number, share: number): boolean {
    if (!this.canAcquire(client, amount, capacity, share)) return false
    this.add(client, amount)
    return true
  }

  /** Returns an amount, or all that the client holds if that is less. */
  release(client: string, amount: number): void {
    this.add(client, -Math.min(amount, this.held(client)))
  }

  private add(client: string, amount: number): void {
    const after = this.held(client) + amount
    this.total += amount
    if (after > 0 || this.amounts.size <= maxEntries) this.amounts.set(client, after)
    else this.amounts.delete(client)
  }
}

/** Number of clients above which those that hold nothing lose their entry. */
const maxEntries = 1000
