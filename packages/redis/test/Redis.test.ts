/** The connection: it comes by itself, comes back by itself, and tells no secret. */
import { describe, expect, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { parse } from "../src/internal/RedisUrl.ts"
import * as Redis from "../src/Redis.ts"
import * as RedisStores from "../src/RedisStores.ts"
import * as Inspector from "./support/Inspector.ts"
import * as NetworkProxy from "./support/NetworkProxy.ts"
import * as OutputRecorder from "./support/OutputRecorder.ts"
import * as RedisServer from "./support/RedisServer.ts"
import { until } from "./support/WaitUntil.ts"

const secret = "p4ss:w/rd@%?"

/** The address of a server, with a password. */
const withPassword = (port: number, password: string): Redacted.Redacted =>
  Redacted.make(`redis://default:${encodeURIComponent(password)}@127.0.0.1:${port}/3`)

const connect = (options: Redis.RedisOptions) =>
  Effect.map(Layer.build(Redis.layer(options)), (context) => Context.get(context, Redis.Redis))

describe("addresses", () => {
  it("are read in all their parts", () => {
    expect(parse("redis://localhost")).toEqual(Either.right({
      host: "localhost",
      port: 6379,
      db: 0,
      tls: false,
      username: undefined,
      password: undefined
    }))
    expect(parse("rediss://me:p%40ss%2F@[::1]:7000/12")).toEqual(Either.right({
      host: "::1",
      port: 7000,
      db: 12,
      tls: true,
      username: "me",
      password: "p@ss/"
    }))
    expect(parse("redis://:pass@host/")).toMatchObject({
      right: { username: undefined, password: "pass", db: 0 }
    })
  })

  const wrong = [
    "",
    "localhost:6379",
    "http://localhost",
    "redis://",
    "redis:///0",
    "redis://host:99999",
    "redis://host/one",
    "redis://host/0?enableOfflineQueue=true",
    "redis://me@host",
    "redis://:%@host"
  ]

  it.effect.each(wrong)(
    "fail where they cannot be used, in the error channel: %s",
    (url) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(Effect.scoped(Redis.make({ url })))
        expect(error).toBeInstanceOf(Redis.InvalidRedisUrlError)
        expect(error.message).toContain("QUARRY_REDIS_URL")
      })
  )

  it("are never repeated by what is said about them", () => {
    FastCheck.assert(FastCheck.property(
      FastCheck.string({ minLength: 8, unit: FastCheck.constantFrom(..."XYZWQ%/:@?#") }).filter((text) =>
        /[XYZWQ]/.test(text)
      ),
      FastCheck.constantFrom("redis://host/", "redis://", "redis://me:", "", "http://"),
      (part, before) => {
        const read = parse(before + part)
        if (Either.isLeft(read)) expect(read.left).not.toMatch(/[XYZWQ]/)
      }
    ))
  })

  it.effect("come from QUARRY_REDIS_URL, whose absence is named", () =>
    Effect.gen(function*() {
      const configured = (entries: ReadonlyArray<readonly [string, string]>) =>
        Effect.scoped(Layer.build(RedisStores.layerConfig())).pipe(
          Effect.withConfigProvider(ConfigProvider.fromMap(new Map(entries))),
          Effect.flip,
          Effect.map(String)
        )
      expect(yield* configured([])).toContain("QUARRY_REDIS_URL")
      expect(yield* configured([["QUARRY_REDIS_URL", "  "]])).toContain("QUARRY_REDIS_URL")
      const refused = yield* configured([["QUARRY_REDIS_URL", `http://me:hidden@host`]])
      expect(refused).toContain("QUARRY_REDIS_URL")
      expect(refused).not.toContain("hidden")
    }))
})

