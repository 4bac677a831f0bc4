#!/usr/bin/env bash
# A counter of OpenTelemetry (@opentelemetry/sdk-metrics 3.1.1) and of prom-client 15.1.3 accepts NaN, so one cost read from a header that is
# missing makes the sum NaN until the process ends. Both refuse a negative number, and their histograms do not take the NaN: that of
# OpenTelemetry leaves it out, that of prom-client reports an error. A counter of ValueType.INT cuts each fraction: ten costs of 0.9 are 0.
# Guess: a counter refuses NaN as it refuses -1.
# Needs Node and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund node24@npm:node@24.21.0 prom-client@15.1.3 @opentelemetry/api@1.10.0 \
  @opentelemetry/sdk-metrics@3.1.1 >/dev/null

cat >program.mjs <<'PROGRAM'
import { ValueType } from "@opentelemetry/api"
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics"
import { Counter, Histogram } from "prom-client"
const costs = (...headers) => headers.map(Number)
const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1_000_000 })
const meter = new MeterProvider({ readers: [reader] }).getMeter("proxy")
const counters = { all: ["5", "5"], negative: ["5", "-1", "5"], missing: ["5", undefined, "5", "5"], "INT of 0.9": Array(10).fill("0.9") }
for (const [name, headers] of Object.entries(counters)) {
  const counter = meter.createCounter(name, name.startsWith("INT") ? { valueType: ValueType.INT } : {})
  for (const cost of costs(...headers)) counter.add(cost)
}
const histogram = meter.createHistogram("histogram with a missing one")
for (const cost of costs("5", undefined, "5")) histogram.record(cost)
await reader.forceFlush()
for (const { descriptor, dataPoints } of exporter.getMetrics()[0].scopeMetrics[0].metrics) {
  const [{ value }] = dataPoints
  console.log(`OpenTelemetry, ${descriptor.name}: ${typeof value === "object" ? `count ${value.count}, sum ${value.sum}` : value}`)
}
const attempt = (run) => {
  try {
    run()
    return "accepted"
  } catch {
    return "error"
  }
}
for (const [name, headers] of Object.entries(counters).slice(0, 3)) {
  const counter = new Counter({ name, help: name, registers: [] })
  const ends = costs(...headers).map((cost) => attempt(() => counter.inc(cost)))
  console.log(`prom-client, ${name}: ${(await counter.get()).values[0].value} (${ends.join(", ")})`)
}
const observe = () => new Histogram({ name: "h", help: "h", registers: [] }).observe(Number(undefined))
console.log(`prom-client, histogram with a missing one: ${attempt(observe)}`)
process.exit()
PROGRAM

node_modules/node24/bin/node program.mjs | tee output
diff output - <<'EXPECTED'
OpenTelemetry, all: 10
OpenTelemetry, negative: 10
OpenTelemetry, missing: NaN
OpenTelemetry, INT of 0.9: 0
OpenTelemetry, histogram with a missing one: count 2, sum 10
prom-client, all: 10 (accepted, accepted)
prom-client, negative: 10 (accepted, error, accepted)
prom-client, missing: NaN (accepted, accepted, accepted, accepted)
prom-client, histogram with a missing one: error
EXPECTED
