/** Overrides of operators in a fleet over one Redis, and what its processes know of each other. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Inspector from "../../../../packages/redis/test/support/Inspector.ts"
import * as RedisServer from "../../../../packages/redis/test/support/RedisServer.ts"
import * as WaitUntil from "../../../../packages/redis/test/support/WaitUntil.ts"
import * as Tokens from "../../src/auth/Tokens.ts"
import { defaults } from "../../src/config/Config.ts"
import { configuredTokens, openAdmin, sendRequest, start, testClient } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"

const price = sampleRequests["tokenPrice"]?.path ?? ""

const startProxy = (
  url: string,
  clients = ["shop", "lab"],
  whenUnavailable: "share" | "open" = "share"
) =>
  Effect.map(
    start({
      config: {
        admin: { ...openAdmin, tokens: configuredTokens([`${Tokens.hash("of-alice")} alice`]) },
        clients: clients.map((name) => testClient(name, `token-of-${name}`)),
        redis: { url: Redacted.make(url), keyPrefix: "quarry:", whenUnavailable },
        cache: { ...defaults.cache, enabled: false }
      }
    }),
    ({ adminPort, lines, port }) => ({
      /** The audit log. */
      audit: () =>
        lines.map((line) => JSON.parse(line).message).filter((message) => message.includes(" by ")),
      call: (client: string) =>
        Effect.map(
          sendRequest(port, price, { headers: { "x-api-key": `token-of-${client}` } }),
          ({ status, text }) => status === 200 ? "sent" : JSON.parse(text).code
        ),
      ready: Effect.map(
        sendRequest(port, "/readyz"),
        ({ status, text }) => `${status} ${JSON.parse(text).status}`
      ),
      admin: (path: string) => Effect.map(sendRequest(adminPort ?? 0, path), ({ text }) => JSON.parse(text)),
      post: (path: string) =>
        Effect.map(
          sendRequest(adminPort ?? 0, path, {
            method: "POST",
            body: "",
            headers: { authorization: "Bearer of-alice" }
          }),
          ({ status, text }) => [status, JSON.parse(text)] as const
        )
    })
  )

type Running = Effect.Effect.Success<ReturnType<typeof startProxy>>

const untilCode = ({ call }: Running, client: string, expected: string) =>
  WaitUntil.until(Effect.map(call(client), (code) => code === expected))

const notShared = "Redis is unavailable, so the other processes do not know of this yet"

const nameOf = ({ admin }: Running): Effect.Effect<string, Error> =>
  Effect.map(admin("/status.json"), ({ processes: [{ name }] }) => name)

/** Waits until two processes know each other. */
const untilFleet = ({ admin }: Running) =>
  WaitUntil.until(Effect.map(admin("/status.json"), ({ processes }) => processes.length === 2))

