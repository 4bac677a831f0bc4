/**
 * Exports all Effect metrics, of the engine and of the proxy, in the Prometheus text format for `/metrics`.
 *
 * OpenTelemetry serializes them. It is loaded on the first scrape, because many proxies are never scraped.
 */
import type { MetricData } from "@opentelemetry/sdk-metrics"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as ProcessMetrics from "./ProcessMetrics.ts"

export const contentType = "text/plain; version=0.0.4; charset=utf-8"

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

const load = Effect.gen(function*() {
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
  // Without timestamps and without labels of the resource and the library: Prometheus adds its own.
  return { producer, serializer: new PrometheusSerializer(undefined, false, undefined, true, true) }
})

/** Removes the unit: metric names already contain it, and the Effect bridge sets `1` for every metric. */
const withoutUnit = (metric: MetricData): MetricData => ({
  ...metric,
  descriptor: { ...metric.descriptor, unit: "" }
})
