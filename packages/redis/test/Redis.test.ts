/** Tests the connection: reconnects, limits on waiting, and redaction of the password. */
import { describe, expect, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { sample } from "../../core/test/support/sample.ts"
import { makeClock } from "../../http/test/faults/support/CustomClock.ts"
import * as Script from "../src/internal/Script.ts"
import * as Redis from "../src/Redis.ts"
import * as RedisCacheStore from "../src/RedisCacheStore.ts"
import * as RedisStores from "../src/RedisStores.ts"
import { parse } from "../src/RedisUrl.ts"
import * as Connected from "./support/Connected.ts"
import * as Inspector from "./support/Inspector.ts"
import * as NetworkProxy from "./support/NetworkProxy.ts"
import * as OutputRecorder from "./support/OutputRecorder.ts"
import * as RedisServer from "./support/RedisServer.ts"
import { until } from "./support/WaitUntil.ts"

const secret = "p4ss:w/rd@%?"

/** The URL of a server, with a password. */
const withPassword = (port: number, password: string): Redacted.Redacted =>
  Redacted.make(`redis://default:${encodeURIComponent(password)}@127.0.0.1:${port}/3`)

/** Writes a value. */
const write = Script.make("return redis.call('SET', KEYS[1], ARGV[1])")

const connect = (options: Redis.RedisOptions) =>
  Effect.map(Layer.build(Redis.layer(options)), (context) => Context.get(context, Redis.Redis))

const connected = (options: Redis.RedisOptions) =>
  Effect.map(Layer.build(Connected.layer(options)), (context) => Context.get(context, Redis.Redis))

/** Lets no time pass that an effect waits for. */
const withoutTimeouts = Effect.withClock(makeClock(() => Date.now(), () => () => {}))

const plainUrl = {
  host: "localhost",
  port: 6379,
  db: 0,
  tls: false,
  username: undefined,
  password: undefined,
  sentinel: null
}
const sentinelUrl = "expected redis+sentinel://host1:26379,host2:26379/NAME"

const parsedUrls = [
  ["redis://localhost", plainUrl],
  ["redis://:pass@localhost/", { ...plainUrl, password: "pass" }],
  ["rediss://me:p%40ss%2F@[::1]:7000/12", {
    ...plainUrl,
    ...{ host: "::1", port: 7000, db: 12, tls: true, username: "me", password: "p@ss/" }
  }],
  ["rediss+sentinel://me:p%40ss@one,[::1]:5000/main/3", {
    ...{ host: "one", port: 26_379, db: 3, tls: true, username: "me", password: "p@ss" },
    sentinel: {
      name: "main",
      addresses: [
        expect.objectContaining({ host: "one", port: 26_379 }),
        expect.objectContaining({ host: "::1", port: 5000 })
      ]
    }
  }]
] as const

describe("RedisUrl.parse", () => {
  it.each(parsedUrls)("parses all parts of %s", (url, parsed) => {
    expect(parse(url)).toEqual(Either.right(parsed))
  })

  it.each([
    "redis+sentinel://one",
    "redis+sentinel://one,two/",
    "redis+sentinel:///main",
    "rediss+sentinel://one/main/x"
  ])(
    "rejects %s without hosts or a name of Sentinels",
    (url) => {
      expect(parse(url)).toEqual(Either.left(sentinelUrl))
    }
  )

  const invalidUrls = [
    ...["", "localhost:6379", "http://localhost", "redis://", "redis:///0", "redis://host:99999"],
    ...["redis://host/one", "redis://host/0?enableOfflineQueue=true", "redis://me@host", "redis://:%@host"]
  ]

  it.effect.each(invalidUrls)(
    "rejects %s with an InvalidRedisUrlError",
    (url) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(Effect.scoped(Redis.make({ url })))
        expect(error).toBeInstanceOf(Redis.InvalidRedisUrlError)
        expect(error.message).toContain("QUARRY_REDIS_URL")
      })
  )

  it("never quotes the URL in its reasons", () => {
    FastCheck.assert(FastCheck.property(
      FastCheck.string({ minLength: 8, unit: FastCheck.constantFrom(..."XYZWQ%/:@?#") }).filter((text) =>
        /[XYZWQ]/.test(text)
      ),
      FastCheck.constantFrom("redis://host/", "redis://", "redis://me:", "", "http://"),
      (part, prefix) => {
        const parsed = parse(prefix + part)
        if (Either.isLeft(parsed)) expect(parsed.left).not.toMatch(/[XYZWQ]/)
      }
    ))
  })

  it.effect("reads QUARRY_REDIS_URL and names it if it is missing or invalid", () =>
    Effect.gen(function*() {
      const messageFor = (entries: ReadonlyArray<readonly [string, string]>) =>
        Effect.scoped(Layer.build(RedisStores.layerConfig())).pipe(
          Effect.withConfigProvider(ConfigProvider.fromMap(new Map(entries))),
          Effect.flip,
          Effect.map(String)
        )
      expect(yield* messageFor([])).toContain("QUARRY_REDIS_URL")
      expect(yield* messageFor([["QUARRY_REDIS_URL", "  "]])).toContain("QUARRY_REDIS_URL")
      const message = yield* messageFor([["QUARRY_REDIS_URL", `http://me:hidden@host`]])
      expect(message).toContain("QUARRY_REDIS_URL")
      expect(message).not.toContain("hidden")
    }))
})

