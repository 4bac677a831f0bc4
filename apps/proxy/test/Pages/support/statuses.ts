/** What a busy proxy says of itself, at any moment of a made-up day. */
import { statuses as codes } from "../../../src/Failure.ts"
import * as Status from "../../../src/Operations/Status.ts"
import * as Tally from "../../../src/Operations/Tally.ts"
import { facts } from "../../Operations/facts.ts"

const hour = 3_600_000

/** Always the same, and yet uneven. */
const wave = (index: number, period: number): number => (1 + Math.sin((index * 2 * Math.PI) / period)) / 2

const given = (now: number): Status.Given => ({
  version: "0.1.0",
  now,
  state: "ready",
  open: false,
  sandbox: false,
  upstream: [
    {
      address: "data",
      host: "data.example.com",
      breaker: "closed",
      retryAt: null,
      keys: [
        {
          name: "main",
          state: "ready",
          reason: null,
          until: null,
          perDay: { limit: 2_000_000, left: 1_236_450 }
        },
        { name: "spare", state: "resting", reason: "throttled", until: now + 14_000, perDay: null },
        {
          name: "trial",
          state: "resting",
          reason: "exhausted",
          until: now + 9 * hour,
          perDay: { limit: 40_000, left: 0 }
        }
      ]
    },
    {
      address: "streams",
      host: "streams.example.com",
      breaker: "half-open",
      retryAt: null,
      keys: [{ name: "main", state: "ready", reason: null, until: null, perDay: null }]
    },
    { address: "ledger", host: "ledger.example.com", breaker: "open", retryAt: now + 21_000, keys: [] },
    { address: "ledgerTestnet", host: null, breaker: "closed", retryAt: null, keys: [] }
  ],
  store: { kind: "redis", away: false },
  clients: [
    {
      name: "wallet-app",
      budgets: [
        { name: "second", limit: 50, left: 31, shadow: false },
        { name: "day", limit: 500_000, left: 48_210, shadow: false }
      ]
    },
    { name: "price-feed", budgets: [{ name: "second", limit: 20, left: 0, shadow: false }] },
    { name: "research", budgets: [{ name: "day", limit: 100_000, left: 72_400, shadow: true }] },
    { name: "backfill.nightly", budgets: [] }
  ]
})

/** The status after a quarter of an hour and more of traffic; `extra` more requests have come. */
export const busy = (now: number, extra = 0): Status.Status => {
  const tally = Tally.make(now - 27 * hour)
  const clients = ["wallet-app", "price-feed", "wallet-app", "research"]
  for (let index = 0; index < 4000; index += 1) {
    const at = now - 900_000 * (1 - (index + 1 + wave(index, 1300) * 150 - wave(index, 90) * 8) / 4150)
    const kept = wave(index, 2600) * 0.4 + wave(index * 37, 101) * 0.9 > 0.4
    tally.record(facts({
      at: at - 200,
      client: clients[index % 4] ?? null,
      cache: kept ? (index % 40 === 0 ? "stale" : "hit") : index % 11 === 0 ? "shared" : "miss",
      attempts: kept ? 0 : 1,
      cost: kept ? 0 : 50,
      saved: kept ? 50 : 0,
      millis: kept
        ? 1 + wave(index * 31, 89) * 4
        : 60 + wave(index * 29, 97) ** 6 * 260 + (index % 389 === 0 ? 700 : 0),
      bytes: 9000,
      ...(index % 61 === 0 ? { status: 429, code: "over-budget" as const } : {}),
      ...(index % 331 === 0 ? { status: 499 } : {})
    }))
  }
  const failures = ["unreachable", "timed-out", "service-left-alone"] as const
  failures.forEach((code, index) =>
    tally.record(facts({
      at: now - 300_000 + index * 70_000,
      id: `5f0f3c1e-8a52-4b6e-9d0b-2f1c7a9e4d0${index}`,
      client: "price-feed",
      operation: "tokenPrice",
      route: "/api/v2.2/erc20/:address/price",
      status: codes[code],
      code,
      millis: 2500
    }))
  )
  tally.record(facts({ at: now - 20_000, id: "ledger-1", status: 503, millis: 20, client: "research" }))
  for (let index = 0; index < extra; index += 1) tally.record(facts({ at: now - 100 }))
  return Status.make(tally.snapshot(now), given(now))
}

/** The status of a proxy that nobody has asked anything yet. */
export const quiet = (now: number): Status.Status => ({
  ...Status.make(Tally.make(now - 4000).snapshot(now), {
    ...given(now),
    clients: [{ name: "open", budgets: [] }]
  }),
  open: true,
  sandbox: true,
  store: { kind: "memory", away: false }
})
