/**
 * The metrics of the proxy, in addition to those of the engine. They are Effect metrics that the hot path updates without
 * a fiber.
 *
 * Labels have few values: configured clients, operations, status classes, cache states and error codes.
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricLabel from "effect/MetricLabel"
import type { AccessLogEntry } from "../exchange/AccessLogEntry.ts"
import type { ConnectionCounts } from "../server/Connections.ts"
import * as RequestOutcome from "./RequestOutcome.ts"
import * as UsageStats from "./UsageStats.ts"

const counter = (name: string, description: string) =>
  Metric.counter(name, { description, incremental: true })

/** Labels: `client`, `operation`, `status_class` (`2xx` …; `499`: the client disconnected) and `cache`. */
const requests = counter(
  "quarry_proxy_requests_total",
  "Requests by client, operation, status class and cache result"
)

/** Labels: `operation` and `cache`. */
const requestDuration = Metric.histogram(
  "quarry_proxy_request_duration_seconds",
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
  "Seconds from the first byte of a request to the last byte of its response, by operation and cache result"
)

const chargedUnits = counter("quarry_proxy_charged_units_total", "Units charged to client quotas, by client")

const upstreamUnits = counter(
  "quarry_proxy_upstream_units_total",
  "Units charged by the upstream, by client"
)

const savedUnits = counter(
  "quarry_proxy_saved_units_total",
  "Units saved by cache hits, by client"
)

/** Labels: `client` and `code`. The code `shadow` counts requests that a quota in shadow mode would have rejected. */
const rejected = counter(
  "quarry_proxy_rejected_total",
  "Requests rejected by the proxy, by client and code"
)

/** Label: `client`. */
const requestsInFlight = Metric.gauge("quarry_proxy_requests_in_flight", {
  description: "Requests in flight that need the upstream, by client"
})

/** Label: `client`. Its rate is the number of requests that wait on average. */
const waitSeconds = counter(
  "quarry_proxy_wait_seconds_total",
  "Seconds that requests waited for quotas, rate limits, cooldowns, concurrency limits and backoff, by client"
)

const connections = Metric.gauge("quarry_proxy_connections", { description: "Open client connections" })

const pendingConnections = Metric.gauge("quarry_proxy_pending_connections", {
  description: "Client connections with a response that is not sent yet"
})

const delayedResponses = Metric.gauge("quarry_proxy_delayed_responses", {
  description: "Rejections of clients above limits.maxRejectionRate whose response is delayed"
})

/** Label: `reason`, one of `DropReason`. */
const droppedConnections = counter(
  "quarry_proxy_connections_dropped_total",
  "Client connections that the proxy closed, by reason"
)

const bufferedBytes = Metric.gauge("quarry_proxy_buffered_bytes", {
  description: "Memory for bodies that are received from the upstream or not yet read by clients, in bytes"
})

const shuttingDown = Metric.gauge("quarry_proxy_shutting_down", {
  description: "1 while the proxy is shutting down, otherwise 0"
})

/** Label `result`: `success` or `failure`. */
const configReloads = counter(
  "quarry_proxy_config_reloads_total",
  "Configuration reloads by result"
)

const info = Metric.gauge("quarry_proxy_info", {
  description: "Always 1; the label version is the version of the proxy"
})

type MetricLabels = ReadonlyArray<MetricLabel.MetricLabel>

const labels = (names: ReadonlyArray<string>, values: ReadonlyArray<string>): MetricLabels =>
  names.map((name, index) => MetricLabel.make(name, values[index] ?? ""))

interface LabelNode {
  labels: MetricLabels | undefined
  readonly next: Map<string, LabelNode>
}

const makeNode = (): LabelNode => ({ labels: undefined, next: new Map() })

/** Returns one array per combination of values: a metric finds a series fastest by the identity of its label array. */
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

