/** The output of `/metrics`. */
import * as Telemetry from "@blockquarry/http/Telemetry"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import * as PrometheusExporter from "../../src/admin/PrometheusExporter.ts"
import * as ProxyMetrics from "../../src/admin/ProxyMetrics.ts"
import type { AccessLogEntry } from "../../src/exchange/AccessLogEntry.ts"
import { noConnections } from "../../src/server/Connections.ts"
import { accessLogEntry } from "../support/accessLogEntries.ts"

/** Effect's metrics are global to the process, so each test uses its own client. */
const metricsAfter = (...many: ReadonlyArray<Partial<AccessLogEntry>>) =>
  Effect.gen(function*() {
    const metrics = ProxyMetrics.make("0.1.0")
    for (const overrides of many) metrics.record(accessLogEntry(overrides))
    const text = yield* yield* PrometheusExporter.make
    return text.split("\n")
  })

/** The path of promtool, if it is installed. */
const checker = "promtool"
const installed = spawnSync(checker, ["--version"]).error === undefined

describe("the exporter", () => {
  it.scoped("counts requests by labels of low cardinality", () =>
    Effect.gen(function*() {
      const lines = yield* metricsAfter(
        { client: "a", cache: "hit" },
        { client: "a", cache: "hit" },
        { client: "a", status: 404 },
        { client: "a", status: 499 },
        { client: "a", status: 403, code: "insufficient-scope", cache: null },
        { client: null, operation: null, status: 404, code: "unknown-path", cache: null }
      )
      const counted = (labels: string, value: number) => `quarry_proxy_requests_total{${labels}} ${value}`
      for (
        const line of [
          counted(`client="a",operation="walletTransfers",status_class="2xx",cache="hit"`, 2),
          counted(`client="a",operation="walletTransfers",status_class="4xx",cache="miss"`, 1),
          counted(`client="a",operation="walletTransfers",status_class="499",cache="miss"`, 1),
          counted(`client="unauthenticated",operation="none",status_class="4xx",cache="none"`, 1),
          `quarry_proxy_rejected_total{client="a",code="insufficient-scope"} 1`
        ]
      ) expect(lines).toContain(line)
    }))

  it.scoped("sums units by client", () =>
    Effect.gen(function*() {
      const lines = yield* metricsAfter({ client: "b" }, {
        client: "b",
        upstreamCost: 0,
        chargedCost: 1,
        savedCost: 50
      })
      expect(lines).toContain(`quarry_proxy_upstream_units_total{client="b"} 50`)
      expect(lines).toContain(`quarry_proxy_charged_units_total{client="b"} 51`)
      expect(lines).toContain(`quarry_proxy_saved_units_total{client="b"} 50`)
    }))

  it.scoped("exports durations as histograms in seconds", () =>
    Effect.gen(function*() {
      const lines = yield* metricsAfter({ operation: "tokenPrice", cache: "hit", durationMs: 30 })
      const bucket = (le: string) =>
        `quarry_proxy_request_duration_seconds_bucket{operation="tokenPrice",cache="hit",le="${le}"}`
      expect(lines).toContain(`${bucket("0.025")} 0`)
      expect(lines).toContain(`${bucket("0.05")} 1`)
      expect(lines).toContain(`${bucket("+Inf")} 1`)
      expect(lines).toContain(
        `quarry_proxy_request_duration_seconds_sum{operation="tokenPrice",cache="hit"} 0.03`
      )
    }))

  it.scoped("exports gauges, reload counters from the start, and the version", () =>
    Effect.gen(function*() {
      const metrics = ProxyMetrics.make("0.1.0")
      const read = yield* PrometheusExporter.make
      const first = (yield* read).split("\n")
      expect(first).toContain(`quarry_proxy_config_reloads_total{result="failure"} 0`)
      expect(first).toContain(`quarry_proxy_info{version="0.1.0"} 1`)
      expect(first).toContain("quarry_proxy_shutting_down 0")
      metrics.setInFlight(["a", "removed"], () => 3)
      metrics.setInFlight(["a"], (client) => client === "a" ? 2 : 0)
      const dropped = { ...noConnections.dropped, "max-connections": 2 }
      metrics.setConnections({ open: 9, pending: 4, dropped })
      metrics.setConnections({ open: 9, pending: 4, dropped: { ...dropped, "max-connections": 3 } })
      metrics.setBufferedBytes(1024)
      metrics.setShuttingDown(true)
      metrics.recordReload("failure")
      const then = (yield* read).split("\n")
      expect(then).toContain(`quarry_proxy_requests_in_flight{client="a"} 2`)
      expect(then).toContain(`quarry_proxy_requests_in_flight{client="removed"} 0`)
      expect(then).toContain("quarry_proxy_connections 9")
      expect(then).toContain("quarry_proxy_pending_connections 4")
      expect(then).toContain(`quarry_proxy_connections_dropped_total{reason="max-connections"} 3`)
      expect(then).toContain("quarry_proxy_buffered_bytes 1024")
      expect(then).toContain("quarry_proxy_shutting_down 1")
      expect(then).toContain(`quarry_proxy_config_reloads_total{result="failure"} 1`)
    }))

  it.scoped("exports the metrics of the engine and of the process", () =>
    Effect.gen(function*() {
      Telemetry.callDuration.unsafeUpdate(0.1, [])
      const text = (yield* metricsAfter({})).join("\n")
      for (
        const name of [
          "quarry_call_duration_seconds",
          "process_resident_memory_bytes",
          "process_start_time_seconds",
          "process_cpu_seconds_total",
          "nodejs_heap_size_used_bytes",
          "nodejs_eventloop_lag_seconds"
        ]
      ) expect(text).toMatch(new RegExp(`^# TYPE ${name} `, "m"))
    }))

  it.scoped("escapes every character of label values", () =>
    Effect.gen(function*() {
      const lines = yield* metricsAfter({ client: `x"y\\z\nw`, status: 429, code: "client-rate-limited" })
      expect(lines).toContain(
        `quarry_proxy_rejected_total{client="x\\"y\\\\z\\nw",code="client-rate-limited"} 1`
      )
    }))

  it.scoped(
    installed
      ? "passes Prometheus' own check"
      : "would be checked by Prometheus' own promtool, which is not installed here",
    () =>
      Effect.gen(function*() {
        const lines = yield* metricsAfter({}, { status: 429, code: "client-rate-limited", cache: null })
        if (!installed) return
        const { status, stderr, stdout } = spawnSync(checker, ["check", "metrics"], {
          input: lines.join("\n"),
          encoding: "utf8"
        })
        expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: "" })
      })
  )
})
