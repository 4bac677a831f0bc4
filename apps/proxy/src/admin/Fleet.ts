/** The live processes of a fleet. Each one reports its usage to Redis every two seconds. */
import { Engine } from "@blockquarry/http/Engine"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Rec from "effect/Record"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { deflateRawSync, inflateRawSync } from "node:zlib"
import { Overrides, SharedRecords } from "../auth/Overrides.ts"
import { ActiveConfig } from "../pipeline/ActiveConfig.ts"
import * as Health from "../pipeline/Health.ts"
import { MainServer } from "../pipeline/MainServer.ts"
import * as UsageCounts from "./UsageCounts.ts"
import * as UsageStats from "./UsageStats.ts"

/** Processes of other versions may count less. */
const count = Schema.optionalWith(Schema.Number, { default: () => 0 })

const countFields = Rec.map(UsageCounts.zero(), () => count)

const Quantile = Schema.NullOr(Schema.Number)

const Snapshot = Schema.Struct({
  since: Schema.Number,
  totals: Schema.Struct(countFields),
  operations: Schema.Array(Schema.Struct({ name: Schema.String, ...countFields })),
  clients: Schema.Array(Schema.Struct({
    name: Schema.String,
    ...countFields,
    rejectedByCode: Schema.Record({ key: Schema.String, value: Schema.Number }),
    lastSeen: Schema.Number
  })),
  series: Schema.Array(Schema.Struct({
    at: Schema.Number,
    requests: count,
    hits: count,
    failures: count,
    upstreamCost: count,
    savedCost: count,
    p50: Quantile,
    p95: Quantile,
    p99: Quantile
  })),
  failures: Schema.Array(Schema.Struct({
    at: Schema.Number,
    requestId: Schema.String,
    client: Schema.NullOr(Schema.String),
    operation: Schema.NullOr(Schema.String),
    route: Schema.String,
    status: Schema.Number,
    code: Schema.NullOr(Schema.String)
  }))
})

type Snapshot = typeof Snapshot.Type

type Counts = Snapshot["totals"]

/** `problems`: open circuit breakers, and API keys that wait for more than their rate limit. */
const ProcessReport = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  state: Schema.String,
  problems: Schema.Array(Schema.String),
  usage: Snapshot
})

export type ProcessReport = typeof ProcessReport.Type

const Document = Schema.parseJson(ProcessReport)

/** The series repeats much: about a tenth remains. */
const compress = (report: ProcessReport): string =>
  deflateRawSync(Schema.encodeSync(Document)(report)).toString("base64")

const decompress = (text: string) =>
  Either.flatMap(
    Either.try(() => inflateRawSync(Buffer.from(text, "base64"), { maxOutputLength: maxBytes }).toString()),
    Schema.decodeEither(Document)
  )

const maxBytes = 4 * 1024 * 1024

const heartbeatInterval = "2 seconds"

/** A process that sends no heartbeat for this long is not live. */
const ttlMillis = 10_000

/** The live processes, this one first. `process`: without Redis, or while it is unavailable, there is only this one. */
export interface Processes {
  readonly scope: "fleet" | "process"
  readonly reports: readonly [ProcessReport, ...ReadonlyArray<ProcessReport>]
}

export class Fleet extends Context.Tag("quarry-proxy/Fleet")<Fleet, Effect.Effect<Processes>>() {}