describe.skipIf(RedisServer.program === undefined)(`a fleet${RedisServer.skipReason}`, () => {
  it.scopedLive("rejects disabled clients in all processes, also while Redis is unavailable or has lost its data", () =>
    Effect.gen(function*() {
      const redis = yield* RedisServer.make()
      const [one, other] = yield* Effect.all([
        startProxy(redis.url),
        startProxy(redis.url, ["shop", "lab", "web"])
      ])
      expect(yield* other.call("shop")).toBe("sent")
      for (const client of ["shop", "lab"]) {
        expect(yield* one.post(`/disable?client=${client}`)).toEqual([200, { disabled: [client] }])
        expect(yield* one.call(client)).toBe("client-disabled")
        yield* untilCode(other, client, "client-disabled")
      }
      expect(yield* other.call("web")).toBe("sent")
      yield* redis.stop
      expect(yield* other.call("shop")).toBe("client-disabled")
      expect(yield* other.call("web")).toBe("sent")
      // A change applies to its process
      expect(yield* one.post("/enable?client=shop")).toEqual([202, { enabled: ["shop"], message: notShared }])
      expect(yield* one.call("shop")).toBe("sent")
      expect(yield* other.call("shop")).toBe("client-disabled")
      // A process that cannot know which clients are disabled rejects them all, unless it need not know
      const late = yield* startProxy(redis.url)
      expect(yield* late.call("lab")).toBe("store-unavailable")
      expect(yield* late.ready).toBe("503 waiting for redis")
      const open = yield* startProxy(redis.url, ["lab"], "open")
      expect([yield* open.call("lab"), yield* open.ready]).toEqual(["sent", "200 ready"])
      yield* redis.start
      // It restarted without data: the processes have restored the overrides
      yield* untilCode(other, "shop", "sent")
      yield* untilCode(open, "lab", "client-disabled")
      yield* WaitUntil.until(Effect.map(late.ready, (state) => state === "200 ready"))
      yield* untilCode(late, "lab", "client-disabled")
      yield* untilCode(late, "shop", "sent")
      expect(yield* other.call("lab")).toBe("client-disabled")
      expect(one.audit()).toEqual([
        "client shop disabled by operator alice from 127.0.0.1",
        "client lab disabled by operator alice from 127.0.0.1",
        `client shop enabled by operator alice from 127.0.0.1: ${notShared}`
      ])
    }))

  it.scopedLive("shows the sums of all live processes in each of them", () =>
    Effect.gen(function*() {
      const redis = yield* RedisServer.make()
      const one = yield* startProxy(redis.url)
      const status = Effect.gen(function*() {
        const other = yield* startProxy(redis.url, ["shop"])
        for (const client of ["shop", "shop", "lab"]) yield* one.call(client)
        yield* other.call("shop")
        yield* WaitUntil.until(Effect.map(one.admin("/status.json"), ({ totals }) => totals.requests === 4))
        yield* WaitUntil.until(Effect.map(other.admin("/status.json"), ({ totals }) => totals.requests === 4))
        return yield* other.admin("/status.json")
      })
      const { clients, processes, scope } = yield* Effect.scoped(status)
      expect(scope).toBe("fleet")
      expect(processes.map(({ requests }: { requests: number }) => requests).sort()).toEqual([1, 3])
      expect(
        clients.map(({ name, requests }: { name: string; requests: number }) => [name, requests])
      ).toEqual([["shop", 3], ["lab", 1]])
      // A process that ends leaves
      const left = yield* one.admin("/status.json")
      expect([left.totals.requests, left.processes.length]).toEqual([3, 1])
      const untilScope = (expected: string) =>
        WaitUntil.until(Effect.map(one.admin("/status.json"), ({ scope }) => scope === expected))
      yield* redis.stop
      yield* untilScope("process")
      yield* redis.start
      yield* untilScope("fleet")
    }))

  it.scopedLive("drains one process or all, until they are resumed", () =>
    Effect.gen(function*() {
      const redis = yield* RedisServer.make()
      const inspector = yield* Inspector.make(redis)
      const [one, other] = yield* Effect.all([startProxy(redis.url), startProxy(redis.url)])
      yield* untilFleet(one)
      const name = yield* nameOf(other)
      expect(yield* one.post(`/drain?process=${name}`)).toEqual([200, { draining: [name] }])
      yield* WaitUntil.until(Effect.map(other.ready, (state) => state === "503 draining"))
      // Requests are still answered
      expect(yield* other.call("shop")).toBe("sent")
      expect(yield* one.ready).toBe("200 ready")
      yield* one.post("/drain?process=all")
      expect(yield* one.ready).toBe("503 draining")
      // What remains of a process that is killed expires
      const ttl = yield* inspector.send((client) => client.pttl("quarry:records:1:overrides:drain"))
      expect(ttl).toBeGreaterThan(0)
      expect(ttl).toBeLessThanOrEqual(60_000)
      yield* one.post("/resume?process=all")
      yield* WaitUntil.until(Effect.map(other.ready, (state) => state === "200 ready"))
      expect(one.audit()).toHaveLength(5)
      yield* redis.stop
      const own = yield* nameOf(one)
      expect(yield* one.post("/drain?process=all")).toEqual([202, { draining: [own], message: notShared }])
      expect(yield* one.ready).toBe("503 draining")
      expect(yield* one.post(`/drain?process=${name}`)).toMatchObject([400, { code: "invalid-request" }])
      expect(one.audit()).toHaveLength(6)
    }))
})
