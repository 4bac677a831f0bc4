/**
 * The proxy's own metrics, beside those of the engine: Effect's, written to from plain code on the hot path.
 *
 * Their labels take few values: clients and operations that there are, classes of statuses, states of the cache, codes.
 */
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricLabel from "effect/MetricLabel"
import type { Facts } from "../Facts.ts"
import * as Outcome from "./Outcome.ts"
import * as Tally from "./Tally.ts"

const counter = (name: string, description: string) =>
  Metric.counter(name, { description, incremental: true })

/** By `client`, `operation`, `status_class` (`2xx` …, `499` where the client hung up) and `cache`. */
const requests = counter(
  "quarry_proxy_requests_total",
  "Requests by client, operation, class of status and what the cache did"
)

/** By `operation` and `cache`. */
const requestSeconds = Metric.histogram(
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

const charged = counter("quarry_proxy_charged_units_total", "Units taken from budgets by client")

const upstreamUnits = counter(
  "quarry_proxy_upstream_units_total",
  "Units that requests to the service cost by client"
)

const savedUnits = counter(
  "quarry_proxy_saved_units_total",
  "Units that kept answers saved by client"
)

/** By `client` and `code`; `shadow` is what a budget would have refused that only counts. */
const refused = counter(
  "quarry_proxy_refused_total",
  "Requests that the proxy refused by client and code"
)

const inflight = Metric.gauge("quarry_proxy_inflight", { description: "Requests being answered" })

const connections = Metric.gauge("quarry_proxy_connections", { description: "Open connections" })

const draining = Metric.gauge("quarry_proxy_draining", {
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
  readonly record: (facts: Facts) => void
  /** Counts what was spent for a request that was over. */
  readonly late: (client: string | null, units: number) => void
  readonly inflight: (requests: number) => void
  readonly connections: (open: number) => void
  readonly draining: (draining: boolean) => void
  readonly reloaded: (result: "taken" | "refused") => void
}

type Labels = ReadonlyArray<MetricLabel.MetricLabel>

const labels = (names: ReadonlyArray<string>, values: ReadonlyArray<string>): Labels =>
  names.map((name, index) => MetricLabel.make(name, values[index] ?? ""))

interface Node {
  labels: Labels | undefined
  readonly next: Map<string, Node>
}

const node = (): Node => ({ labels: undefined, next: new Map() })

/** A metric finds its series by the array of labels itself, so each is made once, and found by its values. */
const kept = (...names: ReadonlyArray<string>) => {
  const root = node()
  return (...values: ReadonlyArray<string>): Labels => {
    let at = root
    for (const value of values) {
      let next = at.next.get(value)
      if (next === undefined) {
        next = node()
        at.next.set(value, next)
      }
      at = next
    }
    return at.labels ??= labels(names, values)
  }
}

const classes = ["none", "1xx", "2xx", "3xx", "4xx", "5xx"]

const classOf = (status: number): string =>
  status === 499 ? "499" : classes[Math.floor(status / 100)] ?? "none"

export const make = (version: string): ProxyMetrics => {
  const ofRequest = kept("client", "operation", "status_class", "cache")
  const ofTime = kept("operation", "cache")
  const ofClient = kept("client")
  const ofRefusal = kept("client", "code")
  const ofReload = kept("result")

  info.unsafeUpdate(1, labels(["version"], [version]))
  draining.unsafeUpdate(0, [])
  inflight.unsafeUpdate(0, [])
  connections.unsafeUpdate(0, [])
  // A rate is known from the second value on, so the first one is there before anything happens.
  for (const result of ["taken", "refused"]) configReloads.unsafeUpdate(0, ofReload(result))

  return {
    record: (facts) => {
      const client = facts.client ?? Tally.nobody
      const operation = facts.operation ?? "none"
      const cache = facts.cache ?? "none"
      requests.unsafeUpdate(1, ofRequest(client, operation, classOf(facts.status), cache))
      requestSeconds.unsafeUpdate(facts.millis / 1000, ofTime(operation, cache))
      if (facts.charged > 0) charged.unsafeUpdate(facts.charged, ofClient(client))
      if (facts.cost > 0) upstreamUnits.unsafeUpdate(facts.cost, ofClient(client))
      if (facts.saved > 0) savedUnits.unsafeUpdate(facts.saved, ofClient(client))
      if (facts.code !== null && Outcome.of(facts) === "refused") {
        refused.unsafeUpdate(1, ofRefusal(client, facts.code))
      }
      if (facts.shadowed) refused.unsafeUpdate(1, ofRefusal(client, "shadow"))
    },
    late: (client, units) => {
      if (units > 0) upstreamUnits.unsafeUpdate(units, ofClient(client ?? Tally.nobody))
    },
    inflight: (under) => inflight.unsafeUpdate(under, []),
    connections: (open) => connections.unsafeUpdate(open, []),
    draining: (yes) => draining.unsafeUpdate(yes ? 1 : 0, []),
    reloaded: (result) => configReloads.unsafeUpdate(1, ofReload(result))
  }
}
