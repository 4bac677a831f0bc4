/**
 * Exports all Effect metrics, of the engine and of the proxy, in the Prometheus text format for `/metrics`, with those of the process
 * and of Node.js under the names that other Prometheus clients use.
 *
 * OpenTelemetry serializes them. It is loaded on the first scrape, because many proxies are never scraped.
 */
import type { MetricData } from "@opentelemetry/sdk-metrics"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricLabel from "effect/MetricLabel"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { readdir } from "node:fs/promises"
import { monitorEventLoopDelay } from "node:perf_hooks"

export const contentType = "text/plain; version=0.0.4; charset=utf-8"

export const make: Effect.Effect<Effect.Effect<string>, never, Scope.Scope> = Effect.gen(function*() {
  const readProcess = yield* processMetrics
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

const gauge = (name: string, description: string) => {
  const metric = Metric.gauge(name, { description })
  return (value: number, labels: ReadonlyArray<MetricLabel.MetricLabel> = []): void =>
    metric.unsafeUpdate(value, labels)
}

const residentMemory = gauge("process_resident_memory_bytes", "Memory that the process holds, in bytes")
const startTime = gauge("process_start_time_seconds", "When the process started, in seconds since 1970")
const openFds = gauge("process_open_fds", "Open file descriptors")
const cpu = Metric.counter("process_cpu_seconds_total", {
  description: "Seconds of processor time, of user and system",
  incremental: true
})
const heapUsed = gauge("nodejs_heap_size_used_bytes", "Bytes of the heap that are in use")
const heapTotal = gauge("nodejs_heap_size_total_bytes", "Bytes of the heap")
const external = gauge("nodejs_external_memory_bytes", "Bytes outside of the heap that belong to its objects")
const eventLoopLag = gauge(
  "nodejs_eventloop_lag_seconds",
  "How late timers were on average since the last reading"
)
const eventLoopLagP99 = gauge(
  "nodejs_eventloop_lag_p99_seconds",
  "How late one timer in a hundred was at least"
)
const eventLoopLagMax = gauge("nodejs_eventloop_lag_max_seconds", "How late the latest timer was")
const version = gauge("nodejs_version_info", "1, with the version of Node")

const samplingIntervalMs = 20

/** The measured delay includes the interval. Without samples it is not finite. */
const lagSeconds = (nanoseconds: number): number =>
  Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e9 - samplingIntervalMs / 1000) : 0

/** Measures the event loop lag until the scope closes. The returned effect updates all metrics. */
const processMetrics: Effect.Effect<Effect.Effect<void>, never, Scope.Scope> = Effect.gen(function*() {
  const delays = monitorEventLoopDelay({ resolution: samplingIntervalMs })
  delays.enable()
  yield* Effect.addFinalizer(() => Effect.sync(() => delays.disable()))
  startTime(performance.timeOrigin / 1000)
  version(1, [MetricLabel.make("version", process.version)])
  let reportedSeconds = 0
  return Effect.gen(function*() {
    const memory = process.memoryUsage()
    residentMemory(memory.rss)
    heapUsed(memory.heapUsed)
    heapTotal(memory.heapTotal)
    external(memory.external)
    eventLoopLag(lagSeconds(delays.mean))
    eventLoopLagP99(lagSeconds(delays.percentile(99)))
    eventLoopLagMax(lagSeconds(delays.max))
    delays.reset()
    const { system, user } = process.cpuUsage()
    const seconds = (system + user) / 1e6
    cpu.unsafeUpdate(seconds - reportedSeconds, [])
    reportedSeconds = seconds
    // On systems with /proc. Reading the directory opens a descriptor itself.
    const descriptors = yield* Effect.option(Effect.tryPromise(() => readdir("/proc/self/fd")))
    if (Option.isSome(descriptors)) openFds(descriptors.value.length - 1)
  })
})
