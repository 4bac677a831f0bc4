/** The live processes of a fleet. Each one reports its usage to Redis every two seconds. */
import { Engine, upstreamHealth } from "@blockquarry/http/gateway/Engine"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { deflateRawSync, inflateRawSync } from "node:zlib"
import { Overrides, SharedRecords } from "../auth/Overrides.ts"
import { ActiveConfig } from "../pipeline/ActiveConfig.ts"
import * as Health from "../pipeline/Health.ts"
import { MainServer } from "../pipeline/MainServer.ts"
import * as UsageStats from "./UsageStats.ts"

/** `problems`: open circuit breakers, and API keys that wait for more than their rate limit. */
const ProcessReport = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  state: Schema.String,
  problems: Schema.Array(Schema.String),
  usage: UsageStats.Snapshot
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
      const health = upstreamHealth(yield* Engine)
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
      const read = Effect.map(processes.read, ({ now, records }) =>
        Object.entries(records).flatMap(([name, { text }]) =>
          name === overrides.processName
            ? []
            : [Either.getOrElse(decompress(text), (): ProcessReport => ({
              name,
              version: "unknown",
              state: "unknown",
              problems: ["its report cannot be read"],
              usage: UsageStats.make(now).snapshot(-1)
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

/** Merges rows with equal keys, in the order of the first ones. */
const mergeBy = <Key, Row>(
  rows: ReadonlyArray<Row>,
  keyOf: (row: Row) => Key,
  merge: (one: Row, other: Row) => Row
): ReadonlyMap<Key, Row> => {
  const merged = new Map<Key, Row>()
  for (const row of rows) {
    const before = merged.get(keyOf(row))
    merged.set(keyOf(row), before === undefined ? row : merge(before, row))
  }
  return merged
}

/** Sums the usage of processes. Latencies are those of the slowest one. Failures are listed newest first. */
export const sum = (reports: Processes["reports"]) => {
  const usages = reports.map(({ usage }) => usage)
  return {
    totals: usages.map(({ totals }) => totals).reduce(UsageStats.sum),
    clients: mergeBy(usages.flatMap(({ clients }) => clients), ({ name }) => name, (one, other) => ({
      ...UsageStats.sum(one, other),
      lastSeen: Math.max(one.lastSeen, other.lastSeen)
    })),
    series: [
      ...mergeBy(usages.flatMap(({ series }) => series), ({ at }) => at, UsageStats.sumPoints).values()
    ]
      .sort((one, other) => one.at - other.at),
    failures: reports.flatMap(({ name, usage }) =>
      usage.failures.map((failure) => ({ ...failure, process: name }))
    ).sort((one, other) => other.at - one.at).slice(0, UsageStats.maxRecentFailures)
  }
}
