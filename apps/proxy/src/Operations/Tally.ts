/**
 * What a process counts of its requests, for the status page and for the usage of each client.
 *
 * It is told of every request on the hot path: nothing here is an Effect, and nothing grows with the traffic.
 */
import type { Facts } from "../Facts.ts"
import type * as Failure from "../Failure.ts"
import * as Latency from "./Latency.ts"
import * as Outcome from "./Outcome.ts"
import * as Series from "./Series.ts"

/** The name under which requests are counted whose client was not recognised. No client may be called so. */
export const nobody = "nobody"

/** How many failures are remembered. */
export const remembered = 50

/** Whether a request is one for the service, or one that was refused: probes and pages are no traffic. */
const isTraffic = ({ code, operation }: Facts): boolean => operation !== null || code !== null

export interface Counts {
  readonly requests: number
  /** Requests that a kept answer was given for, stale ones included. */
  readonly hits: number
  readonly stale: number
  /** Requests that shared the question of another. */
  readonly shared: number
  /** Answered with 5xx, by us or by the service. */
  readonly failures: number
  /** Refused by us. */
  readonly refused: number
  /** The client hung up first. */
  readonly hungUp: number
  /** Requests that were sent to the service, and the units that they cost. */
  readonly attempts: number
  readonly cost: number
  /** Units that kept answers saved. */
  readonly saved: number
  /** Units that were taken from clients' budgets. */
  readonly charged: number
  /** Requests that went beyond a budget that only counts. */
  readonly shadowed: number
  readonly bytes: number
}

export interface ClientUsage extends Counts {
  readonly name: string
  readonly refusedBy: ReadonlyMap<Failure.Code, number>
  /** When its last request was over, in milliseconds since 1970. */
  readonly lastSeen: number
}

interface Usage {
  /** Since when it is counted, in milliseconds since 1970. */
  readonly since: number
  readonly totals: Counts
  /** In the order in which they came first. */
  readonly clients: ReadonlyArray<ClientUsage>
}

interface FailureSeen {
  readonly at: number
  readonly id: string
  readonly client: string | null
  readonly operation: Facts["operation"]
  readonly route: string
  readonly status: number
  readonly code: Failure.Code | null
}

export interface Snapshot extends Usage {
  readonly series: ReadonlyArray<Series.Point>
  /** The newest first. */
  readonly failures: ReadonlyArray<FailureSeen>
}

export interface Tally {
  readonly record: (facts: Facts) => void
  /** Counts what was spent for a request that was over. */
  readonly late: (client: string | null, attempts: number, units: number) => void
  readonly usage: () => Usage
  readonly snapshot: (now: number) => Snapshot
}

/** Counters as they are written to. */
type Counters = { -readonly [Count in keyof Counts]: Counts[Count] }

interface Client {
  readonly counters: Counters
  readonly refusedBy: Map<Failure.Code, number>
  lastSeen: number
}

const zero = (): Counters => ({
  requests: 0,
  hits: 0,
  stale: 0,
  shared: 0,
  failures: 0,
  refused: 0,
  hungUp: 0,
  attempts: 0,
  cost: 0,
  saved: 0,
  charged: 0,
  shadowed: 0,
  bytes: 0
})

const kept = ({ cache }: Facts): boolean => cache === "hit" || cache === "stale"

const count = (counters: Counters, facts: Facts, outcome: Outcome.Outcome): void => {
  counters.requests += 1
  if (kept(facts)) counters.hits += 1
  if (facts.cache === "stale") counters.stale += 1
  if (facts.cache === "shared") counters.shared += 1
  if (outcome === "failed") counters.failures += 1
  if (outcome === "refused") counters.refused += 1
  if (outcome === "hung up") counters.hungUp += 1
  counters.attempts += facts.attempts
  counters.cost += facts.cost
  counters.saved += facts.saved
  counters.charged += facts.charged
  if (facts.shadowed) counters.shadowed += 1
  counters.bytes += facts.bytes
}

const countStep = (slot: Series.Slot, facts: Facts, outcome: Outcome.Outcome): void => {
  slot.requests += 1
  if (kept(facts)) slot.hits += 1
  if (outcome === "failed") slot.failures += 1
  slot.cost += facts.cost
  slot.saved += facts.saved
  // Refusals are answered at once, and would make the service look fast.
  if (outcome === "answered" || outcome === "failed") Latency.add(slot.latency, facts.millis)
}

const countClient = (client: Client, facts: Facts, outcome: Outcome.Outcome, at: number): void => {
  count(client.counters, facts, outcome)
  client.lastSeen = at
  if (facts.code !== null && outcome === "refused") {
    client.refusedBy.set(facts.code, (client.refusedBy.get(facts.code) ?? 0) + 1)
  }
}

export const make = (now: number): Tally => {
  const totals = zero()
  // Facts name a client of the configuration, the one that stands for everybody in open mode, or none.
  const clients = new Map<string, Client>()
  const series = Series.make(now)
  const failures: Array<FailureSeen> = []

  const clientOf = (name: string): Client => {
    const known = clients.get(name)
    if (known !== undefined) return known
    const made = { counters: zero(), refusedBy: new Map<Failure.Code, number>(), lastSeen: 0 }
    clients.set(name, made)
    return made
  }

  const remember = ({ client, code, id, operation, route, status }: Facts, at: number): void => {
    failures.unshift({ at, id, client, operation, route, status, code })
    failures.length = Math.min(failures.length, remembered)
  }

  const usage = (): Usage => ({
    since: now,
    totals: { ...totals },
    clients: Array.from(clients, ([name, { counters, lastSeen, refusedBy }]) => ({
      name,
      ...counters,
      lastSeen,
      refusedBy: new Map(refusedBy)
    }))
  })

  return {
    record: (facts) => {
      if (!isTraffic(facts)) return
      const outcome = Outcome.of(facts)
      const at = facts.at + facts.millis
      count(totals, facts, outcome)
      countClient(clientOf(facts.client ?? nobody), facts, outcome, at)
      const slot = series.slot(at)
      if (slot !== undefined) countStep(slot, facts, outcome)
      if (outcome === "failed") remember(facts, at)
    },
    late: (client, attempts, units) => {
      for (const counters of [totals, clientOf(client ?? nobody).counters]) {
        counters.attempts += attempts
        counters.cost += units
      }
    },
    usage,
    snapshot: (at) => ({ ...usage(), series: series.points(at), failures: [...failures] })
  }
}
