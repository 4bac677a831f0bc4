/** The response of `/status.json`: the counters of the fleet, its processes, and the state of the dependencies of this one. */
import { upstreamNames } from "@blockquarry/core/Upstreams"
import { Engine, upstreamHealth } from "@blockquarry/http/gateway/Engine"
import { dailyQuotas } from "@blockquarry/http/gateway/Upstream"
import * as Telemetry from "@blockquarry/http/Telemetry"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Metric from "effect/Metric"
import * as Struct from "effect/Struct"
import type { AuthenticatedClient } from "../auth/Clients.ts"
import { Overrides } from "../auth/Overrides.ts"
import { allowsAnonymousClients, type Config } from "../config/Config.ts"
import { ActiveConfig, type Configured } from "../pipeline/ActiveConfig.ts"
import * as Health from "../pipeline/Health.ts"
import { MainServer } from "../pipeline/MainServer.ts"
import * as Fleet from "./Fleet.ts"
import * as UsageStats from "./UsageStats.ts"

/** Times are ISO 8601 in UTC. Durations are in milliseconds, unless their name has another unit. */
export type Status = ReturnType<typeof make>

export type StatusPoint = Status["series"]["points"][number]

type CurrentState = Effect.Effect.Success<typeof currentState>

const toIsoTime = (millis: number): string => new Date(millis).toISOString()

const toIsoTimeOrNull = (millis: number | null): string | null => millis === null ? null : toIsoTime(millis)

/** Returns the status from the reports of the processes and the current state of everything else. */
const make = (
  version: string,
  { reports, scope }: Fleet.Processes,
  { clients: configured, now, ...current }: CurrentState
) => {
  const { clients, failures, series, totals } = Fleet.sum(reports)
  const states = new Map(configured.map((client) => [client.name, client]))
  return {
    name: "quarry-proxy",
    version,
    startedAt: toIsoTime(reports[0].usage.since),
    now: toIsoTime(now),
    ...current,
    /** What the counters are of. */
    scope,
    processes: reports.map(({ usage, ...process }) => ({
      ...process,
      startedAt: toIsoTime(usage.since),
      ...Struct.pick(usage.totals, "requests", "failures", "upstreamCost")
    })),
    totals,
    series: {
      step: UsageStats.stepSeconds,
      points: series.map((point) => ({ ...point, at: toIsoTime(point.at) }))
    },
    // The configured clients, including those without requests, then all others with requests
    clients: Array.from(new Set([...states.keys(), ...clients.keys()]), (name) => {
      const [state, usage] = [states.get(name), clients.get(name)]
      const counts = usage ?? UsageStats.zero()
      return {
        name,
        ...Struct.pick(counts, "requests", "hits", "rejected", "failures", "upstreamCost", "savedCost"),
        lastSeen: toIsoTimeOrNull(usage?.lastSeen ?? null),
        disabled: state?.disabled === undefined
          ? null
          : { ...state.disabled, at: toIsoTime(state.disabled.at) },
        quotas: state?.quotas ?? []
      }
    }),
    failures: failures.map((failure) => ({ ...failure, at: toIsoTime(failure.at) }))
  }
}

const currentState = Effect.gen(function*() {
  const configured = (yield* ActiveConfig).current()
  const { clientQuotas, clients, config, upstream } = configured
  const overrides = yield* Overrides
  const quotasOf = (limited: Pick<AuthenticatedClient, "name" | "quotas" | "rateLimit">) =>
    Effect.map(clientQuotas.status(limited), (quotas) =>
      quotas.map(({ name, warns, ...quota }) => ({
        name: name === "rate" && limited.rateLimit !== null ? windowName(limited.rateLimit.window) : name,
        ...Struct.pick(quota, "limit", "remaining", "soft", "resetSeconds"),
        warned: warns,
        shadow: config.quotas.mode === "shadow"
      })))
  const common = Arr.dedupeWith(
    clients.all.flatMap(({ quotas }) => quotas.filter((quota) => !isOwn(quota))),
    (one, other) => one.id === other.id
  )
  return {
    now: yield* Clock.currentTimeMillis,
    state: Health.readinessState(configured, overrides, (yield* MainServer).shuttingDown()),
    anonymousAccess: allowsAnonymousClients(config),
    sandbox: config.upstream.sandbox,
    upstreams: yield* upstreamStatuses(upstream),
    store: yield* storeStatus(config),
    /** Those of teams, and of all clients together. */
    quotas: Arr.zipWith(
      yield* quotasOf({ name: "", rateLimit: null, quotas: common }),
      common,
      (quota, { team }) => ({ team, ...quota })
    ),
    clients: yield* Effect.forEach(
      clients.all,
      (client) =>
        Effect.map(quotasOf({ ...client, quotas: client.quotas.filter(isOwn) }), (quotas) => ({
          name: client.name,
          disabled: overrides.disabled.get(client.name),
          quotas
        })),
      { concurrency: 16 }
    )
  }
})

/** Whether it is not a quota of a team or of all clients. */
const isOwn = ({ name }: AuthenticatedClient["quotas"][number]): boolean => name === "day" || name === "month"

/** `second`, `day`, or the window, such as `10s`. */
const windowName = (window: number): string =>
  window === 1000 ? "second" : Duration.format(Duration.millis(window))

/** Returns the state of every upstream, including those without requests so far. */
const upstreamStatuses = ({ endpoints: { baseUrls, keys }, resolve }: Configured["upstream"]) =>
  Effect.gen(function*() {
    const engine = yield* Engine
    const hosts = yield* upstreamHealth(engine)
    return yield* Effect.forEach(Arr.fromIterable(upstreamNames), (name) =>
      Effect.gen(function*() {
        const url = baseUrls[name]
        const host = url === undefined ? null : new URL(url).host
        const health = hosts.find((upstream) => upstream.host === host)
        const quotas = yield* Either.match(resolve(name), {
          onLeft: () => Effect.succeed([]),
          onRight: dailyQuotas
        })
        return {
          name,
          host,
          circuitBreaker: health?.breaker ?? "closed",
          retryAt: toIsoTimeOrNull(health?.retryAt ?? null),
          // Without a base URL the keys are not used.
          keys: (host === null ? [] : keys[name]).map(({ label }) => {
            const { cooldownUntil = null, reason = null, state = "ready" } = health?.keys.find((key) =>
              key.label === label
            ) ?? {}
            const quota = quotas.find((key) => key.label === label)
            return {
              name: label,
              state,
              reason,
              dailyQuota: quota === undefined ? null : { limit: quota.limit, remaining: quota.remaining },
              cooldownUntil: toIsoTimeOrNull(cooldownUntil)
            }
          })
        }
      }))
  })

/**
 * Reads the gauges of the Redis store: whether it responds, and whether it responds but cannot be used as it is configured.
 * The memory store has none: it is always available.
 */
const storeStatus = ({ redis }: Config) =>
  redis === undefined
    ? Effect.succeed({ kind: "memory", available: true, misconfigured: false } as const)
    : Effect.map(
      Effect.forEach([Telemetry.storeAvailable, Telemetry.storeMisconfigured], (gauge) =>
        Metric.value(Metric.tagged(gauge, "store", "cache"))),
      ([available, misconfigured]) => ({
        kind: "redis",
        available: available?.value === 1,
        misconfigured: misconfigured?.value === 1
      } as const)
    )

export const read = (version: string) =>
  Effect.zipWith(
    Effect.flatten(Fleet.Fleet),
    currentState,
    (processes, current) => make(version, processes, current)
  )
