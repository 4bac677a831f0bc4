/**
 * A queue that serves the clients of a gateway in turn.
 *
 * Unstable: this module may change in any release.
 */
import type { CallClient } from "./CallContext.ts"

/** What a client asks for. */
export interface QueueItem {
  readonly client: Pick<CallClient, "name" | "weight">
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
  sizeOf({ name }: Pick<CallClient, "name">): number {
    return this.flows.get(name)?.items.size ?? 0
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
