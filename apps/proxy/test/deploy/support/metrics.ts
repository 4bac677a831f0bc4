/** Every metric that there can be, with its labels: from a proxy that answered requests, and from the modules. */
import * as Telemetry from "@blockquarry/http/Telemetry"
import * as Effect from "effect/Effect"
import * as MetricLabel from "effect/MetricLabel"
import { defaults } from "../../../src/Config/Config.ts"
import * as ProxyMetrics from "../../../src/Operations/ProxyMetrics.ts"
import { ask, client, examples, start } from "../../support/proxy.ts"

/** Names of series, and the names of their labels. */
export type Known = ReadonlyMap<string, ReadonlySet<string>>

/** What only exists once something went wrong, with the labels that it has then. */
const seldom = [
  { metric: Telemetry.breakerState, labels: ["address"] },
  { metric: Telemetry.storeAway, labels: ["store"] },
  { metric: Telemetry.retries, labels: ["operation", "cause"] },
  { metric: Telemetry.retriesDenied, labels: ["operation", "reason"] },
  { metric: Telemetry.waitSeconds, labels: ["reason"] }
]

const ofModules = [...Object.values(Telemetry), ...Object.values(ProxyMetrics)].flatMap((value) =>
  typeof value !== "string" && "unsafeUpdate" in value ? [value] : []
)

/** Starts a proxy, asks it this and that, and reads what it says of it. */
export const known = Effect.gen(function*() {
  const token = "a token"
  const { operationsPort, port } = yield* start({
    config: {
      cache: defaults.cache,
      operations: { host: "127.0.0.1", port: 0, tokens: [] },
      clients: [client("shop", token, { limit: { limit: 1000, window: 1000 }, perDay: 100_000 })]
    }
  })
  const price = `/api/v2.2/erc20/${examples.token}/price?chain=eth`
  for (const path of [price, price, "/nowhere", "/readyz"]) {
    yield* ask(port, path, { headers: { "x-api-key": token } })
  }
  yield* ask(port, price)
  for (const metric of ofModules) metric.unsafeUpdate(0, [])
  for (const { labels, metric } of seldom) {
    metric.unsafeUpdate(0, labels.map((label) => MetricLabel.make(label, "any")))
  }
  const { text } = yield* ask(operationsPort ?? 0, "/metrics")
  return seriesOf(text)
})

const seriesOf = (text: string): Known => {
  const series = new Map<string, Set<string>>()
  for (const [, name = "", labels = ""] of text.matchAll(/^([a-z_]\w*)(?:\{(.*)\})? \S+$/gim)) {
    const names = series.get(name) ?? new Set()
    for (const [, label = ""] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) names.add(label)
    series.set(name, names)
  }
  return series
}
