/**
 * The proxy's own metrics, beside those of the engine: Effect's, written to from plain code on the hot path.
 *
 * Their labels take few values: clients and operations that there are, classes of statuses, states of the cache, codes.
 */
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricLabel from "effect/MetricLabel"
import type { AccessLogEntry } from "../exchange/AccessLogEntry.ts"
import * as RequestOutcome from "./RequestOutcome.ts"
import * as UsageStats from "./UsageStats.ts"

const counter = (name: string, description: string) =>
  Metric.counter(name, { description, incremental: true })

/** By `client`, `operation`, `status_class` (`2xx` …, `499` where the client hung up) and `cache`. */
const requests = counter(
  "quarry_proxy_requests_total",
  "Requests by client, operation, class of status and what the cache did"
)

/** By `operation` and `cache`. */
const requestDuration = Metric.histogram(
  "quarry_proxy_request_seconds",
  MetricBoundaries.fromIterable([
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1,
    2.5,
    5,
    10,
    30,
    60
  ]),
  "Seconds from the first byte of a request to the last of its answer, by operation and what the cache did"
)

const chargedUnits = counter("quarry_proxy_charged_units_total", "Units taken from budgets by client")

const upstreamUnits = counter(
  "quarry_proxy_upstream_units_total",
  "Units that requests to the service cost by client"
)

const savedUnits = counter(
  "quarry_proxy_saved_units_total",
  "Units that kept answers saved by client"
)

/** By `client` and `code`; `shadow` is what a budget would have refused that only counts. */
const rejected = counter(
  "quarry_proxy_refused_total",
  "Requests that the proxy refused by client and code"
)

const requestsInFlight = Metric.gauge("quarry_proxy_inflight", { description: "Requests being answered" })

const connections = Metric.gauge("quarry_proxy_connections", { description: "Open connections" })

const shuttingDown = Metric.gauge("quarry_proxy_draining", {
  description: "1 while the proxy finishes what it took, and stops"
})

/** By `result`: `taken` or `refused`. */
const configReloads = counter(
  "quarry_proxy_config_reloads_total",
  "Times that the configuration was read again by result"
)

const info = Metric.gauge("quarry_proxy_info", { description: "1, with the version of the proxy" })

export interface ProxyMetrics {
  /** Counts a request that is over. */
  readonly record: (entry: AccessLogEntry) => void
  /** Counts what was spent for a request that was over. */
  readonly recordLateUsage: (client: string | null, cost: number) => void
  readonly setInFlight: (requests: number) => void
  readonly setConnections: (open: number) => void
  readonly setShuttingDown: (draining: boolean) => void
  readonly recordReload: (result: "taken" | "refused") => void
}

type MetricLabels = ReadonlyArray<MetricLabel.MetricLabel>

const labels = (names: ReadonlyArray<string>, values: ReadonlyArray<string>): MetricLabels =>
  names.map((name, index) => MetricLabel.make(name, values[index] ?? ""))

interface LabelNode {
  labels: MetricLabels | undefined
  readonly next: Map<string, LabelNode>
}

const makeNode = (): LabelNode => ({ labels: undefined, next: new Map() })

/** A metric finds its series by the array of labels itself, so each is made once, and found by its values. */
const cachedLabels = (...names: ReadonlyArray<string>) => {
  const root = makeNode()
  return (...values: ReadonlyArray<string>): MetricLabels => {
    let at = root
    for (const value of values) {
      let next = at.next.get(value)
      if (next === undefined) {
        next = makeNode()
        at.next.set(value, next)
      }
      at = next
    }
    return at.labels ??= labels(names, values)
  }
}

const statusClasses = ["none", "1xx", "2xx", "3xx", "4xx", "5xx"]

const statusClassOf = (status: number): string =>
  status === 499 ? "499" : statusClasses[Math.floor(status / 100)] ?? "none"

export const make = (version: string): ProxyMetrics => {
  const requestLabels = cachedLabels("client", "operation", "status_class", "cache")
  const durationLabels = cachedLabels("operation", "cache")
  const clientLabels = cachedLabels("client")
  const rejectionLabels = cachedLabels("client", "code")
  const reloadLabels = cachedLabels("result")

  info.unsafeUpdate(1, labels(["version"], [version]))
  shuttingDown.unsafeUpdate(0, [])
  requestsInFlight.unsafeUpdate(0, [])
  connections.unsafeUpdate(0, [])
  // A rate is known from the second value on, so the first one is there before anything happens.
  for (const result of ["taken", "refused"]) configReloads.unsafeUpdate(0, reloadLabels(result))

  return {
    record: (entry) => {
      const client = entry.client ?? UsageStats.unauthenticatedName
      const operation = entry.operation ?? "none"
      const cache = entry.cache ?? "none"
      requests.unsafeUpdate(1, requestLabels(client, operation, statusClassOf(entry.status), cache))
      requestDuration.unsafeUpdate(entry.durationMs / 1000, durationLabels(operation, cache))
      if (entry.chargedCost > 0) chargedUnits.unsafeUpdate(entry.chargedCost, clientLabels(client))
      if (entry.upstreamCost > 0) upstreamUnits.unsafeUpdate(entry.upstreamCost, clientLabels(client))
      if (entry.savedCost > 0) savedUnits.unsafeUpdate(entry.savedCost, clientLabels(client))
      if (entry.code !== null && RequestOutcome.outcomeOf(entry) === "refused") {
        rejected.unsafeUpdate(1, rejectionLabels(client, entry.code))
      }
      if (entry.shadowed) rejected.unsafeUpdate(1, rejectionLabels(client, "shadow"))
    },
    recordLateUsage: (client, cost) => {
      if (cost > 0) upstreamUnits.unsafeUpdate(cost, clientLabels(client ?? UsageStats.unauthenticatedName))
    },
    setInFlight: (count) => requestsInFlight.unsafeUpdate(count, []),
    setConnections: (open) => connections.unsafeUpdate(open, []),
    setShuttingDown: (yes) => shuttingDown.unsafeUpdate(yes ? 1 : 0, []),
    recordReload: (result) => configReloads.unsafeUpdate(1, reloadLabels(result))
  }
}
