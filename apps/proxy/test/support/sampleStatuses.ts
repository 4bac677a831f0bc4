/** Sample statuses of a busy and of an idle proxy. */
import * as Status from "../../src/admin/Status.ts"
import * as UsageStats from "../../src/admin/UsageStats.ts"
import { errorCodes } from "../../src/exchange/ErrorCode.ts"
import { accessLogEntry } from "./accessLogEntries.ts"

const hour = 3_600_000

type State = Status.CurrentState
type Key = State["upstreams"][number]["keys"][number]
type Quota = State["clients"][number]["quotas"][number]

const key = (name: string, other: Partial<Key> = {}): Key => ({
  name,
  state: "ready",
  reason: null,
  cooldownUntil: null,
  dailyQuota: null,
  ...other
})

const quota = (name: Quota["name"], limit: number, remaining: number, other: Partial<Quota> = {}): Quota => ({
  soft: null,
  warned: false,
  shadow: false,
  resetSeconds: 41_000,
  name,
  limit,
  remaining,
  ...other
})

const sampleState = (now: number): State => ({
  now,
  state: "ready",
  anonymousAccess: false,
  sandbox: false,
  upstreams: [
    {
      name: "data",
      host: "data.example.com",
      circuitBreaker: "closed",
      retryAt: null,
      keys: [
        key("main", { dailyQuota: { limit: 2_000_000, remaining: 1_236_450 } }),
        key("spare", {
          state: "cooldown",
          reason: "throttled",
          cooldownUntil: Status.toIsoTime(now + 14_000)
        }),
        key("trial", {
          state: "cooldown",
          reason: "quota-exceeded",
          cooldownUntil: Status.toIsoTime(now + 9 * hour),
          dailyQuota: { limit: 40_000, remaining: 0 }
        })
      ]
    },
    {
      name: "streams",
      host: "streams.example.com",
      circuitBreaker: "half-open",
      retryAt: null,
      keys: [key("main", { reason: "rejected" })]
    },
    {
      name: "ledger",
      host: "ledger.example.com",
      circuitBreaker: "open",
      retryAt: Status.toIsoTime(now + 21_000),
      keys: []
    },
    { name: "ledgerTestnet", host: null, circuitBreaker: "closed", retryAt: null, keys: [] }
  ],
  store: { kind: "redis", available: true, misconfigured: false },
  quotas: [
    { ...quota("all-month", 40_000_000, 21_300_000), team: null },
    { ...quota("team-month", 9_000_000, 3_225_000, { soft: 5_000_000, warned: true }), team: "web" },
    { ...quota("team-day", 50_000, 0), team: "data-science" },
    { ...quota("team-day", 400_000, 399_000, { soft: 400_000 }), team: "web" }
  ],
  clients: [
    {
      name: "wallet-app",
      disabled: undefined,
      quotas: [quota("second", 50, 31), quota("day", 500_000, 48_210, { soft: 400_000, warned: true })]
    },
    { name: "price-feed", disabled: undefined, quotas: [quota("second", 20, 0)] },
    { name: "research", disabled: undefined, quotas: [quota("day", 100_000, 72_400, { shadow: true })] },
    {
      name: "backfill.nightly",
      disabled: { operator: "operator alice from 192.0.2.7", at: now - 180_000 },
      quotas: []
    }
  ]
})

const processOf = (usage: UsageStats.UsageStatsService, now: number) => ({
  scope: "process" as const,
  reports: [{
    name: "proxy-1",
    version: "0.1.0",
    state: "ready",
    problems: [],
    config: "same",
    usage: usage.snapshot(now)
  }] as const
})

/** Returns the status after more than 15 minutes of traffic and `extraRequests` further requests. */
export const busyStatus = (now: number, extraRequests = 0): Status.Status => {
  const usage = UsageStats.make(now - 27 * hour)
  const clients = ["wallet-app", "price-feed", "research"]
  for (let index = 0; index < 4000; index += 1) {
    const isHit = index % 4 > 0
    usage.record(accessLogEntry({
      startedAt: now - 900_000 + index * 225,
      client: clients[index % clients.length] ?? null,
      cache: isHit ? index % 40 === 1 ? "stale" : "hit" : index % 11 === 0 ? "coalesced" : "miss",
      attempts: isHit ? 0 : 1,
      upstreamCost: isHit ? 0 : 50,
      savedCost: isHit ? 50 : 0,
      durationMs: isHit ? 1 + index % 5 : 60 + index % 389,
      bytes: 9000,
      ...(index % 61 === 0 ? { status: 429, code: "client-rate-limited" as const } : {}),
      ...(index % 331 === 0 ? { status: 499 } : {})
    }))
  }
  const failures = ["upstream-unreachable", "upstream-timeout", "circuit-open"] as const
  failures.forEach((code, index) =>
    usage.record(accessLogEntry({
      startedAt: now - 300_000 + index * 70_000,
      requestId: `5f0f3c1e-8a52-4b6e-9d0b-2f1c7a9e4d0${index}`,
      client: "price-feed",
      operation: "tokenPrice",
      route: "/api/v2.2/erc20/:address/price",
      status: errorCodes[code].status,
      code,
      durationMs: 2500
    }))
  )
  usage.record(
    accessLogEntry({
      startedAt: now - 20_000,
      requestId: "ledger-1",
      status: 503,
      durationMs: 20,
      client: "research"
    })
  )
  for (let index = 0; index < extraRequests; index += 1) {
    usage.record(accessLogEntry({ startedAt: now - 100 }))
  }
  const { reports: [report] } = processOf(usage, now)
  const others = ["proxy-2", "proxy-3"].map((name) => ({
    ...report,
    name,
    state: name === "proxy-3" ? "draining" : "ready",
    problems: name === "proxy-3" ? ["data.example.com: circuit breaker open"] : [],
    config: name === "proxy-3" ? "other" : "same",
    usage: UsageStats.make(now - hour).snapshot(now)
  }))
  return Status.make("0.1.0", { scope: "fleet", reports: [report, ...others] }, sampleState(now))
}

/** Returns the status of a proxy that has not received any request. */
export const idleStatus = (now: number): Status.Status =>
  Status.make("0.1.0", processOf(UsageStats.make(now - 4000), now), {
    ...sampleState(now),
    quotas: [],
    clients: [{ name: "anonymous", disabled: undefined, quotas: [] }],
    anonymousAccess: true,
    sandbox: true,
    store: { kind: "memory", available: true, misconfigured: false }
  })
