/** Requests of operators to the admin listener. */
import { StoreError } from "@blockquarry/http/gateway/StoreError"
import type { RedisRecords } from "@blockquarry/redis/RedisRecords"
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as WaitUntil from "../../../../packages/redis/test/support/WaitUntil.ts"
import * as Tokens from "../../src/auth/Tokens.ts"
import { type Config, defaults } from "../../src/config/Config.ts"
import {
  configuredTokens,
  type HttpResult,
  openAdmin,
  type RequestOptions,
  sendRequest,
  start,
  testClient,
  testConfig
} from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"

const price = sampleRequests["tokenPrice"]?.path ?? ""

const config = {
  ...testConfig(),
  cache: defaults.cache,
  admin: openAdmin
}

const startWithAdmin = (other: Partial<Config> = {}, generatedToken = "unused", records?: RedisRecords) =>
  Effect.map(
    start({ config: { ...config, ...other }, generatedToken, ...(records && { records }) }),
    ({ adminPort, ...proxy }) => ({
      ...proxy,
      admin: (path: string, options: RequestOptions = {}) => sendRequest(adminPort ?? 0, path, options)
    })
  )

const purge = { method: "POST", body: "" }

const adminOfAlice = { ...openAdmin, tokens: configuredTokens([`${Tokens.hash("of-alice")} alice`]) }

const alice = { authorization: "Bearer of-alice" }

/** Shared records of which some are set by a function of the test. Another process has sent a report that cannot be read. */
const recordsWith = (setRecord: (collection: string, name: string) => Effect.Effect<void, StoreError>) => {
  const records: RedisRecords = (collection) => ({
    set: (name) => Effect.as(setRecord(collection, name), 1),
    remove: () => Effect.void,
    read: Effect.succeed({
      now: 0,
      records: collection === "processes" ? { other: { text: "", at: 0 } } : {}
    })
  })
  return records
}

const messagesOf = (lines: ReadonlyArray<string>) => lines.map((line) => JSON.parse(line).message)

describe("a change of an operator", () => {
  const atLevelError = {
    admin: adminOfAlice,
    log: { ...defaults.log, level: "error", requests: false }
  } as const

  it.scopedLive("is logged for each process, at log.level error, also if it fails for one of them", () =>
    Effect.gen(function*() {
      const records = recordsWith((_, name) =>
        name === "other" ? new StoreError({ reason: "refused" }) : Effect.void
      )
      const { admin, lines } = yield* startWithAdmin(atLevelError, "unused", records)
      const drain = yield* admin("/drain?process=all", { ...purge, headers: alice })
      expect(drain.status).toBe(202)
      const { draining: [own], message } = JSON.parse(drain.text)
      expect((yield* admin("/purge", { ...purge, headers: alice })).status).toBe(200)
      expect(messagesOf(lines)).toEqual([
        `process ${own} draining by operator alice from 127.0.0.1`,
        `process other draining by operator alice from 127.0.0.1: ${message}`,
        "cache purged by operator alice from 127.0.0.1"
      ])
    }))

  it.scopedLive("is completed and logged if the operator disconnects", () =>
    Effect.gen(function*() {
      const [started, released] = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
      const records = recordsWith((collection) =>
        collection.startsWith("overrides:")
          ? Effect.zipRight(Deferred.succeed(started, undefined), Deferred.await(released))
          : Effect.void
      )
      const { admin, lines } = yield* startWithAdmin(atLevelError, "unused", records)
      const request = yield* Effect.fork(admin("/drain?process=all", { ...purge, headers: alice }))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(request)
      // The listener serves other requests meanwhile, and has noticed the end of the connection
      for (let times = 0; times < 50; times += 1) yield* admin("/livez")
      expect(lines).toEqual([])
      yield* Deferred.succeed(released, undefined)
      yield* WaitUntil.until(Effect.sync(() => lines.length === 2))
      expect((yield* admin("/readyz")).text).toContain("draining")
    }))
})

describe("the report of a process to its fleet", () => {
  it.scopedLive("is sent again after an internal error, which is logged once", () =>
    Effect.gen(function*() {
      let reports = 0
      const records = recordsWith((collection) =>
        collection === "processes"
          ? Effect.dieSync(() => (reports += 1, new Error("unexpected")))
          : Effect.void
      )
      const { lines } = yield* startWithAdmin({}, "unused", records)
      yield* WaitUntil.until(Effect.sync(() => reports === 3))
      expect(messagesOf(lines)).toEqual(["heartbeat: internal error Error: unexpected"])
    }))
})

describe("an override", () => {
  it.scopedLive("survives reloads", () =>
    Effect.gen(function*() {
      const clients = [testClient("shop", "token-of-shop"), testClient("lab", "token-of-lab")]
      const { admin, port, reload } = yield* startWithAdmin({ clients, admin: adminOfAlice })
      const statusOf = (path: string) =>
        Effect.map(admin(path, { ...purge, headers: alice }), ({ status }) => status)
      const call = Effect.map(
        sendRequest(port, price, { headers: { "x-api-key": "token-of-shop" } }),
        ({ status }) => status
      )
      expect([yield* statusOf("/disable?client=shop"), yield* call]).toEqual([200, 403])
      yield* reload({
        ...defaults,
        ...config,
        admin: adminOfAlice,
        clients: clients.slice(0, 1),
        listen: { ...defaults.listen, port: 0 }
      })
      expect(yield* call).toBe(403)
      const [shop] = JSON.parse((yield* admin("/status.json")).text).clients
      expect(shop.disabled.operator).toBe("operator alice from 127.0.0.1")
      expect([yield* statusOf("/enable?client=shop"), yield* call]).toEqual([200, 200])
    }))
})

it.scopedLive("a configuration may open the metrics only, and never to web pages of other sites", () =>
  Effect.gen(function*() {
    const { admin } = yield* startWithAdmin({ admin: { ...openAdmin, open: "metrics" } })
    const codeOf = ({ status, text }: HttpResult) => status === 200 ? 200 : JSON.parse(text).code
    for (const [path, options] of [["/status.json"], ["/usage"], ["/metrics"], ["/purge", purge]] as const) {
      const code = Effect.map(admin(path, options), codeOf)
      expect([path, yield* code]).toEqual([path, path === "/metrics" ? 200 : "token-missing"])
    }
    const headers = { "sec-fetch-site": "cross-site" }
    expect(codeOf(yield* admin("/metrics", { headers }))).toBe("cross-site")
  }))
