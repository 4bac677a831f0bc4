/**
 * Fairness across the clients of a gateway: a capacity that they share, and a queue that serves them in turn.
 *
 * @since 0.1.0
 */
import type { CallClient } from "../call/CallClient.ts"

/**
 * A capacity, such as concurrent requests or bytes, and what each client holds of it. No client can take all of it.
 *
 * A client may hold at most `share` of the capacity that other clients leave. A client that holds nothing may take
 * all that is free. Thus a client alone gets `share` of the capacity, and each of n busy clients `share / (1 + (n - 1) *
 * share)` of it: a large share lends what is idle, and a small one leaves more for a client that holds nothing. When
 * another client becomes busy, one that holds more than its part acquires nothing until it has released the difference.
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
 * import { makeFairShare } from "@blockquarry/http/Gateway"
 *
 * const slots = makeFairShare({ capacity: 64, share: 1 / 4 })
 * if (slots.tryAcquire("app", 1)) slots.release("app", 1)
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeFairShare = (
  options: { readonly capacity: number; readonly share?: number | undefined }
): FairShare => {
  const { share: defaultShare = 1 } = options
  const holdings = new Holdings()
  return {
    get used() {
      return holdings.used
    },
    held: (client) => holdings.held(client),
    canAcquire: (client, amount, share = defaultShare) =>
      holdings.canAcquire(client, amount, options.capacity, share),
    tryAcquire: (client, amount, share = defaultShare) =>
      holdings.tryAcquire(client, amount, options.capacity, share),
    release: (client, amount) => holdings.release(client, amount)
  }
}

/** What each client holds of a capacity, which every request names. See `FairShare`. */
export class Holdings {
  // Of clients that hold nothing, only some have an entry. A `Map` that loses entries all the time allocates.
  private readonly amounts = new Map<string, number>()
  private total = 0

  get used(): number {
    return this.total
  }

  held(client: string): number {
    return this.amounts.get(client) ?? 0
  }

  canAcquire(client: string, amount: number, capacity: number, share: number): boolean {
    const before = this.held(client)
    const free = capacity - this.total
    return amount <= free && (before === 0 || before + amount <= share * (free + before))
  }

  tryAcquire(client: string, amount: number, capacity: number, share: number): boolean {
    if (!this.canAcquire(client, amount, capacity, share)) return false
    this.add(client, amount)
    return true
  }

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

/** What waits in the queue. */
export interface QueueItem {
  readonly client: CallClient
  /** In units. */
  readonly cost: number
}

/** An item with its position in the order of arrival. */
export interface QueuedItem extends QueueItem {
  readonly arrival: number
}

/** The items of a client. */
interface Flow<Item> {
  /** In the order of arrival. */
  items: Set<Item>
  weight: number
  /** Total cost of the items. */
  cost: number
  /** Virtual start time of the first item, unless the queue is ahead of it. */
  start: number
}

/**
 * A weighted fair queue across clients, in arrival order within a client: start-time fair queueing.
 *
 * While clients wait, each is served cost in proportion to its weight. The virtual start time of a client is the cost
 * that it was served per weight; the client with the lowest is next. A client that was absent, or could not be served,
 * continues at the virtual time of the queue, so that it gets its part from now on and no compensation for the past.
 */
export class FairQueue<Item extends QueuedItem> {
  // In the order in which the flows were last served, so that flows with equal start times take turns.
  private readonly flows = new Map<string, Flow<Item>>()
  private virtualTime = 0
  private total = 0

  /** Number of items. */
  get size(): number {
    return this.total
  }

  /** Number of items of a client. */
  sizeOf(client: CallClient): number {
    return this.flows.get(client.name)?.items.size ?? 0
  }

  *[Symbol.iterator](): Iterator<Item> {
    for (const { items } of this.flows.values()) yield* items
  }

  /** Adds an item behind those of its client. */
  add(item: Item): void {
    const { cost, client: { name, weight } } = item
    const flow = this.flows.get(name) ?? { items: new Set(), weight, cost: 0, start: 0 }
    flow.items.add(item)
    flow.weight = weight
    flow.cost += cost
    this.total += 1
    this.flows.set(name, flow)
  }

  /** Returns the first item of the client that is next, of those whose first item is eligible. */
  next(isEligible: (item: Item) => boolean): Item | undefined {
    let next: Item | undefined
    let nextStart = Number.POSITIVE_INFINITY
    for (const [name, flow] of this.flows) {
      const start = this.startOf(flow)
      const [first] = flow.items
      if (first === undefined) {
        // What the client was served last no longer counts.
        if (flow.start <= this.virtualTime) this.flows.delete(name)
      } else if (start < nextStart && isEligible(first)) {
        next = first
        nextStart = start
      }
    }
    return next
  }

  /** Removes an item that was served, and charges its client. */
  serve(item: Item): void {
    const { name } = item.client
    const flow = this.flows.get(name)
    if (flow === undefined || !this.take(flow, item)) return
    this.virtualTime = this.startOf(flow)
    flow.start = this.virtualTime + chargeOf(item)
    this.flows.delete(name)
    this.flows.set(name, flow)
  }

  /** Adds an item again, in its former place, whose service failed. Its client is not charged. */
  restore(item: Item): void {
    this.add(item)
    const flow = this.flows.get(item.client.name)
    if (flow === undefined) return
    flow.items = new Set([...flow.items].toSorted(byArrival))
    flow.start -= chargeOf(item)
  }

  /** Removes an item that was not served, if the queue has it. */
  remove(item: Item): void {
    const flow = this.flows.get(item.client.name)
    if (flow !== undefined) this.take(flow, item)
  }

  /** Estimates the cost that is served until an additional item of a client is served, including that item. */
  costUntilServed({ client: { name, weight }, cost }: QueueItem): number {
    const ownFlow = this.flows.get(name)
    const costBefore = ownFlow?.cost ?? 0
    const start = this.startOf(ownFlow) + costBefore / weight
    let total = costBefore + cost
    for (const [other, flow] of this.flows) {
      const lead = start - this.startOf(flow)
      if (other === name || flow.items.size === 0 || lead < 0) continue
      // Items that start before this one are served first, and the last of them may end after it starts.
      total += Math.min(flow.cost, lead * flow.weight + flow.cost / flow.items.size)
    }
    return total
  }

  private startOf(flow: Flow<Item> | undefined): number {
    return Math.max(flow?.start ?? 0, this.virtualTime)
  }

  private take(flow: Flow<Item>, item: Item): boolean {
    if (!flow.items.delete(item)) return false
    // Without items there are no rounding errors of fractional costs.
    flow.cost = flow.items.size === 0 ? 0 : flow.cost - item.cost
    this.total -= 1
    return true
  }
}

/** Returns the virtual time of an item. An item without cost is not free, or else its client could be served forever. */
const chargeOf = ({ client: { weight }, cost }: QueueItem): number => (cost > 0 ? cost : 1) / weight

const byArrival = (one: QueuedItem, other: QueuedItem): number => one.arrival - other.arrival
