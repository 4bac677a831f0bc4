/**
 * A month of three proxies over one Redis, whose clocks the test moves from day to day. The saved usage of each client, team,
 * operation and day equals the upstream's bill, although processes and Redis restart. So does the quota of the API key until Redis
 * restarts. No team exceeds its hard quota.
 */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import * as Inspector from "../../../../packages/redis/test/support/Inspector.ts"
import * as RedisServer from "../../../../packages/redis/test/support/RedisServer.ts"
import * as Sentinels from "../../../../packages/redis/test/support/Sentinels.ts"
import { sendRequest } from "../support/proxy.ts"
import { eventually } from "./support/Eventually.ts"
import * as FakeUpstream from "./support/FakeUpstream.ts"
import { pathOf } from "./support/LoadGenerator.ts"
import * as ProxyConfig from "./support/ProxyConfig.ts"
import * as ProxyProcess from "./support/ProxyProcess.ts"

const days = isFull ? 15 : 5
const requestsPerDay = isFull ? 200 : 80
const concurrency = 16

/** The price of the operation in the table, and what the upstream reports instead. */
const reservation = 50
const prices = [20, 50, 50, 80]
const maxDrift = 30

/** The headers with the price of some responses, which then cost what was reserved. Undefined: a valid header. */
const headers = [undefined, undefined, undefined, undefined, {}, undefined, { "x-request-weight": "5e1" }]

/** Of the API key, in units. */
const dailyQuota = 10_000_000

/** Of the teams 0 and 1, in units. */
const hardQuota = isFull ? 10_000 : 1000

const clientOf = (number: number) => number % 100
const teamOf = (client: number) => client % 10
const tokenOf = (client: number) => `token-of-client-${client}`
const numberOf = (target: string): number => Number(/0x[0-9a-f]{40}/.exec(target)?.[0])

const dayName = (day: number) => `2031-01-${String(day + 1).padStart(2, "0")}`

/** Adds the number in a file to the clock of a process, and reads it again every few milliseconds. */
const clock = `
  import { readFileSync } from "node:fs"
  const now = Date.now
  let offset = 0
  const read = () => { offset = Number(readFileSync(process.env.CLOCK_FILE, "utf8")) || offset }
  read()
  setInterval(read, 5).unref()
  Date.now = () => now() + offset
`

/** Returns a document of the admin listener, or undefined if there is none. */
const read = ({ adminOrigin }: ProxyProcess.ProxyProcess, path: string) =>
  Effect.map(
    Effect.orDie(sendRequest(Number(new URL(adminOrigin).port), path)),
    ({ status, text }) => status === 200 ? JSON.parse(text) : undefined
  )

const statusOf = (proxy: ProxyProcess.ProxyProcess) => read(proxy, "/status.json")

