/**
 * What `/metrics` says: all metrics of Effect, the engine's and ours, as text for Prometheus.
 *
 * OpenTelemetry does the writing. It is loaded when somebody asks for the first time: most proxies run where nobody does.
 */
import type { PrometheusSerializer } from "@opentelemetry/exporter-prometheus"
import type { MetricData, MetricProducer } from "@opentelemetry/sdk-metrics"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as ProcessMetrics from "./ProcessMetrics.ts"

export const contentType = "text/plain; version=0.0.4; charset=utf-8"

interface PrometheusWriter {
  readonly producer: MetricProducer
  readonly serializer: PrometheusSerializer
}

/** The text, read anew each time. */
export const make: Effect.Effect<Effect.Effect<string>, never, Scope.Scope> = Effect.gen(function*() {
  const readProcess = yield* ProcessMetrics.make
  const writer = yield* Effect.cached(load)
  return Effect.gen(function*() {
    yield* readProcess
    const { producer, serializer } = yield* writer
    const { resourceMetrics } = yield* Effect.promise(() => producer.collect())
    return serializer.serialize({
      ...resourceMetrics,
      scopeMetrics: resourceMetrics.scopeMetrics.map((scope) => ({
        ...scope,
        metrics: scope.metrics.map(withoutUnit)
      }))
    })
  })
})

const load: Effect.Effect<PrometheusWriter> = Effect.gen(function*() {
  const [Metrics, Resource, { PrometheusSerializer }] = yield* Effect.promise(() =>
    Promise.all([
      import("@effect/opentelemetry/Metrics"),
      import("@effect/opentelemetry/Resource"),
      import("@opentelemetry/exporter-prometheus")
    ])
  )
  const producer = yield* Effect.provide(
    Metrics.makeProducer,
    Resource.layer({ serviceName: "quarry-proxy" })
  )
  // Neither time stamps nor labels of the resource and the library: who scrapes adds their own.
  return { producer, serializer: new PrometheusSerializer(undefined, false, undefined, true, true) }
})

/** The unit is in the name; what the bridge takes for one is `1` throughout. */
const withoutUnit = (metric: MetricData): MetricData => ({
  ...metric,
  descriptor: { ...metric.descriptor, unit: "" }
})