export const make = (version: string) => {
  const requestLabels = cachedLabels("client", "operation", "status_class", "cache")
  const durationLabels = cachedLabels("operation", "cache")
  const clientLabels = cachedLabels("client")
  const rejectionLabels = cachedLabels("client", "code")
  const reloadLabels = cachedLabels("result")
  const dropLabels = cachedLabels("reason")
  const clientsInFlight = new Set<string>()
  /** Dropped connections that the metric contains already, by reason. */
  const reportedDrops = new Map<string, number>()

  info.unsafeUpdate(1, labels(["version"], [version]))
  shuttingDown.unsafeUpdate(0, [])
  connections.unsafeUpdate(0, [])
  pendingConnections.unsafeUpdate(0, [])
  bufferedBytes.unsafeUpdate(0, [])
  delayedResponses.unsafeUpdate(0, [])
  // `increase()` needs a value before the first reload.
  for (const result of ["success", "failure"]) configReloads.unsafeUpdate(0, reloadLabels(result))

  return {
    /** Records a completed request. */
    record: (entry: AccessLogEntry): void => {
      const client = entry.client ?? UsageStats.unauthenticatedName
      const operation = entry.operation ?? "none"
      const cache = entry.cache ?? "none"
      requests.unsafeUpdate(1, requestLabels(client, operation, statusClassOf(entry.status), cache))
      requestDuration.unsafeUpdate(entry.durationMs / 1000, durationLabels(operation, cache))
      if (entry.chargedCost > 0) chargedUnits.unsafeUpdate(entry.chargedCost, clientLabels(client))
      if (entry.upstreamCost > 0) upstreamUnits.unsafeUpdate(entry.upstreamCost, clientLabels(client))
      if (entry.waitMs > 0) waitSeconds.unsafeUpdate(entry.waitMs / 1000, clientLabels(client))
      if (entry.savedCost > 0) savedUnits.unsafeUpdate(entry.savedCost, clientLabels(client))
      if (entry.code !== null && RequestOutcome.outcomeOf(entry) === "rejected") {
        rejected.unsafeUpdate(1, rejectionLabels(client, entry.code))
      }
      if (entry.shadowed) rejected.unsafeUpdate(1, rejectionLabels(client, "shadow"))
    },
    /** Records cost that arrives after its request has completed. */
    recordLateUsage: (client: string | null, cost: number): void => {
      if (cost > 0) upstreamUnits.unsafeUpdate(cost, clientLabels(client ?? UsageStats.unauthenticatedName))
    },
    /** Records the requests in flight of clients. Clients of earlier calls are updated too. */
    setInFlight: (clients: ReadonlyArray<string>, inFlight: (client: string) => number): void => {
      for (const client of clients) clientsInFlight.add(client)
      for (const client of clientsInFlight) {
        requestsInFlight.unsafeUpdate(inFlight(client), clientLabels(client))
        // `rate()` needs a value before the first wait.
        waitSeconds.unsafeUpdate(0, clientLabels(client))
      }
    },
    setConnections: ({ dropped, open, pending }: ConnectionCounts): void => {
      connections.unsafeUpdate(open, [])
      pendingConnections.unsafeUpdate(pending, [])
      for (const [reason, count] of Object.entries(dropped)) {
        droppedConnections.unsafeUpdate(count - (reportedDrops.get(reason) ?? 0), dropLabels(reason))
        reportedDrops.set(reason, count)
      }
    },
    setDelayedResponses: (count: number): void => delayedResponses.unsafeUpdate(count, []),
    setBufferedBytes: (bytes: number): void => bufferedBytes.unsafeUpdate(bytes, []),
    setShuttingDown: (value: boolean): void => shuttingDown.unsafeUpdate(value ? 1 : 0, []),
    recordReload: (result: "success" | "failure"): void => configReloads.unsafeUpdate(1, reloadLabels(result))
  }
}

export class ProxyMetrics
  extends Context.Tag("quarry-proxy/ProxyMetrics")<ProxyMetrics, ReturnType<typeof make>>()
{}

export const layer = (version: string): Layer.Layer<ProxyMetrics> =>
  Layer.sync(ProxyMetrics, () => make(version))