describe.skipIf(RedisServer.program === undefined)(`Redis connection${RedisServer.skipReason}`, () => {
  it.scopedLive.each(sample([30_000_000, 1_000_000, 8_000_000], 3))(
    "fails all commands of a stopped or paused server, also a value of %i bytes, sends none later or twice, and reconnects",
    (bytes) =>
      Effect.gen(function*() {
        const server = yield* RedisServer.make()
        const inspector = yield* Inspector.make(server)
        // Open when the layer is built
        const redis = yield* withoutTimeouts(connect({ url: server.url }))
        yield* redis.ping
        const set = Effect.flip(redis.run(write, "late", ["value"]))
        const reconnected = (...all: ReadonlyArray<Redis.RedisCommands>) =>
          Effect.forEach(all, ({ ping }) => until(Effect.isSuccess(ping)))

        yield* server.pause
        const pending = yield* Effect.fork(set)
        yield* Effect.yieldNow()
        yield* server.stop
        expect((yield* Fiber.join(pending)).reason).not.toBe("no reply within 1s")
        yield* Effect.replicateEffect(set, 300, { discard: true })
        yield* Effect.scoped(Effect.gen(function*() {
          const late = yield* connect({ url: server.url })
          expect(yield* Effect.flip(late.ping)).toMatchObject({ reason: "ECONNREFUSED" })
          yield* server.start
          yield* reconnected(late, redis, redis.values)
        }))
        expect(yield* inspector.keys).toEqual([])

        const small = [redis, redis.values].flatMap(({ get }) =>
          Array.from({ length: 2500 }, (_, index) => get(`key ${index}`))
        )
        const large = redis.values.runText(write, "large", [new Uint8Array(bytes)])
        const errors = Effect.all([large, ...small].map(Effect.flip), { concurrency: "unbounded" })
        yield* server.pause
        for (const { reason } of yield* errors) expect(reason).toBe("no reply within 1s")
        // It accepts the new connection, which is not used: no command is sent, so none is executed below.
        yield* set
        yield* errors
        yield* server.resume
        yield* reconnected(redis, redis.values)
        expect(yield* inspector.keys).toEqual([])
        // The abandoned connections are closed: the two of the client and that of the inspector remain.
        yield* until(
          Effect.map(
            inspector.send((client) => client.info("clients")),
            (info) => info.includes("connected_clients:3\r")
          )
        )
      })
  )

  it.scopedLive("waits for a value that takes seconds to arrive, and replies to small commands meanwhile", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      const networkProxy = yield* NetworkProxy.make(server.port)
      const redis = yield* connected({ url: `redis://127.0.0.1:${networkProxy.port}` })
      const cache = yield* Effect.provideService(RedisCacheStore.make(), Redis.Redis, redis)
      const response = { status: 200, headers: {}, bytes: new Uint8Array(500_000) }
      const times = { storedAt: 0, freshUntil: Infinity, expiresAt: Infinity }
      yield* cache.set("large", { response, version: 1, ...times })
      yield* networkProxy.limit(20_000)
      const large = yield* Effect.fork(
        Effect.all([cache.get("large"), cache.get("missing")], { concurrency: 2 })
      )
      // Longer than a connection may make no progress
      const end = performance.now() + 1500
      yield* Effect.repeat(redis.ping, { until: () => performance.now() > end })
      expect(large.unsafePoll()).toBe(null)
      yield* networkProxy.limit(Number.POSITIVE_INFINITY)
      const [value, missing] = yield* Fiber.join(large)
      expect([value?.response.bytes.length, missing]).toEqual([500_000, null])
    }))

  it.scopedLive("closes although the server is paused or stopped, with a command in flight", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      for (const prepare of [Effect.void, server.pause, server.stop]) {
        yield* Effect.scoped(Effect.gen(function*() {
          const redis = yield* connect({ url: server.url })
          yield* prepare
          yield* Effect.forkDaemon(Effect.exit(redis.ping))
          yield* Effect.yieldNow()
        }))
      }
    }))

  it.scopedLive("never logs or exposes the password or the address of the server", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make({ password: secret })
      const inspector = yield* Inspector.make(server, secret)
      const recorder = yield* OutputRecorder.make
      const rendered = (value: unknown) => void recorder.output.push(OutputRecorder.inspectDeep(value))
      const attempt = (url: Redacted.Redacted) =>
        Effect.gen(function*() {
          const options = { url }
          rendered(options)
          const redis = yield* connect(options)
          rendered(redis)
          for (
            const command of [redis.ping, redis.get("key"), redis.run(write, "key", [""])]
          ) {
            rendered(yield* Effect.exit(command))
          }
          return yield* Effect.exit(redis.ping)
        })
      const { output } = yield* recorder.record(Effect.gen(function*() {
        const url = withPassword(server.port, secret)
        expect((yield* attempt(url))._tag).toBe("Success")
        const keys = yield* inspector.send((client) => client.select(3).then(() => client.keys("*")))
        expect(keys.length).toBeGreaterThan(0)
        rendered(keys)
        rendered(yield* Effect.flip(connect({ url: withPassword(server.port, `${secret}2`) })))
        rendered(
          yield* Effect.exit(Layer.build(Redis.layer({ url: `http://:${encodeURIComponent(secret)}@host` })))
        )
        const context = yield* Layer.build(RedisStores.layer({ url }))
        rendered(context)
        yield* server.stop
        rendered(yield* attempt(url))
        return recorder
      }))
      const text = output.join("\n")
      for (const word of [secret, encodeURIComponent(secret), "p4ss", "127.0.0.1", String(server.port)]) {
        expect(text).not.toContain(word)
      }
    }))
})
