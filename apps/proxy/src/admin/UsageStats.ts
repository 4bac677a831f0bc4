/**
 * Usage counters of the process, in total and by client, for the status page and usage reports.
 *
 * They are updated on the hot path for every request: the functions are synchronous, and memory use is bounded.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AccessLogEntry } from "../exchange/AccessLogEntry.ts"
import type * as ProxyError from "../exchange/ProxyError.ts"
import * as LatencyHistogram from "./LatencyHistogram.ts"
import * as RequestOutcome from "./RequestOutcome.ts"
import * as TimeSeries from "./TimeSeries.ts"

/** The client name of requests that failed authentication. It is reserved: no configured client can have it. */
export const unauthenticatedName = "unauthenticated"

/** Maximum number of recent failures. */
export const maxRecentFailures = 50

/** Whether a request is for an operation or has an error code. Probes and pages are not counted. */
const isCounted = ({ code, operation }: AccessLogEntry): boolean => operation !== null || code !== null

const zeroCounts = () => ({
  requests: 0,
  /** Cache hits, including stale ones. */
  hits: 0,
  stale: 0,
  /** Requests that were coalesced with a request in flight. */
  coalesced: 0,
  /** Responses with 5xx of the proxy or the upstream. */
  failures: 0,
  /** Requests rejected by the proxy. */
  rejected: 0,
  /** Requests whose client disconnected before the response was complete. */
  clientDisconnects: 0,
  /** Requests sent to the upstream. */
  attempts: 0,
  /** Units charged by the upstream. */
  upstreamCost: 0,
  /** Units saved by cache hits. */
  savedCost: 0,
  /** Units charged to client quotas. */
  chargedCost: 0,
  /** Requests that exceeded a quota in shadow mode. */
  shadowed: 0,
  bytes: 0
})

type MutableCounts = ReturnType<typeof zeroCounts>

export type UsageCounts = Readonly<MutableCounts>

export interface ClientUsage extends UsageCounts {
  readonly name: string
  readonly rejectedByCode: ReadonlyMap<ProxyError.ErrorCode, number>
  /** When the last request completed, in milliseconds since 1970. */
  readonly lastSeen: number
}

interface UsageReport {
  /** When counting started, in milliseconds since 1970. */
  readonly since: number
  readonly totals: UsageCounts
  /** In the order of their first requests. */
  readonly clients: ReadonlyArray<ClientUsage>
}

export interface FailureRecord {
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
  /** Newest first. */
  readonly failures: ReadonlyArray<FailureRecord>
}

export interface UsageStatsService {
  /** Records a completed request. */
  readonly record: (entry: AccessLogEntry) => void
  /** Records attempts and cost that arrive after their request has completed. */
  readonly recordLateUsage: (client: string | null, attempts: number, cost: number) => void
  readonly usage: () => UsageReport
  readonly snapshot: (now: number) => UsageSnapshot
}

export class UsageStats extends Context.Tag("quarry-proxy/UsageStats")<UsageStats, UsageStatsService>() {}

interface ClientCounters {
  readonly counters: MutableCounts
  readonly rejectedByCode: Map<ProxyError.ErrorCode, number>
  lastSeen: number
}

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
  // Rejections take almost no time and would lower the quantiles.
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

export const make = (now: number): UsageStatsService => {
  const totals = zeroCounts()
  // Bounded: log entries name a configured client, the anonymous client, or none.
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

/** Counts from now on. */
export const layer: Layer.Layer<UsageStats> = Layer.effect(
  UsageStats,
  Effect.map(Clock.currentTimeMillis, make)
)
