/**
 * The metrics of the proxy, in addition to those of the engine. They are Effect metrics that the hot path updates without
 * a fiber.
 *
 * Labels have few values: configured clients, operations, status classes, cache states and error codes.
 */
import type { CallUsage } from "@blockquarry/http/CallUsage"
import type { ConnectionCounts } from "@blockquarry/server/Connections"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricLabel from "effect/MetricLabel"
import { type AccessLogEntry, outcomeOf } from "../exchange/AccessLogEntry.ts"
import * as UsageStats from "./UsageStats.ts"

export interface ProxyMetricsService {
  /** Counts a request that has completed. */
  readonly record: (entry: AccessLogEntry) => void
  /** Counts usage that arrives after its request has completed, and by how many units it changes the charge. */
  readonly recordLateUsage: (
    subject: Pick<AccessLogEntry, "client">,
    usage: Pick<CallUsage, "price">,
    charged: number
  ) => void
  /** Records the current state. Clients of earlier calls are updated too. */
  readonly setState: (state: CurrentState) => void
  readonly recordReload: (result: "success" | "failure") => void
}

export class ProxyMetrics
  extends Context.Tag("quarry-proxy/ProxyMetrics")<ProxyMetrics, ProxyMetricsService>()
{}

/** A metric by its labels. The values of a call are in their order. */
type Update = (value: number, ...labels: ReadonlyArray<string>) => void

/** Uses one array per combination of values: a metric finds a series fastest by the identity of its label array. */
const labeled = <Type, Out>(
  metric: Metric.Metric<Type, number, Out>,
  names: ReadonlyArray<string>
): Update => {
  const known = new Map<string, ReadonlyArray<MetricLabel.MetricLabel>>()
  return (value, ...values) => {
    // No value contains a space
    const series = values.join(" ")
    let labels = known.get(series)
    if (labels === undefined) {
      labels = names.map((name, index) => MetricLabel.make(name, values[index] ?? ""))
      known.set(series, labels)
    }
    metric.unsafeUpdate(value, labels)
  }
}

const counter = (name: string, description: string, ...labels: ReadonlyArray<string>): Update =>
  labeled(Metric.counter(`quarry_proxy_${name}`, { description, incremental: true }), labels)

/** Without labels it is 0 at first. */
const gauge = (name: string, description: string, ...labels: ReadonlyArray<string>): Update => {
  const update = labeled(Metric.gauge(`quarry_proxy_${name}`, { description }), labels)
  if (labels.length === 0) update(0)
  return update
}

const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

const metrics = {
  /** Status classes are `2xx` …, and `499` if the client disconnected. */
  requests: counter(
    "requests_total",
    "Requests by client, operation, status class and cache result",
    "client",
    "operation",
    "status_class",
    "cache"
  ),
  requestDuration: labeled(
    Metric.histogram(
      "quarry_proxy_request_duration_seconds",
      MetricBoundaries.fromIterable(durations),
      "Seconds from the first byte of a request to the last byte of its response, by operation and cache result"
    ),
    ["operation", "cache"]
  ),
  chargedUnits: counter("charged_units_total", "Units charged to client quotas, by client", "client"),
  upstreamUnits: counter("upstream_units_total", "Units charged by the upstream, by client", "client"),
  savedUnits: counter("saved_units_total", "Units saved by cache hits, by client", "client"),
  /** The code `shadow` counts requests that a quota in shadow mode would have rejected. */
  rejected: counter("rejected_total", "Requests rejected by the proxy, by client and code", "client", "code"),
  quotaWarnings: counter(
    "quota_warnings_total",
    "Requests after which a soft quota of the client, its team or all clients is used up, by client",
    "client"
  ),
  requestsInFlight: gauge(
    "requests_in_flight",
    "Requests in flight that need the upstream, by client",
    "client"
  ),
  /** Its rate is the number of requests that wait on average. */
  waitSeconds: counter(
    "wait_seconds_total",
    "Seconds that requests waited for quotas, rate limits, cooldowns, concurrency limits and backoff, by client",
    "client"
  ),
  connections: gauge("connections", "Open client connections"),
  pendingConnections: gauge(
    "pending_connections",
    "Client connections with a response that is not sent yet"
  ),
  delayedResponses: gauge(
    "delayed_responses",
    "Rejections of clients above limits.maxRejectionRate whose response is delayed"
  ),
  /** The reasons are those of `ConnectionCounts`. */
  droppedConnections: counter(
    "connections_dropped_total",
    "Client connections that the proxy closed, by reason",
    "reason"
  ),
  bufferedBytes: gauge(
    "buffered_bytes",
    "Memory for bodies that are received from the upstream or not yet read by clients, in bytes"
  ),
  shuttingDown: gauge("shutting_down", "1 while the proxy is shutting down, otherwise 0"),
  configReloads: counter("config_reloads_total", "Configuration reloads by result", "result"),
  info: gauge("info", "Always 1; the label version is the version of the proxy", "version")
}

