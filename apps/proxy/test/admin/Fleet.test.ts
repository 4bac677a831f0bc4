/** The sums of a fleet, and what a process knows of the others. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as RedisServer from "../../../../packages/redis/test/support/RedisServer.ts"
import * as WaitUntil from "../../../../packages/redis/test/support/WaitUntil.ts"
import * as Fleet from "../../src/admin/Fleet.ts"
import type * as Status from "../../src/admin/Status.ts"
import * as UsageStats from "../../src/admin/UsageStats.ts"
import { defaults } from "../../src/config/Config.ts"
import type { AccessLogEntry } from "../../src/exchange/AccessLogEntry.ts"
import { accessLogEntry, stepStart } from "../support/accessLogEntries.ts"
import { openAdmin, sendRequest, start, type TestProxyOptions } from "../support/proxy.ts"

const report = (name: string, ...entries: ReadonlyArray<Partial<AccessLogEntry>>): Fleet.ProcessReport => {
  const usage = UsageStats.make(stepStart)
  for (const entry of entries) usage.record(accessLogEntry(entry))
  return {
    name,
    version: "0.1.0",
    state: "ready",
    problems: [],
    config: "",
    usage: usage.snapshot(stepStart)
  }
}

describe("the sums of a fleet", () => {
  const shop = { client: "shop", bytes: 10 }
  const rejected = { client: "lab", status: 429, code: "client-rate-limited" } as const
  const sums = Fleet.sum([
    report("one", { ...shop, durationMs: 20 }, rejected),
    report("two", { ...shop, durationMs: 500 }, {
      client: "web",
      status: 502,
      operation: "tokenPrice",
      durationMs: 500
    }),
    report("three", { ...shop, durationMs: 100 }, rejected, { ...rejected, code: "invalid-request" })
  ])

  it("have the latency of the slowest process, wherever it is in the list", () => {
    const [point] = sums.series
    expect(sums.series).toHaveLength(1)
    expect(point?.requests).toBe(7)
    for (const quantile of [point?.p50, point?.p95, point?.p99]) {
      expect(Math.abs((quantile ?? 0) / 500 - 1)).toBeLessThan(0.1)
    }
    const [unknown] = Fleet.sum([report("one", rejected), report("two", rejected)]).series
    expect(unknown).toMatchObject({ requests: 2, p50: null, p99: null })
  })
})

/** Starts a proxy, and returns its status. */
const startProxy = (redisUrl: string | undefined, config: TestProxyOptions["config"] = {}) =>
  Effect.map(
    start({
      config: {
        admin: openAdmin,
        ...redisUrl === undefined
          ? {}
          : { redis: { url: Redacted.make(redisUrl), keyPrefix: "quarry:", whenUnavailable: "share" } },
        ...config
      }
    }),
    ({ adminPort }) =>
      Effect.map(sendRequest(adminPort ?? 0, "/status.json"), ({ text }): Status.Status => JSON.parse(text))
  )

describe("the status of a process", () => {
  it.scopedLive.skipIf(RedisServer.program === undefined)(
    `lists processes with another configuration, apart from addresses and secrets${RedisServer.skipReason}`,
    () =>
      Effect.gen(function*() {
        const { url } = yield* RedisServer.make()
        const one = yield* startProxy(url)
        const same = yield* startProxy(`${url}/0`, { admin: { ...openAdmin, host: "::" } })
        const other = yield* startProxy(url, { quotas: { ...defaults.quotas, billingDay: 15 } })
        const problemsOf = (status: typeof one) =>
          Effect.map(status, ({ processes }) => processes.map(({ problems }) => problems.join()))
        yield* WaitUntil.until(
          Effect.map(Effect.all([one, same, other]), (all) =>
            all.every(({ processes }) => processes.length === 3))
        )
        const differs = "its configuration differs"
        expect((yield* problemsOf(one)).sort()).toEqual(["", "", differs])
        expect((yield* problemsOf(same)).sort()).toEqual(["", "", differs])
        expect(yield* problemsOf(other)).toEqual(["", differs, differs])
      })
  )
})