export const layer = (version: string) =>
  Layer.scoped(
    Fleet,
    Effect.gen(function*() {
      const shared = yield* SharedRecords
      const activeConfig = yield* ActiveConfig
      const mainServer = yield* MainServer
      const overrides = yield* Overrides
      const { health } = yield* Engine
      const usage = yield* UsageStats.UsageStats
      const own = Effect.map(Effect.all([health, Clock.currentTimeMillis]), ([upstreams, now]) => ({
        name: overrides.processName,
        version,
        state: Health.readinessState(activeConfig.current(), overrides, mainServer.shuttingDown()),
        problems: upstreams.flatMap(({ breaker, host, keys }) => [
          ...breaker === "closed" ? [] : [`${host}: circuit breaker ${breaker}`],
          ...keys.flatMap(({ label, reason }) =>
            reason === null || reason === "throttled" ? [] : [`${host}: key ${label} ${reason}`]
          )
        ]),
        usage: usage.snapshot(now)
      }))
      if (shared === null) {
        return Effect.map(own, (report): Processes => ({ scope: "process", reports: [report] }))
      }
      const processes = shared("processes", ttlMillis)
      const read = Effect.map(processes.read, ({ records }) =>
        Object.entries(records).flatMap(([name, { text }]) =>
          name === overrides.processName
            ? []
            : [Either.getOrElse(decompress(text), (): ProcessReport => ({
              name,
              version: "unknown",
              state: "unknown",
              problems: ["its report cannot be read"],
              usage: UsageStats.make(0).snapshot(-1)
            }))]
        ))
      let isLogged = false
      const heartbeat = Effect.flatMap(own, (report) =>
        processes.set(report.name, { text: compress(report), at: 0 }))
      const tryHeartbeat = Effect.catchAllDefect(Effect.ignore(heartbeat), (defect) =>
        isLogged ? Effect.void : (isLogged = true, Effect.logError("heartbeat: internal error", defect)))
      yield* Effect.addFinalizer(() =>
        Effect.ignore(processes.remove(overrides.processName))
      )
      // Reading also removes what processes left that were killed.
      yield* Effect.forkScoped(
        Effect.zipRight(
          Effect.ignore(read),
          Effect.repeat(tryHeartbeat, Schedule.spaced(heartbeatInterval))
        )
      )
      return Effect.flatMap(own, (report) =>
        Effect.match(read, {
          onFailure: (): Processes => ({ scope: "process", reports: [report] }),
          onSuccess: (others): Processes => ({ scope: "fleet", reports: [report, ...others] })
        }))
    })
  )

const sumsByName = (rows: ReadonlyArray<{ readonly name: string } & Counts>) => {
  const sums = new Map<string, UsageCounts.MutableCounts>()
  for (const row of rows) {
    const counts = sums.get(row.name) ?? UsageCounts.zero()
    UsageCounts.addAll(counts, row)
    sums.set(row.name, counts)
  }
  return Array.from(sums, ([name, counts]) => ({ name, ...counts }))
}

const slower = (one: number | null, other: number | null): number | null =>
  one === null ? other : Math.max(one, other ?? 0)

type Point = Snapshot["series"][number]

const addPoints = (one: Point, other: Point): Point => ({
  at: one.at,
  requests: one.requests + other.requests,
  hits: one.hits + other.hits,
  failures: one.failures + other.failures,
  upstreamCost: one.upstreamCost + other.upstreamCost,
  savedCost: one.savedCost + other.savedCost,
  p50: slower(one.p50, other.p50),
  p95: slower(one.p95, other.p95),
  p99: slower(one.p99, other.p99)
})

/** Sums the usage of processes. Quantiles are those of the slowest one. Failures are listed newest first. */
export const sum = (reports: ReadonlyArray<Pick<ProcessReport, "name" | "usage">>) => {
  const snapshots = reports.map(({ usage }) => usage)
  const totals = UsageCounts.zero()
  for (const snapshot of snapshots) UsageCounts.addAll(totals, snapshot.totals)
  const clients = snapshots.flatMap(({ clients }) => clients)
  const points = Arr.groupBy(snapshots.flatMap(({ series }) => series), ({ at }) => String(at))
  return {
    totals,
    operations: sumsByName(snapshots.flatMap(({ operations }) => operations)),
    clients: sumsByName(clients).map((counts) => {
      const parts = clients.filter(({ name }) => name === counts.name)
      return {
        ...counts,
        rejectedByCode: parts.map(({ rejectedByCode }) => rejectedByCode)
          .reduce((one, other) => Rec.union(one, other, (count, more) => count + more)),
        lastSeen: Math.max(...parts.map(({ lastSeen }) => lastSeen))
      }
    }),
    series: Object.values(points).map((same) => same.reduce(addPoints)).sort((one, other) =>
      one.at - other.at
    ),
    failures: reports.flatMap(({ name, usage }) =>
      usage.failures.map((failure) => ({ ...failure, process: name }))
    ).sort((one, other) => other.at - one.at).slice(0, UsageStats.maxRecentFailures)
  }
}
