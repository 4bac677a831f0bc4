/** Orders of operators in a fleet over one Redis, and what its processes know of each other. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as RedisServer from "../../../../packages/redis/test/support/RedisServer.ts"
import * as WaitUntil from "../../../../packages/redis/test/support/WaitUntil.ts"
import { defaults } from "../../src/config/Config.ts"
import { openAdmin, sendRequest, start, testClient } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"

const price = sampleRequests["tokenPrice"]?.path ?? ""

const startProxy = (url: string, clients = ["shop", "lab"]) =>
  Effect.map(
    start({
      config: {
        admin: openAdmin,
        clients: clients.map((name) => testClient(name, `token-of-${name}`)),
        redis: { url: Redacted.make(url), keyPrefix: "quarry:", whenUnavailable: "share" },
        cache: { ...defaults.cache, enabled: false }
      }
    }),
    ({ adminPort, lines, port }) => ({
      lines,
      call: (client: string) =>
        Effect.map(
          sendRequest(port, price, { headers: { "x-api-key": `token-of-${client}` } }),
          ({ status, text }) => status === 200 ? 200 : JSON.parse(text).code
        ),
      ready: Effect.map(sendRequest(port, "/readyz"), ({ status, text }) =>
        `${status} ${JSON.parse(text).status}`),
      admin: (path: string) =>
        Effect.map(sendRequest(adminPort ?? 0, path), ({ text }) => JSON.parse(text)),
      order: (path: string) =>
        Effect.map(sendRequest(adminPort ?? 0, path, { method: "POST", body: "" }), ({ text }) =>
          JSON.parse(text))
    })
  )

describe.skipIf(RedisServer.program === undefined)(`a fleet${RedisServer.skipReason}`, () => {
  it.scopedLive("refuses a disabled client in all processes, also while Redis is away", () =>
    Effect.gen(function*() {
      const redis = yield* RedisServer.make()
      const [one, other] = yield* Effect.all([startProxy(redis.url), startProxy(redis.url)])
      expect(yield* other.call("shop")).toBe(200)
      expect(yield* one.order("/disable?client=shop")).toEqual({ disabled: ["shop"] })
      expect(yield* one.call("shop")).toBe("client-disabled")
      yield* WaitUntil.until(Effect.map(other.call("shop"), (code) => code === "client-disabled"))
      expect(yield* other.call("lab")).toBe(200)
      expect(one.lines.some((line) => line.includes("client shop disabled by an operator from 127.0.0.1")))
        .toBe(true)
      yield* redis.stop
      expect(yield* other.call("shop")).toBe("client-disabled")
      expect(yield* other.call("lab")).toBe(200)
      expect(yield* one.order("/enable?client=shop")).toMatchObject({ code: "store-unavailable" })
      // A process that cannot know which clients are disabled refuses them all
      const late = yield* startProxy(redis.url)
      expect(yield* late.call("lab")).toBe("store-unavailable")
      expect(yield* late.ready).toBe("503 waiting for redis")
      yield* redis.start
      yield* WaitUntil.until(Effect.map(late.ready, (state) => state === "200 ready"))
      // It restarted without data. The processes have set the order again
      expect(yield* late.call("shop")).toBe("client-disabled")
      yield* WaitUntil.until(Effect.map(one.order("/enable?client=shop"), (reply) => "enabled" in reply))
      yield* WaitUntil.until(Effect.map(other.call("shop"), (code) => code === 200))
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
      expect((yield* one.admin("/usage")).totals.requests).toBe(3)
      expect((yield* one.admin("/status.json")).processes).toHaveLength(1)
    }))

  it.scopedLive("drains one process or all, until they are resumed", () =>
    Effect.gen(function*() {
      const redis = yield* RedisServer.make()
      const [one, other] = yield* Effect.all([startProxy(redis.url), startProxy(redis.url)])
      yield* WaitUntil.until(Effect.map(one.admin("/status.json"), ({ processes }) => processes.length === 2))
      const { processes: [{ name }] } = yield* other.admin("/status.json")
      expect(yield* one.order(`/drain?process=${name}`)).toEqual({ draining: [name] })
      yield* WaitUntil.until(Effect.map(other.ready, (state) => state === "503 draining"))
      // Requests are still answered
      expect(yield* other.call("shop")).toBe(200)
      expect(yield* one.ready).toBe("200 ready")
      yield* one.order("/drain?process=all")
      expect(yield* one.ready).toBe("503 draining")
      yield* one.order("/resume?process=all")
      yield* WaitUntil.until(Effect.map(other.ready, (state) => state === "200 ready"))
    }))
})
