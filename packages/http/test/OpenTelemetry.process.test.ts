/** Tests traces and metrics with the layer of OpenTelemetry. */
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as NodeSdk from "@effect/opentelemetry/NodeSdk"
import { expect, it } from "@effect/vitest"
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader
} from "@opentelemetry/sdk-metrics"
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import * as Effect from "effect/Effect"
import { tokenPrice } from "./support/Examples.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import * as TestClients from "./support/TestClients.ts"

const policies = { retry: { ...RetryPolicy.standard, baseDelay: { transient: 1, throttled: 1 } } }

it.live("exports a span per call and attempt, and the metrics", () =>
  Effect.gen(function*() {
    const spans = new InMemorySpanExporter()
    const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
    const reader = new PeriodicExportingMetricReader({ exporter: metrics })
    const harness = yield* TestClients.harness([
      ScriptedClient.respond(500),
      ScriptedClient.json(tokenPrice.document)
    ], policies)
    // Read before the layer is released, which empties the exporters.
    const [ended, exported] = yield* Effect.provide(
      Effect.withSpan(tokenPrice.call(harness), "the program").pipe(
        Effect.zipRight(Effect.promise(() => reader.forceFlush())),
        Effect.map(() => [spans.getFinishedSpans().slice(), metrics.getMetrics().slice()] as const)
      ),
      NodeSdk.layer(() => ({
        resource: { serviceName: "test" },
        spanProcessor: new SimpleSpanProcessor(spans),
        metricReader: reader
      }))
    )
    const byId = new Map(ended.map((span) => [span.spanContext().spanId, span.name]))
    expect(
      ended.map(({ attributes, name, parentSpanContext }) => [
        name,
        byId.get(parentSpanContext?.spanId ?? ""),
        attributes["http.response.status_code"] ?? attributes["quarry.source"]
      ])
    ).toEqual([
      ["GET /api/v2.2/erc20/:address/price", "quarry.tokenPrice", 500],
      ["GET /api/v2.2/erc20/:address/price", "quarry.tokenPrice", 200],
      ["quarry.tokenPrice", "the program", "upstream"],
      ["the program", undefined, undefined]
    ])
    const points = exported.flatMap(({ scopeMetrics }) =>
      scopeMetrics.flatMap(({ metrics }) =>
        metrics.flatMap(({ dataPoints, descriptor }) =>
          dataPoints.map(({ attributes, value }) => ({ name: descriptor.name, attributes, value }))
        )
      )
    )
    const expectMetric = (name: string, attributes: Readonly<Record<string, string>>, value: number) =>
      expect(points).toContainEqual({ name, attributes: expect.objectContaining(attributes), value })
    expectMetric("quarry_calls_total", { operation: "tokenPrice", outcome: "ok" }, 1)
    expectMetric("quarry_attempts_total", { operation: "tokenPrice", status: "500" }, 1)
    expectMetric("quarry_retries_total", { operation: "tokenPrice", cause: "transient" }, 1)
    expectMetric("quarry_cost_units_total", { operation: "tokenPrice" }, 6)
  }))
