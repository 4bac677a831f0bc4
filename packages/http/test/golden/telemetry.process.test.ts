/** Compares the log lines, spans and metrics of a scripted run with golden records. */
import type { OperationError } from "@blockquarry/core/OperationError"
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import { it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as MetricState from "effect/MetricState"
import * as Option from "effect/Option"
import { record } from "../../../core/test/golden/support/record.ts"
import { address } from "../support/Examples.ts"
import { fetchPrice, minimalOptions } from "../support/PriceCalls.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import * as TelemetryRecorder from "../support/TelemetryRecorder.ts"
import type * as TestClients from "../support/TestClients.ts"
import { keysOf } from "../support/TestEngine.ts"
import { retry, timeline } from "./support/scenario.ts"

const ok = ScriptedClient.json({ usdPrice: 1.5 })
const bad = (status: number, retryAfter?: string) =>
  ScriptedClient.respond(status, "oops", retryAfter === undefined ? {} : { "retry-after": retryAfter })

const script = ({ at, body, headers, url }: ScriptedClient.RecordedRequest): ScriptedClient.ScriptedReply => {
  switch (url.hostname) {
    case "cached.test":
      return at >= 20_000 && at < 30_000 ? bad(503) : ScriptedClient.delayed("20 millis", ok)
    case "breaking.test":
      if (url.pathname.includes("dead")) return at < 41_000 ? bad(500) : ok
      if (url.pathname.includes("beef")) return ScriptedClient.Hang()
      if (body !== null) return ScriptedClient.Disconnect({ code: "ECONNRESET" })
      if (url.pathname.includes("cafe")) return ScriptedClient.respond(200, "<html>")
      return ScriptedClient.json({ usdPrice: {} })
    case "rejecting.test":
      return bad(401)
    case "forbidding.test":
      return bad(403)
    case "busy.test":
      return ScriptedClient.delayed("5 seconds", ok)
    case "[::1]":
      return ScriptedClient.respond(503, "oops", {
        "retry-after": at < 130_000 ? "3" : "300",
        "x-request-id": at < 123_000 ? "of-the-upstream" : "a bearer of secrets"
      })
    case "limited.test":
      return at < 60_500 ? bad(429, "2") : ok
    default:
      return headers["x-api-key"]?.includes("rejected") === true ? bad(401) : bad(404)
  }
}

const at = (
  moment: number,
  call: string,
  via: string,
  run: (clients: TestClients.Clients) => Effect.Effect<unknown, OperationError>
) => ({
  at: moment,
  call,
  via,
  run: (clients: TestClients.Clients) => Effect.as(run(clients), "a record")
})

const price = (moment: number, call: string, via: string, number: number) =>
  at(moment, call, via, (clients) => fetchPrice(clients, number))

/** Requests the price of an address that repeats a hexadecimal word. */
const priceOfWord = (moment: number, call: string, word: string) =>
  at(moment, call, "breaking", ({ data }) => data.tokenPrice({ address: `0x${word.repeat(10)}` }))

/** Exercises cache, retries, circuit breaker, rate limit and key failover. */
const run = timeline({
  script,
  clients: {
    cached: {
      ...minimalOptions,
      ...retry,
      retry: { ...RetryPolicy.standard, attempts: 2 },
      cache: ResponseCache.standard,
      apiKey: keysOf("A"),
      baseUrl: "https://cached.test"
    },
    breaking: {
      ...minimalOptions,
      ...retry,
      breaker: { ...CircuitBreaker.standard, minimum: 5 },
      apiKey: keysOf("A"),
      baseUrl: "https://breaking.test:8443/path"
    },
    limited: {
      ...minimalOptions,
      ...retry,
      rateLimit: RateLimit.make({ limit: 6, window: "1 second", burst: 6 }),
      concurrency: { limit: 2, maxQueue: 2 },
      apiKey: keysOf("A"),
      baseUrl: "https://limited.test"
    },
    keyed: {
      ...minimalOptions,
      ...retry,
      apiKey: keysOf("rejected", "accepted"),
      baseUrl: "https://keyed.test"
    },
    rejecting: { ...minimalOptions, apiKey: keysOf("one", "two"), baseUrl: "https://rejecting.test" },
    forbidding: { ...minimalOptions, apiKey: keysOf("one", "two"), baseUrl: "https://forbidding.test" },
    busy: {
      ...minimalOptions,
      concurrency: { limit: 1, maxQueue: 9 },
      apiKey: keysOf("A"),
      baseUrl: "https://busy.test"
    },
    failing: {
      ...minimalOptions,
      ...retry,
      retry: { budget: { capacity: 1, refill: 0 } },
      breaker: { minimum: 3 },
      apiKey: keysOf("A"),
      baseUrl: "http://[::1]/base"
    }
  },
  actions: [
    price(0, "miss", "cached", 1),
    price(10, "coalesced", "cached", 1),
    price(1000, "hit", "cached", 1),
    price(7000, "stale", "cached", 1),
    price(20_000, "stale if error", "cached", 1),
    price(31_000, "wrong type", "breaking", 1),
    priceOfWord(31_000, "not JSON", "cafe"),
    priceOfWord(32_000, "retried", "dead"),
    price(38_000, "open", "breaking", 2),
    priceOfWord(44_000, "trial", "dead"),
    at(
      44_500,
      "reset",
      "breaking",
      ({ streams }) => streams.updateStreamStatus({ id: "stream-1", status: "paused" })
    ),
    priceOfWord(45_000, "interrupted", "beef"),
    { at: 46_000, call: "interrupted" },
    price(60_000, "throttled", "limited", 1),
    price(60_100, "in cooldown", "limited", 2),
    price(60_200, "third", "limited", 3),
    price(60_300, "fourth", "limited", 4),
    price(60_400, "fifth", "limited", 5),
    price(80_000, "rejected", "keyed", 1),
    at(81_000, "invalid", "keyed", ({ data }) => data.tokenPrice({ address: "0x1" })),
    price(82_000, "not found", "keyed", 2),
    at(
      83_000,
      "every parameter",
      "keyed",
      ({ data }) => data.tokenPrice({ address, chain: "eth", to_block: 5 })
    ),
    price(100_000, "all keys are rejected", "rejecting", 1),
    price(100_000, "no key has the permission", "forbidding", 1),
    price(110_000, "holds the slot", "busy", 1),
    price(110_000, "waits for the slot", "busy", 2),
    price(120_000, "exhausts the retry budget", "failing", 1),
    price(130_000, "has no time for a retry", "failing", 2)
  ],
  until: 100_000
})

const spanLine = (
  { attributes, events, failure, kind, name, parent }: TelemetryRecorder.TelemetryRecorder["spans"][number]
) => ({
  name,
  kind,
  parent,
  attributes: Object.fromEntries(attributes),
  // Log lines; the record of log lines has their attributes
  events: events.map(([event]) => event),
  end: failure === undefined
    ? "open"
    : failure === null
    ? "success"
    : Cause.isInterruptedOnly(failure)
    ? "interrupted"
    : "failure"
})

const valueOf = (state: MetricState.MetricState.Untyped): unknown => {
  if (MetricState.isCounterState(state)) return state.count
  if (MetricState.isGaugeState(state)) return state.value
  if (!MetricState.isHistogramState(state)) return "?"
  return {
    count: state.count,
    sum: Number(state.sum.toFixed(6)),
    buckets: [...state.buckets].map(([bound, count]) => `${Number(bound.toFixed(6))}: ${count}`).join(", ")
  }
}

it.effect("log lines, spans and metrics match the golden records", () =>
  Effect.gen(function*() {
    const logs: Array<unknown> = []
    const logger = Logger.make(({ annotations, date, logLevel, message, spans }) => {
      logs.push({
        at: date.getTime(),
        level: logLevel.label,
        message,
        annotations: Object.fromEntries(HashMap.toEntries(annotations).toSorted(byName)),
        ...([...spans].length === 0 ? {} : { spans: [...spans].map(({ label }) => label) })
      })
    })
    const recorder = TelemetryRecorder.make()
    yield* recorder.record(Effect.provide(run, Logger.add(logger)))
    const pairs = yield* Metric.snapshot
    const metrics = pairs
      .filter(({ metricKey: { name } }) => name.startsWith("quarry_"))
      .map(({ metricKey, metricState }) => ({
        name: metricKey.name,
        labels: Object.fromEntries(metricKey.tags.map(({ key, value }) => [key, value])),
        value: valueOf(metricState),
        description: Option.getOrNull(metricKey.description)
      }))
    const byMetric: Record<string, Record<string, unknown>> = {}
    for (const { description, labels, name, value } of metrics) {
      const series = Object.entries(labels).toSorted(byName).map(([label, text]) => `${label}="${text}"`)
        .join(",")
      byMetric[name] = { description, ...byMetric[name], [`{${series}}`]: value }
    }
    const sorted = Object.fromEntries(
      Object.entries(byMetric).toSorted(byName).map(([name, { description, ...series }]) => [
        name,
        { description, ...Object.fromEntries(Object.entries(series).toSorted(byName)) }
      ])
    )
    yield* Effect.promise(() => record("telemetry.logs", logs, 1))
    yield* Effect.promise(() => record("telemetry.spans", recorder.spans.map(spanLine), 1))
    yield* Effect.promise(() => record("telemetry.metrics", sorted, 2))
  }))

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : a > b ? 1 : 0
