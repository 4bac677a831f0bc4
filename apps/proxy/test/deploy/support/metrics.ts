/** Every possible metric with its labels: from a proxy after requests, and from the modules. */
import * as Telemetry from "@blockquarry/http/Telemetry"
import * as Effect from "effect/Effect"
import * as MetricLabel from "effect/MetricLabel"
import * as ProxyMetrics from "../../../src/admin/ProxyMetrics.ts"
import { defaults } from "../../../src/config/Config.ts"
import { examples, openAdmin, sendRequest, start, testClient } from "../../support/proxy.ts"

/** Label names by series name. */
export type KnownSeries = ReadonlyMap<string, ReadonlySet<string>>

/** Metrics that only exist after failures, with their labels. */
const rareMetrics = [
  { metric: Telemetry.circuitBreakerState, labels: ["upstream"] },
  { metric: Telemetry.storeAvailable, labels: ["store"] },
  { metric: Telemetry.storeMisconfigured, labels: ["store"] },
  { metric: Telemetry.retries, labels: ["operation", "cause"] },
  { metric: Telemetry.retriesSuppressed, labels: ["operation", "reason"] },
  { metric: Telemetry.waitDuration, labels: ["reason"] }
]

// The proxy passes fields on as they are.
const { unreadableFields: _, ...usedTelemetry } = Telemetry

const moduleMetrics = [...Object.values(usedTelemetry), ...Object.values(ProxyMetrics)].flatMap((value) =>
  typeof value !== "string" && "unsafeUpdate" in value ? [value] : []
)

/** Starts a proxy, sends requests, and reads its metrics. */
export const knownSeries = Effect.gen(function*() {
  const token = "a token"
  const { adminPort, port } = yield* start({
    config: {
      cache: defaults.cache,
      admin: openAdmin,
      clients: [testClient("shop", token, { rateLimit: { limit: 1000, window: 1000 }, dailyQuota: 100_000 })]
    }
  })
  const price = `/api/v2.2/erc20/${examples.token}/price?chain=eth`
  for (const path of [price, price, "/nowhere", "/readyz"]) {
    yield* sendRequest(port, path, { headers: { "x-api-key": token } })
  }
  yield* sendRequest(port, price)
  for (const metric of moduleMetrics) metric.unsafeUpdate(0, [])
  for (const { labels, metric } of rareMetrics) {
    metric.unsafeUpdate(0, labels.map((label) => MetricLabel.make(label, "any")))
  }
  const { text } = yield* sendRequest(adminPort ?? 0, "/metrics")
  return seriesOf(text)
})

const seriesOf = (text: string): KnownSeries => {
  const series = new Map<string, Set<string>>()
  for (const [, name = "", labels = ""] of text.matchAll(/^([a-z_]\w*)(?:\{(.*)\})? \S+$/gim)) {
    const names = series.get(name) ?? new Set()
    for (const [, label = ""] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) names.add(label)
    series.set(name, names)
  }
  return series
}
