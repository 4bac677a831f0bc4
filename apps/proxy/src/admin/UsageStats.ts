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
import * as Schema from "effect/Schema"
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

export const Snapshot = Schema.Struct({
  since: Schema.Number,
  totals: Schema.Struct(UsageCounts.fields),
  /** In the order of their first requests, as the clients. */
  operations: Schema.Array(Schema.Struct({ name: Schema.String, ...UsageCounts.fields })),
  clients: Schema.Array(Schema.Struct({
    name: Schema.String,
    ...UsageCounts.fields,
    rejectedByCode: Schema.Record({ key: Schema.String, value: Schema.Number }),
    lastSeen: Schema.Number
  })),
  series: Schema.Array(TimeSeries.Point),
  /** Newest first. */
  failures: Schema.Array(Schema.Struct({
    at: Schema.Number,
    requestId: Schema.String,
    client: Schema.NullOr(Schema.String),
    operation: Schema.NullOr(Schema.String),
    route: Schema.String,
    status: Schema.Number,
    code: Schema.NullOr(Schema.String)
  }))
})

const makeOperation = (name: string) => ({ name, ...UsageCounts.zero() })

const makeClient = (name: string) => {
  const rejectedByCode: Record<string, number> = {}
  return { ...makeOperation(name), rejectedByCode, lastSeen: 0 }
}

const getOrMake = <Row>(rows: Map<string, Row>, name: string, make: (name: string) => Row): Row => {
  const row = rows.get(name) ?? make(name)
  rows.set(name, row)
  return row
}

/** `now`, like all times, is in milliseconds since 1970. */
export const make = (now: number) => {
  const totals = UsageCounts.zero()
  // Bounded: log entries name a configured client, the anonymous client, or none, and an operation or a rule of pass-through.
  const clients = new Map<string, ReturnType<typeof makeClient>>()
  const operations = new Map<string, ReturnType<typeof makeOperation>>()
  const series = TimeSeries.make(now)
  const failures: Array<typeof Snapshot.Type["failures"][number]> = []

  const clientOf = (name: string | null) => getOrMake(clients, name ?? unauthenticatedName, makeClient)
  const operationOf = (name: string) => getOrMake(operations, name, makeOperation)

  return {
    record: (entry: AccessLogEntry): void => {
      if (!isCounted(entry)) return
      const outcome = UsageCounts.outcomeOf(entry)
      const at = entry.startedAt + entry.durationMs
      const client = clientOf(entry.client)
      client.lastSeen = at
      if (entry.code !== null && outcome === "rejected") {
        client.rejectedByCode[entry.code] = (client.rejectedByCode[entry.code] ?? 0) + 1
      }
      const slot = series.slot(at)
      // Rejections take almost no time and would lower the quantiles.
      if (outcome === "completed" || outcome === "failed") TimeSeries.addLatency(slot, entry.durationMs)
      for (const counts of [totals, client, slot.counts]) UsageCounts.add(counts, entry, outcome)
      if (entry.operation !== null) UsageCounts.add(operationOf(entry.operation), entry, outcome)
      if (outcome === "failed") {
        failures.unshift({
          at,
          ...Struct.pick(entry, "requestId", "client", "operation", "route", "status", "code")
        })
        failures.length = Math.min(failures.length, maxRecentFailures)
      }
    },
    /** Records usage that arrives after its request has completed. */
    recordLateUsage: (
      { client, operation }: Pick<AccessLogEntry, "client" | "operation">,
      usage: CallUsage,
      charged: number
    ): void => {
      for (const counts of [totals, clientOf(client)]) addUsage(counts, usage, charged)
      if (operation !== null) addUsage(operationOf(operation), usage, charged)
    },
    snapshot: (at: number): typeof Snapshot.Type => ({
      ...structuredClone({
        totals,
        operations: [...operations.values()],
        clients: [...clients.values()],
        failures
      }),
      since: now,
      series: series.points(at)
    })
  }
}

export const layer: Layer.Layer<UsageStats> = Layer.effect(
  UsageStats,
  Effect.map(Clock.currentTimeMillis, make)
)
