/** Compares the commands that the stores send to Redis, and the keys that they write, with golden records. */
import type { CacheEntry } from "@blockquarry/http/CacheStore"
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as TestServices from "effect/TestServices"
import { Redis as IoRedis } from "ioredis"
import { record } from "../../../core/test/golden/support/record.ts"
import * as Redis from "../../src/Redis.ts"
import * as RedisCacheStore from "../../src/RedisCacheStore.ts"
import * as RedisRateLimitStore from "../../src/RedisRateLimitStore.ts"
import * as Inspector from "../support/Inspector.ts"
import * as RedisServer from "../support/RedisServer.ts"

interface Commands {
  /** Runs an effect and returns its commands, one line each, including those that scripts execute. */
  readonly of: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<ReadonlyArray<string>, E, R>
}

interface RecordedCommand {
  readonly source: string
  readonly words: ReadonlyArray<string>
}

const connect = (port: number) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      new IoRedis({ port, host: "127.0.0.1", disableClientInfo: true, enableReadyCheck: false })
    ),
    (client) => Effect.sync(() => client.disconnect())
  )

/** Replaces arguments that change between runs: script bodies, their digests, and times. */
const normalize = (names: Map<string, string>) => (word: string): string => {
  if (/redis\.p?call\(/.test(word)) return "<script>"
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(word)) return "<process>"
  if (/^[0-9a-f]{40}$/.test(word)) {
    const name = names.get(word) ?? `<script-${names.size + 1}>`
    names.set(word, name)
    return name
  }
  // Times of the server's clock, with a resolution of microseconds
  return word.replace(/^(\(?)1[6-9]\d{11}(\.\d+)?$/, "$1<time>")
    // Versions start from the same clock, in microseconds
    .replaceAll(/\b1[6-9]\d{14}(?=$|\{)/g, "<version>")
}

/** Whether an argument depends on the time of the command: TTLs, and the first field of a hash. */
const isTimeDependent = ([name]: ReadonlyArray<string>, at: number): boolean =>
  (name === "PEXPIRE" && at === 2) || (name === "HSET" && at === 3)

const quoted = (word: string): string => /^[\w:.<>*[\]-]+$/.test(word) ? word : `'${word}'`

/** Records until the scope closes. Connect every other client first, because its handshake would be recorded. */
const listen = (server: RedisServer.RedisServer): Effect.Effect<Commands, never, Scope.Scope> =>
  Effect.gen(function*() {
    const marker = yield* connect(server.port)
    const monitoring = yield* connect(server.port)
    const monitor = yield* Effect.acquireRelease(
      Effect.promise(() => monitoring.monitor()),
      (client) => Effect.sync(() => client.disconnect())
    )
    const recorded: Array<RecordedCommand> = []
    const markers = new Map<string, () => void>()
    const names = new Map<string, string>()
    monitor.on("monitor", (_: string, words: ReadonlyArray<string>, source: string) => {
      const onMarker = words[0]?.toLowerCase() === "echo" ? markers.get(words[1] ?? "") : undefined
      if (onMarker !== undefined) onMarker()
      // Only the inspector of the tests lists keys
      else if (words[0]?.toLowerCase() !== "keys") recorded.push({ source, words })
    })
    let number = 0
    /** Completes when all commands that were sent before are recorded. */
    const caughtUp = Effect.async<void>((resume) => {
      const text = `marker-${number += 1}`
      markers.set(text, () => resume(Effect.void))
      void marker.echo(text)
    })
    return {
      of: (effect) =>
        Effect.gen(function*() {
          yield* caughtUp
          recorded.length = 0
          yield* effect
          yield* caughtUp
          return recorded.map(({ source, words }) => {
            const byScript = source === "lua"
            const line = words
              .map((word, at) => at === 0 ? word.toUpperCase() : word)
              .map((word, at, all) =>
                byScript && isTimeDependent(all, at) ? "<number>" : normalize(names)(word)
              )
              .map(quoted)
              .join(" ")
            return byScript ? `  by script: ${line}` : line
          })
        })
    }
  })

const minute = 60_000
const day = 24 * 60 * minute

const entryOf = (text: string, expiresAt: number): CacheEntry => ({
  response: {
    status: 200,
    headers: { "content-type": "application/json" },
    bytes: new TextEncoder().encode(text)
  },
  version: 0,
  storedAt: 0,
  freshUntil: 5000,
  expiresAt
})

/** Describes all keys: name, type, fields, and TTL in minutes. */
const describeKeys = (inspector: Inspector.Inspector) =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    for (const key of (yield* inspector.keys).toSorted()) {
      // Expires within a second
      if (key.endsWith(":ping")) continue
      const type = yield* inspector.send((client) => client.type(key))
      const ttl = yield* inspector.send((client) => client.pttl(key))
      const fields = type === "hash" ? yield* inspector.send((client) => client.hkeys(key)) : []
      // The only hashes with two fields are quotas, here per day
      const isDailyQuota = fields.length === 2
      lines.push(
        [
          key,
          type,
          ...fields,
          isDailyQuota
            ? "until the end of the day"
            : ttl < 0
            ? "without TTL"
            : `for about ${Math.round((ttl + 5000) / minute)} min`
        ].join(" ")
      )
    }
    return lines
  })

