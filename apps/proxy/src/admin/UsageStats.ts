/**
 * Usage counters of the process, in total and by client, for the status page and usage reports.
 *
 * They are updated on the hot path for every request: the functions are synchronous, and memory use is bounded.
 */
import type { CallUsage } from "@blockquarry/http/CallUsage"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Struct from "effect/Struct"
import { type AccessLogEntry, addUsage } from "../exchange/AccessLogEntry.ts"
import * as TimeSeries from "./TimeSeries.ts"
import * as UsageCounts from "./UsageCounts.ts"

/** The client name of requests that failed authentication. It is reserved: no configured client can have it. */
export const unauthenticatedName = "unauthenticated"

export const maxRecentFailures = 50

/** Whether a request is for an operation or has an error code. Probes and pages are not counted. */
const isCounted = ({ code, operation }: AccessLogEntry): boolean => operation !== null || code !== null

export class UsageStats
  extends Context.Tag("quarry-proxy/UsageStats")<UsageStats, ReturnType<typeof make>>()
{}

const toFailure = (entry: AccessLogEntry, at: number) => ({
  at,
  ...Struct.pick(entry, "requestId", "client", "operation", "route", "status", "code")
})

const makeClient = () => ({
  counts: UsageCounts.zero(),
  rejectedByCode: new Map<string, number>(),
  lastSeen: 0
})

/** `now`, like all times, is in milliseconds since 1970. */
export const make = (now: number) => {
  const totals = UsageCounts.zero()
  // Bounded: log entries name a configured client, the anonymous client, or none.
  const clients = new Map<string, ReturnType<typeof makeClient>>()
  const series = TimeSeries.make(now)
  const failures: Array<ReturnType<typeof toFailure>> = []

  const clientOf = (name = unauthenticatedName) => {
    let client = clients.get(name)
    if (client === undefined) clients.set(name, client = makeClient())
    return client
  }

  /** Bounded: operations, and rules of pass-through. */
  const operations = new Map<string, UsageCounts.MutableCounts>()

  const countsOf = (operation: string) => {
    const counts = operations.get(operation) ?? UsageCounts.zero()
    operations.set(operation, counts)
    return counts
  }

  const usage = () => ({
    since: now,
    totals: { ...totals },
    /** In the order of their first requests. */
    operations: Array.from(operations, ([name, counts]) => ({ name, ...counts })),
    /** In the order of their first requests. */
    clients: Array.from(clients, ([name, { counts, lastSeen, rejectedByCode }]) => ({
      name,
      ...counts,
      rejectedByCode: Object.fromEntries(rejectedByCode),
      lastSeen
    }))
  })

  return {
    record: (entry: AccessLogEntry): void => {
      if (!isCounted(entry)) return
      const outcome = UsageCounts.outcomeOf(entry)
      const at = entry.startedAt + entry.durationMs
      UsageCounts.add(totals, entry, outcome)
      const client = clientOf(entry.client ?? undefined)
      UsageCounts.add(client.counts, entry, outcome)
      client.lastSeen = at
      if (entry.operation !== null) UsageCounts.add(countsOf(entry.operation), entry, outcome)
      if (entry.code !== null && outcome === "rejected") {
        client.rejectedByCode.set(entry.code, (client.rejectedByCode.get(entry.code) ?? 0) + 1)
      }
      const slot = series.slot(at)
      UsageCounts.add(slot.counts, entry, outcome)
      // Rejections take almost no time and would lower the quantiles.
      if (outcome === "completed" || outcome === "failed") TimeSeries.addLatency(slot, entry.durationMs)
      if (outcome === "failed") {
        failures.unshift(toFailure(entry, at))
        failures.length = Math.min(failures.length, maxRecentFailures)
      }
    },
    /** Records usage that arrives after its request has completed. */
    recordLateUsage: (
      { client, operation }: Pick<AccessLogEntry, "client" | "operation">,
      usage: CallUsage,
      charged: number
    ): void => {
      const counted = [
        totals,
        clientOf(client ?? undefined).counts,
        ...operation === null ? [] : [countsOf(operation)]
      ]
      for (const counts of counted) addUsage(counts, usage, charged)
    },
    usage,
    /** Failures are listed newest first. */
    snapshot: (at: number) => ({ ...usage(), series: series.points(at), failures: [...failures] })
  }
}

export const layer: Layer.Layer<UsageStats> = Layer.effect(
  UsageStats,
  Effect.map(Clock.currentTimeMillis, make)
)
