/**
 * What the process counts of requests since its start: by client and over time, for the status of the fleet. It saves nothing, see
 * `RecordUsage`; usage by operation is in the metrics and in saved usage.
 *
 * It is updated on the hot path for every request: the functions are synchronous, and memory use is bounded.
 */
import type { CallUsage } from "@blockquarry/http/CallUsage"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Rec from "effect/Record"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { createHistogram } from "node:perf_hooks"
import { type AccessLogEntry, outcomeOf, type RequestOutcome } from "../exchange/AccessLogEntry.ts"

type Subject = Pick<AccessLogEntry, "client">

/** Times are in milliseconds since 1970. */
export interface UsageStatsService {
  /** Counts a request that has completed. Probes and pages are not counted. */
  readonly record: (entry: AccessLogEntry) => void
  /** Counts usage that arrives after its request has completed, and by how many units it changes the charge. */
  readonly recordLateUsage: (subject: Subject, usage: CallUsage, charged: number) => void
  /** Returns all counts. The last point of the series may be incomplete. */
  readonly snapshot: (now: number) => Snapshot
}

export class UsageStats extends Context.Tag("quarry-proxy/UsageStats")<UsageStats, UsageStatsService>() {}

/** The client name of requests that failed authentication. It is reserved: no configured client can have it. */
export const unauthenticatedName = "unauthenticated"

export const maxRecentFailures = 50

/** Interval between two points of the series, in seconds. */
export const stepSeconds = 5

/** Maximum number of points: 15 min. */
export const pointCount = 180

/** What is counted of each request. Costs are in units. */
const counters = {
  requests: () => 1,
  hits: ({ cache }: AccessLogEntry) => Number(cache === "hit" || cache === "stale"),
  stale: ({ cache }: AccessLogEntry) => Number(cache === "stale"),
  /** Requests that were coalesced with a request in flight. */
  coalesced: ({ cache }: AccessLogEntry) => Number(cache === "coalesced"),
  failures: (_: AccessLogEntry, outcome: RequestOutcome) => Number(outcome === "failed"),
  rejected: (_: AccessLogEntry, outcome: RequestOutcome) => Number(outcome === "rejected"),
  clientDisconnects: (_: AccessLogEntry, outcome: RequestOutcome) =>
    Number(outcome === "client-disconnected"),
  attempts: ({ attempts }: AccessLogEntry) => attempts,
  /** The price of the attempts: as the upstream reports it or, without a report, as expected. */
  upstreamCost: ({ upstreamCost }: AccessLogEntry) => upstreamCost,
  /** Requests with attempts without a report, and the expected prices of these. */
  unsettledRequests: ({ unsettledPrice }: AccessLogEntry) => Number(unsettledPrice > 0),
  unsettledPrice: ({ unsettledPrice }: AccessLogEntry) => unsettledPrice,
  /** By how much the reported prices exceed the expected ones. */
  priceDrift: ({ priceDrift }: AccessLogEntry) => priceDrift,
  savedCost: ({ savedCost }: AccessLogEntry) => savedCost,
  chargedCost: ({ chargedCost }: AccessLogEntry) => chargedCost,
  /** Requests that exceeded a quota in shadow mode. */
  shadowed: ({ shadowed }: AccessLogEntry) => Number(shadowed),
  bytes: ({ bytes }: AccessLogEntry) => bytes
}

const names = Struct.keys(counters)

export const zero = (): { [Name in keyof typeof counters]: number } => Rec.map(counters, () => 0)

type Counts = ReturnType<typeof zero>

/** Processes of other versions may count less. */
const fields = Rec.map(counters, () => Schema.optionalWith(Schema.Number, { default: () => 0 }))

const pointFields = Struct.pick(fields, "requests", "hits", "failures", "upstreamCost", "savedCost")

/** In milliseconds; null if no request completed or failed. */
const Quantile = Schema.NullOr(Schema.Number)

const Point = Schema.Struct({
  at: Schema.Number,
  ...pointFields,
  p50: Quantile,
  p95: Quantile,
  p99: Quantile
})