/** Returns a result without its times, and with rounded units. */
const withoutTimes = (result: unknown): unknown =>
  Object.fromEntries(
    Object.entries(Object(result)).map(([name, value]) => [
      name,
      name === "millis" ? "<number>" : typeof value === "number" ? Math.round(value) : value
    ])
  )

const connected = Effect.gen(function*() {
  const server = yield* TestServices.provideLive(RedisServer.make())
  const inspector = yield* Inspector.make(server)
  // Connects the inspector before the monitor starts
  yield* inspector.time
  return { server, inspector, commands: yield* listen(server) }
})

/** The check of a server has run all scripts. */
const forgetScripts = ({ send }: Inspector.Inspector) => send((client) => client.script("FLUSH"))

describe.skipIf(RedisServer.program === undefined)(`Redis commands${RedisServer.skipReason}`, () => {
  it.scoped("of the cache store match the golden record", () =>
    Effect.gen(function*() {
      const { commands, inspector, server } = yield* connected
      const redis = yield* Layer.build(Redis.layer({ url: server.url }))
      const store = yield* Effect.provide(RedisCacheStore.make({ maxEntryBytes: 1000 }), redis)
      const otherRedis = yield* Layer.build(Redis.layer({ url: server.url, keyPrefix: "tenant*[1]:" }))
      const prefixed = yield* Effect.provide(RedisCacheStore.make(), otherRedis)
      yield* forgetScripts(inspector)
      const fill = Effect.all([
        store.set("first", entryOf("{}", minute)),
        store.set("second", entryOf("{}", minute))
      ])
      const records = {
        "get, no entry": yield* commands.of(store.get("first")),
        "set for a minute": yield* commands.of(store.set("first", entryOf("{\"a\":1}", minute))),
        "set without expiry": yield* commands.of(store.set("first", entryOf("{}", Number.POSITIVE_INFINITY))),
        "set, already expired": yield* commands.of(store.set("first", entryOf("{}", 0))),
        "set, too large": yield* commands.of(store.set("first", entryOf("x".repeat(1001), minute))),
        "get, an entry": yield* commands.of(store.get("first")),
        "next version, unknown script": yield* commands.of(store.nextVersion(0)),
        "next version": yield* commands.of(store.nextVersion(7)),
        "remove": yield* commands.of(store.remove("first")),
        "keys of two entries": yield* Effect.zipRight(fill, describeKeys(inspector)),
        "clear": (yield* commands.of(store.clear)).map((line) =>
          line.startsWith("UNLINK") ? line.split(" ").toSorted().join(" ") : line
        ),
        "ping": yield* commands.of(store.ping),
        "custom key prefix: set": yield* commands.of(prefixed.set("first", entryOf("{}", minute))),
        "custom key prefix: clear": yield* commands.of(prefixed.clear)
      }
      yield* Effect.promise(() => record("cache", records))
    }))

  it.scoped("of rate limits and daily quotas match the golden record", () =>
    Effect.gen(function*() {
      const { commands, inspector, server } = yield* connected
      const redis = yield* Layer.build(Redis.layer({ url: server.url }))
      const store = yield* Effect.provide(RedisRateLimitStore.make, redis)
      yield* forgetScripts(inspector)
      const rule = { limit: 2, window: minute, burst: 2, maxCost: 5 }
      const unlimited = { limit: Number.POSITIVE_INFINITY, window: 1000, burst: 1 }
      const quotas = [{ id: "quota", quota: { limit: 10, period: day } }]
      const soft = { id: "soft", quota: { limit: 2, period: day }, soft: true }
      const results: Array<unknown> = []
      const commandsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        commands.of(Effect.map(effect, (result) => results.push(result)))
      const records = {
        "acquire, unknown script": yield* commandsOf(store.acquire("limited", rule, 1, 500)),
        "acquire again": yield* commandsOf(store.acquire("limited", rule, 2, 500)),
        "acquire, no limit": yield* commandsOf(store.acquire("unlimited", unlimited, 1, 500)),
        "start a cooldown of a second": yield* commandsOf(store.startCooldown("throttled", 1000)),
        "start a cooldown without a duration": yield* commandsOf(store.startCooldown("throttled", null)),
        "acquire in a cooldown": yield* commandsOf(store.acquire("throttled", unlimited, 1, 500)),
        "settle a failed trial": yield* commandsOf(store.settleTrial("throttled", false)),
        "settle a successful trial": yield* commandsOf(store.settleTrial("throttled", true)),
        "consume": yield* commandsOf(store.consume(quotas, 3)),
        "consume more than remains": yield* commandsOf(store.consume(quotas, 8)),
        "consume, no limit": yield* commandsOf(
          store.consume([{ id: "unlimited", quota: { limit: Number.POSITIVE_INFINITY, period: day } }], 1)
        ),
        "consume from two quotas, one of them soft": yield* commandsOf(store.consume([...quotas, soft], 3)),
        "peek": yield* commandsOf(Effect.map(store.peek(quotas), ([quota]) => quota)),
        "heartbeat": yield* commandsOf(store.heartbeat),
        "keys": yield* describeKeys(inspector)
      }
      yield* Effect.promise(() => record("rateLimit", { ...records, results: results.map(withoutTimes) }))
    }))
})