const statusClasses = ["none", "1xx", "2xx", "3xx", "4xx", "5xx"]

const statusClassOf = (status: number): string =>
  status === 499 ? "499" : statusClasses[Math.floor(status / 100)] ?? "none"

/** What changes without requests. */
interface CurrentState {
  readonly bufferedBytes: number
  readonly delayedResponses: number
  readonly shuttingDown: boolean
  readonly connections: ConnectionCounts
  readonly clients: ReadonlyArray<string>
  readonly inFlight: (client: string) => number
}

export const make = (version: string): ProxyMetricsService => {
  const clientsInFlight = new Set<string>()
  /** Dropped connections that the metric contains already, by reason. */
  const reportedDrops = new Map<string, number>()

  metrics.info(1, version)
  // `increase()` needs a value before the first reload.
  for (const result of ["success", "failure"]) metrics.configReloads(0, result)

  return {
    record: (entry) => {
      const client = entry.client ?? UsageStats.unauthenticatedName
      const operation = entry.operation ?? "none"
      const cache = entry.cache ?? "none"
      metrics.requests(1, client, operation, statusClassOf(entry.status), cache)
      metrics.requestDuration(entry.durationMs / 1000, operation, cache)
      if (entry.chargedCost > 0) metrics.chargedUnits(entry.chargedCost, client)
      if (entry.upstreamCost > 0) metrics.upstreamUnits(entry.upstreamCost, client)
      if (entry.waitMs > 0) metrics.waitSeconds(entry.waitMs / 1000, client)
      if (entry.savedCost > 0) metrics.savedUnits(entry.savedCost, client)
      if (entry.code !== null && outcomeOf(entry) === "rejected") {
        metrics.rejected(1, client, entry.code)
      }
      if (entry.shadowed) metrics.rejected(1, client, "shadow")
      if (entry.warned) metrics.quotaWarnings(1, client)
    },
    recordLateUsage: ({ client }, { price }, charged) => {
      const name = client ?? UsageStats.unauthenticatedName
      if (price > 0) metrics.upstreamUnits(price, name)
      if (charged > 0) metrics.chargedUnits(charged, name)
    },
    setState: (state) => {
      metrics.bufferedBytes(state.bufferedBytes)
      metrics.delayedResponses(state.delayedResponses)
      metrics.shuttingDown(state.shuttingDown ? 1 : 0)
      for (const client of state.clients) clientsInFlight.add(client)
      for (const client of clientsInFlight) {
        metrics.requestsInFlight(state.inFlight(client), client)
        // `rate()` needs a value before the first wait.
        metrics.waitSeconds(0, client)
      }
      const { dropped, open, pending } = state.connections
      metrics.connections(open)
      metrics.pendingConnections(pending)
      for (const [reason, count] of Object.entries(dropped)) {
        metrics.droppedConnections(count - (reportedDrops.get(reason) ?? 0), reason)
        reportedDrops.set(reason, count)
      }
    },
    recordReload: (result) => metrics.configReloads(1, result)
  }
}

export const layer = (version: string): Layer.Layer<ProxyMetrics> =>
  Layer.sync(ProxyMetrics, () => make(version))