it.scopedLive.skipIf(RedisServer.program === undefined)(
  `the saved usage of a month is the bill, and hard quotas hold${RedisServer.skipReason}`,
  () =>
    Effect.gen(function*() {
      const persistent = ["--appendonly", "yes", "--appendfsync", "always"]
      const { failover, primary, replicas, url } = yield* Sentinels.make(undefined, persistent)
      const { folder, proxyFile, upstream } = yield* ProxyConfig.folder({
        key: { dailyQuota },
        clients: Array.from(
          { length: 100 },
          (_, client) => ({ name: `client-${client}`, token: tokenOf(client) })
        ),
        upstream: { timeouts: { attempt: "20s" } },
        other: {
          teams: Array.from({ length: 10 }, (_, team) => ({
            name: `team-${team}`,
            clients: Array.from({ length: 10 }, (_, index) => `client-${index * 10 + team}`),
            ...team < 2 ? { monthlyQuota: hardQuota } : {}
          })),
          // No month of the real clock begins during the test
          quotas: { maxWait: "0s", billingDay: (new Date().getUTCDate() + 13) % 28 + 1 },
          redis: { url, whenUnavailable: "closed" },
          cache: { enabled: false }
        }
      })
      const clockFile = yield* folder.write("clock", "1")
      const env = {
        CLOCK_FILE: clockFile,
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(clock)}`
      }
      const start = ProxyProcess.start(["--config", proxyFile], env)
      const proxies = yield* Effect.all([start, start, start], { concurrency: 3 })

      let day = 0
      const bill = new Map<string, { readonly price: number; readonly unsettled: number }>()
      const held = new Set<string>()
      let holds = false
      upstream.respond = ({ target }) =>
        Effect.suspend(() => {
          const number = numberOf(target)
          if (holds) {
            held.add(target)
            return Effect.never
          }
          const client = clientOf(number)
          const unpriced = headers[number % headers.length]
          const price = unpriced === undefined ? prices[number % prices.length] ?? 0 : reservation
          const id = `${dayName(day)} team-${teamOf(client)} client-${client} tokenPrice main`
          const before = bill.get(id) ?? { price: 0, unsettled: 0 }
          const unsettled = before.unsettled + (unpriced === undefined ? 0 : reservation)
          bill.set(id, { price: before.price + price, unsettled })
          return Effect.succeed({
            status: 200,
            headers: unpriced ?? { "x-request-weight": String(price) },
            body: FakeUpstream.price(target)
          })
        })

      let next = 1
      const statuses = new Map<number, number>()
      const send = (count: number, to: ReadonlyArray<ProxyProcess.ProxyProcess>) =>
        Effect.forEach(
          Array.from({ length: count }, () => next++),
          (number) =>
            Effect.map(
              Effect.option(sendRequest(to[number % to.length]?.port ?? 0, pathOf(number), {
                headers: { "x-api-key": tokenOf(clientOf(number)) }
              })),
              (response) => {
                const status = response._tag === "Some" ? response.value.status : 0
                statuses.set(status, (statuses.get(status) ?? 0) + 1)
              }
            ),
          { concurrency, discard: true }
        )
      const beginDay = Effect.gen(function*() {
        yield* folder.write("clock", String(Date.UTC(2031, 0, day + 1, 1) - Date.now()))
        yield* eventually(
          `it is day ${day} everywhere`,
          Effect.map(Effect.forEach(proxies, statusOf), (all) =>
            all.every(({ now }) => now.startsWith(dayName(day))))
        )
      })
      const saved = Effect.map(
        Effect.suspend(() =>
          read(proxies[0]!, "/usage?from=2031-01-01&to=2031-01-31&by=day,team,client,operation,key")
        ),
        (usage) =>
          Object(usage).rows?.flatMap((
            { client, day, key, operation, price, team, unsettledPrice }: Readonly<Record<string, unknown>>
          ) =>
            price === 0 ? [] : [`${day} ${team} ${client} ${operation} ${key} ${price} ${unsettledPrice}`]
          ).sort().join("\n")
      )
      const settled = eventually(
        "the saved usage is the bill",
        Effect.map(
          saved,
          (text) =>
            text === [...bill].map(([id, { price, unsettled }]) => `${id} ${price} ${unsettled}`).sort()
              .join("\n")
        )
      )
      const replace = (index: number, signal: "SIGTERM" | "SIGKILL") =>
        Effect.gen(function*() {
          yield* proxies[index]?.signal(signal) ?? Effect.void
          yield* proxies[index]?.exit ?? Effect.void
          proxies[index] = yield* start
        })
      const usable = eventually(
        "Redis is usable everywhere",
        Effect.map(Effect.forEach(proxies, statusOf), (all) => all.every(({ scope }) => scope === "fleet"))
      )
      /** The units that Redis has counted for the API key, by its own clock, besides those of the bill. */
      const excess = Effect.map(Effect.suspend(() => statusOf(proxies[0]!)), ({ upstreams: [data] }) => {
        const billed = [...bill.values()].reduce((sum, { price }) => sum + price, 0)
        return dailyQuota - (data?.keys[0]?.dailyQuota?.remaining ?? 0) - billed
      })

      const quotaIsBill = eventually(
        "the quota of the API key is the bill",
        Effect.map(excess, (units) => units === 0)
      )
      /** Before a process dies with requests in flight. */
      let excessBefore = 0

      const events: ReadonlyArray<Effect.Effect<void, unknown, Scope.Scope>> = [
        // A rolling restart under load
        Effect.all([send(40, [proxies[1]!, proxies[2]!]), replace(0, "SIGTERM")], {
          concurrency: 2,
          discard: true
        }),
        // A process dies
        Effect.all([settled, quotaIsBill, replace(1, "SIGKILL")], { discard: true }),
        // Redis dies under load, and comes back with its data
        Effect.all([send(40, proxies), primary.restart], { concurrency: 2, discard: true }),
        // A process dies with requests in flight
        Effect.gen(function*() {
          yield* settled
          excessBefore = yield* excess
          holds = true
          const lost = yield* Effect.fork(send(8, [proxies[2]!]))
          yield* eventually("requests are held", () => held.size >= 6)
          yield* replace(2, "SIGKILL")
          yield* Fiber.join(lost)
          holds = false
        }),
        // The primary dies for good, once its replicas have what it has confirmed
        Effect.gen(function*() {
          yield* settled
          const servers = [primary, ...replicas]
          const inspectors = yield* Effect.forEach(servers, (server) => Inspector.make(server))
          const infos = Effect.forEach(inspectors, ({ send }) => send((client) => client.info("replication")))
          yield* eventually(
            "the replicas have everything",
            Effect.map(infos, (texts) =>
              texts.filter((text) =>
                  /master_link_status:up/.test(text)
                ).length === 2 &&
              new Set(texts.map((text) => /(?:slave|master)_repl_offset:(\d+)/.exec(text)?.[1])).size === 1)
          )
          const isPrimary = (yield* infos).findIndex((text) =>
            text.includes("role:master")
          )
          const takeover = Effect.zipRight(servers[isPrimary]?.stop ?? Effect.void, failover)
          yield* Effect.all([send(40, proxies), takeover], { concurrency: 2, discard: true })
        })
      ]
      for (; day < days; day += 1) {
        yield* beginDay
        yield* send(requestsPerDay, proxies)
        const event = isFull ? (day % 3 === 2 ? Math.floor(day / 3) : -1) : day
        yield* events[event] ?? Effect.void
        yield* usable
        yield* settled
        // Corrections are lost while Redis is not available
        if (day < (isFull ? 8 : 2)) yield* quotaIsBill
        // What a process had sent when it died stays reserved
        if (event === 3) {
          expect((yield* excess) - excessBefore).toBeGreaterThanOrEqual(held.size * reservation)
        }
      }

      const teams = [0, 1].map((team) =>
        [...bill].filter(([id]) => id.includes(` team-${team} `))
          .reduce((sum, [, { price }]) => sum + price, 0)
      )
      for (const billed of teams) {
        expect(billed).toBeLessThanOrEqual(hardQuota + concurrency * maxDrift)
        expect(billed).toBeGreaterThan(hardQuota - (held.size + concurrency + 1) * reservation)
      }
      expect(statuses.get(429)).toBeGreaterThan(0)
      expect([...statuses.keys()].filter((status) => ![0, 200, 429, 503].includes(status))).toEqual([])
      expect(statuses.get(200)).toBeGreaterThan(days * requestsPerDay / 2)
    })
)