describe.skipIf(RedisServer.program === undefined)(`the connection${RedisServer.skipReason}`, () => {
  it.scopedLive("is there when it is made; one that cannot be comes by itself", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      const redis = yield* connect({ url: server.url })
      yield* redis.ping
      yield* server.stop

      const late = yield* connect({ url: server.url })
      expect(yield* Effect.flip(late.ping)).toMatchObject({ reason: "ECONNREFUSED" })
      yield* server.start
      yield* until(Effect.isSuccess(late.ping))
      yield* until(Effect.isSuccess(redis.ping))
    }))

  it.scopedLive("sends nothing later and nothing twice: without a connection everything fails at once", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      const inspector = yield* Inspector.make(server)
      const redis = yield* connect({ url: server.url })
      const set = Effect.flip(redis.set("late", new Uint8Array(1), 60_000))
      yield* server.pause
      const under = yield* Effect.fork(set)
      yield* Effect.yieldNow()
      const begun = performance.now()
      yield* server.stop
      expect((yield* Fiber.join(under)).reason).not.toBe("no answer within 1s")
      yield* Effect.replicateEffect(set, 300, { discard: true })
      expect(performance.now() - begun).toBeLessThan(5000)
      yield* server.start
      yield* until(Effect.isSuccess(redis.ping))
      expect(yield* inspector.keys).toEqual(["quarry:ping"])
    }))

  it.scopedLive("lets nothing pile up behind a server that is paused, and is there again after it", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      const inspector = yield* Inspector.make(server)
      const redis = yield* connect({ url: server.url })
      yield* server.pause
      for (const round of [1, 2]) {
        // All of them are given up, the ones of the second round on a connection that is new.
        const begun = performance.now()
        const problems = yield* Effect.all(
          Array.from({ length: 5000 }, (_, index) => Effect.flip(redis.get(`key ${index}`))),
          { concurrency: "unbounded" }
        )
        expect([round, performance.now() - begun < 5000]).toEqual([round, true])
        expect(problems.some(({ reason: problem }) => problem === "no answer within 1s")).toBe(true)
        // While there is no connection nothing is waited for
        yield* until(Effect.map(
          Effect.timeoutOption(Effect.flip(redis.ping), "20 millis"),
          ({ _tag }) => _tag === "None"
        ))
      }
      yield* server.resume
      yield* until(Effect.isSuccess(redis.ping))
      // The connections that were given up are closed: ours and the inspector's are left.
      yield* until(
        Effect.map(
          inspector.send((client) => client.info("clients")),
          (info) => info.includes("connected_clients:2\r")
        )
      )
    }))

  it.scopedLive("gives up a connection that has gone silent, and makes another", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      const networkProxy = yield* NetworkProxy.make(server.port)
      const redis = yield* connect({ url: `redis://127.0.0.1:${networkProxy.port}` })
      yield* redis.ping
      yield* networkProxy.cut
      expect(yield* Effect.flip(redis.ping)).toMatchObject({ reason: "no answer within 1s" })
      yield* until(Effect.isSuccess(redis.ping))
    }))

  it.scopedLive("closes at once where the server is paused, and where it never was", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      const closed = (bring: Effect.Effect<void>) =>
        Effect.gen(function*() {
          const redis = yield* connect({ url: server.url })
          yield* bring
          // One command is under way while the scope closes
          yield* Effect.forkDaemon(Effect.exit(redis.ping))
          yield* Effect.yieldNow()
          return performance.now()
        }).pipe(Effect.scoped, Effect.map((begun) => performance.now() - begun))
      expect(yield* closed(Effect.void)).toBeLessThan(2000)
      expect(yield* closed(server.pause)).toBeLessThan(2000)
      yield* server.stop
      // Making it takes its time, closing does not
      expect(yield* closed(Effect.void)).toBeLessThan(2000)
    }))

  it.scopedLive("tells its password to nobody but the server", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make({ password: secret })
      const inspector = yield* Inspector.make(server, secret)
      const recorder = yield* OutputRecorder.make
      const rendered = (value: unknown) => void recorder.output.push(OutputRecorder.inspectDeep(value))
      const attempt = (url: Redacted.Redacted) =>
        Effect.gen(function*() {
          const options = { url, processes: 2 }
          rendered(options)
          const redis = yield* connect(options)
          rendered(redis)
          for (const ask of [redis.ping, redis.get("key"), redis.set("key", new Uint8Array(1), 1000)]) {
            rendered(yield* Effect.exit(ask))
          }
          return yield* Effect.exit(redis.ping)
        })
      const { output: seen } = yield* recorder.record(Effect.gen(function*() {
        const right = withPassword(server.port, secret)
        expect((yield* attempt(right))._tag).toBe("Success")
        const keys = yield* inspector.send((client) => client.select(3).then(() => client.keys("*")))
        expect(keys.length).toBeGreaterThan(0)
        rendered(keys)
        const refused = yield* connect({ url: withPassword(server.port, `${secret}2`) })
        yield* until(
          Effect.map(Effect.flip(refused.ping), ({ reason: problem }) => /^WRONGPASS|^NOAUTH/.test(problem))
        )
        rendered(yield* Effect.exit(refused.ping))
        rendered(
          yield* Effect.exit(Layer.build(Redis.layer({ url: `http://:${encodeURIComponent(secret)}@host` })))
        )
        const context = yield* Layer.build(RedisStores.layer({ url: right }))
        rendered(context)
        yield* server.stop
        rendered(yield* attempt(right))
        return recorder
      }))
      const text = seen.join("\n")
      for (const word of [secret, encodeURIComponent(secret), "p4ss", "127.0.0.1", String(server.port)]) {
        expect(text).not.toContain(word)
      }
    }))
})
