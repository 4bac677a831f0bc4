/** The output of `/metrics`. */
import { noDrops } from "@blockquarry/server/Connections"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import * as PrometheusExporter from "../../src/admin/PrometheusExporter.ts"
import * as ProxyMetrics from "../../src/admin/ProxyMetrics.ts"
import type { AccessLogEntry } from "../../src/exchange/AccessLogEntry.ts"
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
  it.scoped("keeps reporting removed clients, and counts each dropped connection once", () =>
    Effect.gen(function*() {
      const metrics = ProxyMetrics.make("0.1.0")
      const state = {
        bufferedBytes: 1024,
        delayedResponses: 0,
        shuttingDown: true,
        clients: ["a"],
        inFlight: (client: string) => client === "a" ? 2 : 0
      }
      const dropped = (count: number) => ({
        open: 0,
        pending: 0,
        dropped: { ...noDrops, "max-connections": count }
      })
      metrics.setState({ ...state, clients: ["a", "removed"], inFlight: () => 3, connections: dropped(2) })
      metrics.setState({ ...state, connections: dropped(3) })
      const lines = (yield* yield* PrometheusExporter.make).split("\n")
      for (
        const line of [
          "requests_in_flight{client=\"a\"} 2",
          "requests_in_flight{client=\"removed\"} 0",
          "connections_dropped_total{reason=\"max-connections\"} 3",
          "buffered_bytes 1024",
          "shutting_down 1"
        ]
      ) expect(lines).toContain(`quarry_proxy_${line}`)
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
