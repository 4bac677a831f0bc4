/**
 * What a process counts of its requests, for the status page and for the usage of each client.
 *
 * It is told of every request on the hot path: nothing here is an Effect, and nothing grows with the traffic.
 */
import type { AccessLogEntry } from "../exchange/AccessLogEntry.ts"
import type * as ProxyError from "../exchange/ProxyError.ts"
import * as LatencyHistogram from "./LatencyHistogram.ts"
import * as RequestOutcome from "./RequestOutcome.ts"
import * as TimeSeries from "./TimeSeries.ts"

/** The name under which requests are counted whose client was not recognised. No client may be called so. */
export const unauthenticatedName = "unauthenticated"

/** How many failures are remembered. */
export const maxRecentFailures = 50

/** Whether a request is one for the service, or one that was refused: probes and pages are no traffic. */
const isCounted = ({ code, operation }: AccessLogEntry): boolean => operation !== null || code !== null

export interface UsageCounts {
  readonly requests: number
  /** Requests that a kept answer was given for, stale ones included. */
  readonly hits: number
  readonly stale: number
  /** Requests that shared the question of another. */
  readonly coalesced: number
  /** Answered with 5xx, by us or by the service. */
  readonly failures: number
  /** Refused by us. */
  readonly rejected: number
  /** The client hung up first. */
  readonly clientDisconnects: number
  /** Requests that were sent to the service, and the units that they cost. */
  readonly attempts: number
  readonly upstreamCost: number
  /** Units that kept answers saved. */
  readonly savedCost: number
  /** Units that were taken from clients' budgets. */
  readonly chargedCost: number
  /** Requests that went beyond a budget that only counts. */
  readonly shadowed: number
  readonly bytes: number
}

export interface ClientUsage extends UsageCounts {
  readonly name: string
  readonly rejectedByCode: ReadonlyMap<ProxyError.ErrorCode, number>
  /** When its last request was over, in milliseconds since 1970. */
  readonly lastSeen: number
}

interface UsageReport {
  /** Since when it is counted, in milliseconds since 1970. */
  readonly since: number
  readonly totals: UsageCounts
  /** In the order in which they came first. */
  readonly clients: ReadonlyArray<ClientUsage>
}

interface FailureRecord {
  readonly at: number
  readonly requestId: string
  readonly client: string | null
  readonly operation: AccessLogEntry["operation"]
  readonly route: string
  readonly status: number
  readonly code: ProxyError.ErrorCode | null
}

export interface UsageSnapshot extends UsageReport {
  readonly series: ReadonlyArray<TimeSeries.SeriesPoint>
  /** The newest first. */
  readonly failures: ReadonlyArray<FailureRecord>
}

export interface UsageStats {
  readonly record: (entry: AccessLogEntry) => void
  /** Counts what was spent for a request that was over. */
  readonly recordLateUsage: (client: string | null, attempts: number, cost: number) => void
  readonly usage: () => UsageReport
  readonly snapshot: (now: number) => UsageSnapshot
}

/** Counters as they are written to. */
type MutableCounts = { -readonly [Count in keyof UsageCounts]: UsageCounts[Count] }

interface ClientCounters {
  readonly counters: MutableCounts
  readonly rejectedByCode: Map<ProxyError.ErrorCode, number>
  lastSeen: number
}

const zeroCounts = (): MutableCounts => ({
  requests: 0,
  hits: 0,
  stale: 0,
  coalesced: 0,
  failures: 0,
  rejected: 0,
  clientDisconnects: 0,
  attempts: 0,
  upstreamCost: 0,
  savedCost: 0,
  chargedCost: 0,
  shadowed: 0,
  bytes: 0
})

const isHit = ({ cache }: AccessLogEntry): boolean => cache === "hit" || cache === "stale"

const addToCounts = (
  counters: MutableCounts,
  entry: AccessLogEntry,
  outcome: RequestOutcome.RequestOutcome
): void => {
  counters.requests += 1
  if (isHit(entry)) counters.hits += 1
  if (entry.cache === "stale") counters.stale += 1
  if (entry.cache === "coalesced") counters.coalesced += 1
  if (outcome === "failed") counters.failures += 1
  if (outcome === "rejected") counters.rejected += 1
  if (outcome === "client-disconnected") counters.clientDisconnects += 1
  counters.attempts += entry.attempts
  counters.upstreamCost += entry.upstreamCost
  counters.savedCost += entry.savedCost
  counters.chargedCost += entry.chargedCost
  if (entry.shadowed) counters.shadowed += 1
  counters.bytes += entry.bytes
}

const addToSlot = (
  slot: TimeSeries.SeriesSlot,
  entry: AccessLogEntry,
  outcome: RequestOutcome.RequestOutcome
): void => {
  slot.requests += 1
  if (isHit(entry)) slot.hits += 1
  if (outcome === "failed") slot.failures += 1
  slot.upstreamCost += entry.upstreamCost
  slot.savedCost += entry.savedCost
  // Refusals are answered at once, and would make the service look fast.
  if (outcome === "completed" || outcome === "failed") LatencyHistogram.add(slot.latency, entry.durationMs)
}

const addToClient = (
  client: ClientCounters,
  entry: AccessLogEntry,
  outcome: RequestOutcome.RequestOutcome,
  at: number
): void => {
  addToCounts(client.counters, entry, outcome)
  client.lastSeen = at
  if (entry.code !== null && outcome === "rejected") {
    client.rejectedByCode.set(entry.code, (client.rejectedByCode.get(entry.code) ?? 0) + 1)
  }
}

export const make = (now: number): UsageStats => {
  const totals = zeroCounts()
  // Facts name a client of the configuration, the one that stands for everybody in open mode, or none.
  const clients = new Map<string, ClientCounters>()
  const series = TimeSeries.make(now)
  const failures: Array<FailureRecord> = []

  const clientOf = (name: string): ClientCounters => {
    const known = clients.get(name)
    if (known !== undefined) return known
    const created = {
      counters: zeroCounts(),
      rejectedByCode: new Map<ProxyError.ErrorCode, number>(),
      lastSeen: 0
    }
    clients.set(name, created)
    return created
  }

  const recordFailure = (
    { client, code, requestId, operation, route, status }: AccessLogEntry,
    at: number
  ): void => {
    failures.unshift({ at, requestId, client, operation, route, status, code })
    failures.length = Math.min(failures.length, maxRecentFailures)
  }

  const usage = (): UsageReport => ({
    since: now,
    totals: { ...totals },
    clients: Array.from(clients, ([name, { counters, lastSeen, rejectedByCode }]) => ({
      name,
      ...counters,
      lastSeen,
      rejectedByCode: new Map(rejectedByCode)
    }))
  })

  return {
    record: (entry) => {
      if (!isCounted(entry)) return
      const outcome = RequestOutcome.outcomeOf(entry)
      const at = entry.startedAt + entry.durationMs
      addToCounts(totals, entry, outcome)
      addToClient(clientOf(entry.client ?? unauthenticatedName), entry, outcome, at)
      const slot = series.slot(at)
      if (slot !== undefined) addToSlot(slot, entry, outcome)
      if (outcome === "failed") recordFailure(entry, at)
    },
    recordLateUsage: (client, attempts, cost) => {
      for (const counters of [totals, clientOf(client ?? unauthenticatedName).counters]) {
        counters.attempts += attempts
        counters.upstreamCost += cost
      }
    },
    usage,
    snapshot: (at) => ({ ...usage(), series: series.points(at), failures: [...failures] })
  }
}