export const Snapshot = Schema.Struct({
  since: Schema.Number,
  totals: Schema.Struct(fields),
  /** In the order of their first requests. */
  clients: Schema.Array(Schema.Struct({ name: Schema.String, ...fields, lastSeen: Schema.Number })),
  /** Oldest first. `at` is the start of the interval. */
  series: Schema.Array(Point),
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

export type Snapshot = typeof Snapshot.Type

export const sum = <Row extends Readonly<Counts>>(one: Row, other: Readonly<Counts>): Row => ({
  ...one,
  ...Rec.map(counters, (_, name) => one[name] + other[name])
})

const slower = (one: number | null, other: number | null): number | null =>
  one === null ? other : Math.max(one, other ?? 0)

/** Sums the points of two processes. The quantiles are those of the slower one. */
export const sumPoints = (one: typeof Point.Type, other: typeof Point.Type): typeof Point.Type => ({
  at: one.at,
  ...Rec.map(pointFields, (_, name) => one[name] + other[name]),
  p50: slower(one.p50, other.p50),
  p95: slower(one.p95, other.p95),
  p99: slower(one.p99, other.p99)
})

const add = (counts: Counts, entry: AccessLogEntry, outcome: RequestOutcome): void => {
  for (const name of names) counts[name] += counters[name](entry, outcome)
}

const addUsage = (counts: Counts, usage: CallUsage, charged: number): void => {
  counts.attempts += usage.attempts
  counts.upstreamCost += usage.price
  counts.unsettledPrice += usage.unsettledPrice
  counts.priceDrift += usage.priceDrift
  counts.chargedCost += charged
}

const makeClient = (name: string) => ({ name, ...zero(), lastSeen: 0 })

/** In microseconds. Longer requests count as this long: about 17 min. */
const maxLatency = 1e9

/** The counters of one interval. `step` is its number since 1970. Latencies have one significant digit. */
const makeSlot = (step: number) => ({
  step,
  counts: zero(),
  latency: createHistogram({ lowest: 1, highest: maxLatency, figures: 1 })
})

const stepAt = (at: number): number => Math.floor(at / (stepSeconds * 1000))

const toPoint = ({ counts, latency, step }: ReturnType<typeof makeSlot>): typeof Point.Type => {
  const quantile = (percent: number) => latency.count === 0 ? null : latency.percentile(percent) / 1000
  return {
    at: step * stepSeconds * 1000,
    ...Rec.map(pointFields, (_, name) => counts[name]),
    p50: quantile(50),
    p95: quantile(95),
    p99: quantile(99)
  }
}

export const make = (started: number): UsageStatsService => {
  // Bounded: log entries name a configured client, the anonymous client, or none.
  const clients = new Map<string, ReturnType<typeof makeClient>>()
  /** In the order of their first requests. */
  const slots: Array<ReturnType<typeof makeSlot>> = []
  const failures: Array<Snapshot["failures"][number]> = []

  const clientOf = (known: string | null) => {
    const name = known ?? unauthenticatedName
    const client = clients.get(name) ?? makeClient(name)
    clients.set(name, client)
    return client
  }
  const findSlot = (step: number) => slots.findLast((slot) => slot.step === step)
  const slotAt = (step: number) => {
    const known = findSlot(step)
    if (known !== undefined) return known
    const added = makeSlot(step)
    slots.push(added)
    if (slots.length > pointCount) slots.shift()
    return added
  }
  const points = (now: number): Snapshot["series"] => {
    const last = stepAt(now)
    const from = Math.max(stepAt(started), last - pointCount + 1)
    const empty = makeSlot(-1)
    return Array.from(
      { length: Math.max(0, last - from + 1) },
      (_, index) => toPoint(findSlot(from + index) ?? { ...empty, step: from + index })
    )
  }

  return {
    record: (entry) => {
      if (entry.operation === null && entry.code === null) return
      const outcome = outcomeOf(entry)
      const at = entry.startedAt + entry.durationMs
      const client = clientOf(entry.client)
      client.lastSeen = at
      const { counts, latency } = slotAt(stepAt(at))
      // Rejections take almost no time and would lower the quantiles.
      if (outcome === "completed" || outcome === "failed") {
        latency.record(Math.min(maxLatency, Math.max(1, Math.round(entry.durationMs * 1000))))
      }
      add(client, entry, outcome)
      add(counts, entry, outcome)
      if (outcome === "failed") {
        failures.unshift({
          at,
          ...Struct.pick(entry, "requestId", "client", "operation", "route", "status", "code")
        })
        failures.length = Math.min(failures.length, maxRecentFailures)
      }
    },
    recordLateUsage: ({ client }, usage, charged) => addUsage(clientOf(client), usage, charged),
    snapshot: (now) => ({
      ...structuredClone({ clients: [...clients.values()], failures }),
      since: started,
      totals: [...clients.values()].reduce<Counts>(sum, zero()),
      series: points(now)
    })
  }
}

export const layer: Layer.Layer<UsageStats> = Layer.effect(
  UsageStats,
  Effect.map(Clock.currentTimeMillis, make)
)
