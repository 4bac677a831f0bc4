/** The output of `/metrics`, which the record `metrics.txt` has as a whole. */
import { noDrops } from "@blockquarry/server/Connections"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as PrometheusExporter from "../../src/admin/PrometheusExporter.ts"
import * as ProxyMetrics from "../../src/admin/ProxyMetrics.ts"

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
})
