/** The response of `/status.json`: the counters of the process and the state of its dependencies. */
import type { KeyHealth, UpstreamHealth } from "@blockquarry/http/Engine"
import type { UpstreamName } from "../config/BaseUrls.ts"
import type { ReadinessState } from "../pipeline/Health.ts"
import * as TimeSeries from "./TimeSeries.ts"
import type * as UsageStats from "./UsageStats.ts"

/** Times are ISO 8601 in UTC. Durations are in milliseconds. */
export interface Status {
  readonly name: "quarry-proxy"
  readonly version: string
  readonly startedAt: string
  readonly now: string
  readonly state: ReadinessState
  /** Whether clients need no token. */
  readonly anonymousAccess: boolean
  readonly sandbox: boolean
  readonly upstreams: ReadonlyArray<UpstreamStatus<string>>
  readonly store: StoreStatus
  readonly totals: Omit<UsageStats.UsageCounts, "chargedCost" | "shadowed">
  readonly series: {
    readonly step: typeof TimeSeries.stepSeconds
    readonly points: ReadonlyArray<StatusPoint>
  }
  readonly clients: ReadonlyArray<ClientStatus>
  readonly failures: ReadonlyArray<RecentFailure>
}

export interface StoreStatus {
  readonly kind: "memory" | "redis"
  /** Whether the store responds. If not, each process enforces its share of the limits. */
  readonly available: boolean
  /** Whether the store responds but cannot be used as it is configured. The log says what to change. */
  readonly misconfigured: boolean
}

/** The state of an upstream. `Time` is `number` (milliseconds since 1970) as input and `string` in the response. */
export interface UpstreamStatus<Time> {
  readonly name: UpstreamName
  /** `null` if no base URL is configured. */
  readonly host: string | null
  readonly circuitBreaker: UpstreamHealth["breaker"]
  readonly retryAt: Time | null
  readonly keys: ReadonlyArray<KeyStatus<Time>>
}

interface KeyStatus<Time> extends Pick<KeyHealth, "state" | "reason"> {
  readonly name: string
  readonly cooldownUntil: Time | null
  readonly dailyQuota: { readonly limit: number; readonly remaining: number } | null
}

export interface StatusPoint extends Omit<TimeSeries.SeriesPoint, "at"> {
  readonly at: string
}

interface ClientStatus extends
  Pick<
    UsageStats.UsageCounts,
    "requests" | "hits" | "rejected" | "failures" | "upstreamCost" | "savedCost"
  >
{
  readonly name: string
  readonly lastSeen: string | null
  readonly quotas: ReadonlyArray<ClientQuotaStatus>
}

export interface ClientQuotaStatus {
  /** `second`, `day`, or the window, such as `10s`. */
  readonly name: string
  readonly limit: number
  readonly remaining: number
  /** Whether the quota is in shadow mode: exceeding it is counted, but not rejected. */
  readonly shadow: boolean
}

interface RecentFailure extends Omit<UsageStats.FailureRecord, "at" | "code"> {
  readonly at: string
  readonly code: string | null
}

/** Current state from outside of the usage counters. */
export interface StatusInput {
  readonly version: string
  readonly now: number
  readonly state: ReadinessState
  readonly anonymousAccess: boolean
  readonly sandbox: boolean
  readonly upstreams: ReadonlyArray<UpstreamStatus<number>>
  readonly store: StoreStatus
  /** The configured clients in the order of the configuration, with the state of their quotas. */
  readonly clients: ReadonlyArray<Pick<ClientStatus, "name" | "quotas">>
}

export const make = (snapshot: UsageStats.UsageSnapshot, input: StatusInput): Status => {
  const { chargedCost: _, shadowed: __, ...totals } = snapshot.totals
  return {
    name: "quarry-proxy",
    version: input.version,
    startedAt: toIsoTime(snapshot.since),
    now: toIsoTime(input.now),
    state: input.state,
    anonymousAccess: input.anonymousAccess,
    sandbox: input.sandbox,
    upstreams: input.upstreams.map(toUpstreamStatus),
    store: input.store,
    totals,
    series: {
      step: TimeSeries.stepSeconds,
      points: snapshot.series.map((point) => ({ ...point, at: toIsoTime(point.at) }))
    },
    clients: clientStatuses(snapshot.clients, input.clients),
    failures: snapshot.failures.map(({ at, requestId, ...failure }) => ({
      at: toIsoTime(at),
      requestId,
      ...failure
    }))
  }
}

const toIsoTime = (millis: number): string => new Date(millis).toISOString()

const toIsoTimeOrNull = (millis: number | null): string | null => millis === null ? null : toIsoTime(millis)

const toUpstreamStatus = (
  { keys, retryAt, ...upstream }: UpstreamStatus<number>
): UpstreamStatus<string> => ({
  ...upstream,
  retryAt: toIsoTimeOrNull(retryAt),
  keys: keys.map(({ cooldownUntil, ...key }) => ({ ...key, cooldownUntil: toIsoTimeOrNull(cooldownUntil) }))
})

/** Returns the configured clients, including those without requests, then all other clients with requests. */
const clientStatuses = (
  clientUsage: ReadonlyArray<UsageStats.ClientUsage>,
  configured: StatusInput["clients"]
): ReadonlyArray<ClientStatus> => {
  const usage = new Map(clientUsage.map((client) => [client.name, client]))
  const names = new Set(configured.map(({ name }) => name))
  return [
    ...configured.map(({ quotas, name }) => toClientStatus(name, usage.get(name), quotas)),
    ...clientUsage.filter(({ name }) => !names.has(name)).map((client) =>
      toClientStatus(client.name, client, [])
    )
  ]
}

const toClientStatus = (
  name: string,
  usage: UsageStats.ClientUsage | undefined,
  quotas: ReadonlyArray<ClientQuotaStatus>
): ClientStatus => ({
  name,
  requests: usage?.requests ?? 0,
  hits: usage?.hits ?? 0,
  rejected: usage?.rejected ?? 0,
  failures: usage?.failures ?? 0,
  upstreamCost: usage?.upstreamCost ?? 0,
  savedCost: usage?.savedCost ?? 0,
  lastSeen: usage === undefined ? null : toIsoTime(usage.lastSeen),
  quotas
})
