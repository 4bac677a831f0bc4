/** Tests servers that reply but cannot be used: found when the layer is built, or logged when it happens later. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as StoreError from "@blockquarry/http/gateway/StoreError"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import * as Telemetry from "@blockquarry/http/Telemetry"
import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { readdirSync, readFileSync } from "node:fs"
import { sample } from "../../core/test/support/sample.ts"
import * as Certificate from "../../http/test/support/Certificate.ts"
import * as HttpServer from "../../http/test/support/Server.ts"
import * as Replies from "../src/internal/Replies.ts"
import * as Redis from "../src/Redis.ts"
// Has a script that a check runs
import "../src/RedisRecords.ts"
import * as RedisStores from "../src/RedisStores.ts"
import * as Inspector from "./support/Inspector.ts"
import * as NetworkProxy from "./support/NetworkProxy.ts"
import * as OutputRecorder from "./support/OutputRecorder.ts"
import * as RedisServer from "./support/RedisServer.ts"
import { until } from "./support/WaitUntil.ts"

const password = "p4ss-of-the-test"

/** What users may do, and the database of the URL. Each lacks a permission. */
const users = [
  ...["eval", "evalsha", "zadd", "get", "scan", "subscribe"].map((name) =>
    [`~* &* +@all -${name}`, ""] as const
  ),
  ["~* &* +@all -select", "/1"],
  ["~other:* &* +@all", ""],
  ["~* &other:* +@all", ""]
] as const

const withUsers = RedisServer.make({
  args: [
    ...["--user", "default", "off"],
    ...users.flatMap(([permissions], index) => [
      ...["--user", `user${index}`, "on", `>${password}`],
      ...permissions.split(" ")
    ])
  ]
})

const httpServer = Effect.map(
  HttpServer.make((response) => response.writeHead(400).end()),
  ({ url }) => ({ port: Number(new URL(url).port) })
)
const encrypted = RedisServer.make({ certificate: Certificate.make() })
const ofArgs = (...args: ReadonlyArray<string>) => RedisServer.make({ args })
const sentinel = RedisServer.make({ args: ["--sentinel"], config: "sentinel resolve-hostnames no\n" })

/** Servers, the URL around their host and port, and the reason and the text of the error. */
const servers = [
  ["requires a password", RedisServer.make({ password }), "redis://", "", "NOAUTH", /redis:\/\/:PASSWORD@/],
  ["has another password", RedisServer.make({ password }), "redis://:other@", "", "WRONGPASS", /rejects the/],
  ["has another user", withUsers, `redis://unknown:${password}@`, "", "WRONGPASS", /rejects the user/],
  ["is a Cluster node", ofArgs("--cluster-enabled", "yes"), "redis://", "", "cluster mode", /single server/],
  ["is a Sentinel", sentinel, "redis://", "", "Sentinel", /redis\+sentinel:/],
  ["is a replica", ofArgs("--replicaof", "127.0.0.1", "1"), "redis://", "", "READONLY", /address of its pri/],
  ["lacks a command", ofArgs("--rename-command", "UNLINK", ""), "redis://", "", "unknown command", /unlink/],
  ["lacks the database", ofArgs("--databases", "2"), "redis://", "/2", "no such database", /database/],
  ["is no Sentinel", RedisServer.make({ password }), "redis+sentinel://", "/main", "no Sentinel", /redis:/],
  ["is not trusted", encrypted, "rediss://", "", "DEPTH_ZERO_SELF_SIGNED_CERT", /tls[.]ca/],
  ["speaks HTTP", httpServer, `redis://:${password}@`, "", "another protocol", /is not Redis/],
  ["speaks HTTP, no TLS", httpServer, "rediss://", "", "ERR_SSL_WRONG_VERSION_NUMBER", /no.* TLS/]
] as const

/** Fails to build the layer, with an error that says what to change and nothing secret. */
const expectMisconfigured = (url: string, reason: string, fix: RegExp) =>
  Effect.gen(function*() {
    // Where the check does not end in time, the layer is built: then a busy machine tries again
    const failure = Effect.flip(Effect.scoped(Layer.build(RedisStores.layer({ url }))))
    const error = yield* Effect.retry(failure, { times: 5 })
    expect(error).toBeInstanceOf(Redis.RedisMisconfiguredError)
    expect(error.reason).toBe(reason)
    expect(error.message).toMatch(fix)
    expect(error.message).not.toMatch(new RegExp(`${password}|other@|${new URL(url).port}`))
  })

/** Replies that say that the server does not work now, which may end without a change. */
const outages = [
  ["OOM", ["--maxmemory", "1"], /maxmemory-policy/],
  ["NOREPLICAS", ["--min-replicas-to-write", "1"], /min-replicas-to-write/]
] as const

describe("the permissions", () => {
  it("include every command of the golden records", () => {
    const folder = new URL("golden/records/", import.meta.url)
    const commands = readdirSync(folder).flatMap((file) =>
      [...readFileSync(new URL(file, folder), "utf8").matchAll(/^ +"(?: +by script: )?([A-Z]{2,}) /gm)].map((
        [, name = ""]
      ) => name.toLowerCase())
    )
    expect(commands.length).toBeGreaterThan(50)
    const allowed = Replies.permissions("").split(" ")
    expect([...new Set(commands)].filter((name) => !allowed.includes(`+${name}`))).toEqual([])
  })
})

describe.skipIf(RedisServer.program === undefined)(`a server${RedisServer.skipReason}`, () => {
  it.scopedLive.each(servers)(
    "that %s fails the layer, with what to change",
    ([, make, before, path, reason, fix]) =>
      Effect.flatMap(
        make,
        ({ port }) => expectMisconfigured(`${before}127.0.0.1:${port}${path}`, reason, fix)
      )
  )

  it.scopedLive("that forbids something to its user fails the layer, with what to allow", () =>
    Effect.gen(function*() {
      const { port } = yield* withUsers
      yield* Effect.forEach(users, ([, database], index) =>
        expectMisconfigured(
          `redis://user${index}:${password}@127.0.0.1:${port}${database}`,
          "NOPERM",
          /lacks a permission: expected ACL SETUSER USER ~quarry:\* .* \+unlink$/
        ))
    }))

  it.scopedLive.each(outages)(
    "that replies %s fails the check, with what to change, but not the layer",
    ([code, args, hint]) =>
      Effect.gen(function*() {
        const { url } = yield* RedisServer.make({ args })
        const error = yield* Effect.flip(Redis.check({ url }))
        expect(error).toBeInstanceOf(StoreError.StoreError)
        expect(error.reason).toMatch(new RegExp(`^${code}: .*${hint.source}`))
        yield* Layer.build(RedisStores.layer({ url }))
      })
  )

  it.scopedLive("that allows exactly the documented permissions is used, and keeps nothing of the check", () =>
    Effect.gen(function*() {
      const server = yield* ofArgs(
        // The default before version 7
        ...["--acl-pubsub-default", "allchannels", "--user", "quarry", "on", `>${password}`],
        ...Replies.permissions("quarry:").split(" ")
      )
      const inspector = yield* Inspector.make(server)
      const url = `redis://quarry:${password}@127.0.0.1:${server.port}`
      yield* Redis.check({ url })
      expect(yield* inspector.keys).toEqual([])
      yield* Layer.build(RedisStores.layer({ url }))
      expect(yield* inspector.send((client) => client.acl("LOG"))).toEqual([])
      const document = readFileSync(new URL("../../../docs/redis.md", import.meta.url), "utf8")
      expect(document).toContain(Replies.permissions("quarry:"))
    }))

  /** Passes scripts to a server with a name that its Lua does not have, of the same length. */
  const lacking = (port: number, name: () => string) =>
    NetworkProxy.make(port, (bytes) => {
      const text = bytes.toString("latin1")
      return Buffer.from(name() === "" ? text : text.replaceAll(name(), `x${name().slice(1)}`), "latin1")
    })

  it.scopedLive("whose Lua lacks a name fails the check, with what to change, and keeps nothing", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      let name = ""
      const { port } = yield* lacking(server.port, () => name)
      for (name of ["cjson.encode", "math.max", "string.match", "ipairs", "table.insert(values"]) {
        const error = yield* Effect.flip(Redis.check({ url: `redis://127.0.0.1:${port}` }))
        const reason = `no x${/\w+/.exec(name)?.[0].slice(1)}`
        expect(error).toMatchObject({ _tag: "RedisMisconfiguredError", reason })
        expect(error.message).toMatch(/the Lua of the server.*expected Redis or Valkey/)
      }
      expect(yield* (yield* Inspector.make(server)).keys).toEqual([])
    }))

  const subscribeWarnings = ({ output }: OutputRecorder.OutputRecorder) =>
    output.filter((line) => /level=WARN.*does not accept SUBSCRIBE/.test(line))

  it.scopedLive("that closes connections on SUBSCRIBE is asked less and less often, and the log says so once", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      let connections = 0
      const { port } = yield* NetworkProxy.make(server.port, (bytes) => {
        if (!/subscribe/i.test(bytes.toString("latin1"))) return bytes
        connections += 1
        return null
      })
      const recorder = yield* OutputRecorder.make
      yield* recorder.record(Effect.gen(function*() {
        const startedAt = performance.now()
        yield* Layer.build(RedisStores.layer({ url: `redis://127.0.0.1:${port}` }))
        yield* until(Effect.sync(() => connections >= 7))
        // 50 + 100 + 200 + 400 ms at least, of which the check of the start had the first.
        expect(performance.now() - startedAt).toBeGreaterThan(700)
        expect(subscribeWarnings(recorder)).toHaveLength(1)
      }))
    }))

  it.scopedLive("that is unreachable, or does not reply, fails the check but not the layer", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      for (const fault of [server.pause, server.stop]) {
        yield* fault
        expect(yield* Effect.flip(Redis.check({ url: server.url }))).toBeInstanceOf(StoreError.StoreError)
        yield* Effect.scoped(Layer.build(RedisStores.layer({ url: server.url })))
      }
    }))

  it.scopedLive.each(
    [
      ["has no TLS", RedisServer.make(), "rediss", /if the server has no TLS, use redis:/],
      ["requires TLS", encrypted, "redis", /if it requires TLS, use rediss:/]
    ] as const
  )("that %s fails the check with the scheme to try", ([, make, scheme, hint]) =>
    Effect.gen(function*() {
      const { port } = yield* make
      const error = yield* Effect.flip(Redis.check({ url: `${scheme}://:${password}@127.0.0.1:${port}` }))
      expect(error.reason).toMatch(hint)
    }))

  /** What happens to a server, its reason, and the commands that begin and end it. */
  const changes = [
    ["becomes a replica", "READONLY", ["replicaof 127.0.0.1 1"], ["replicaof no one"]],
    ["gets a password", "NOAUTH", [`config set requirepass ${password}`, "client kill type normal"], [
      "config set requirepass "
    ]],
    ["loses a permission of scripts", "NOPERM", ["acl setuser default -time"], ["acl setuser default +time"]],
    ["loses a permission to read", "NOPERM", ["acl setuser default -get"], ["acl setuser default +get"]],
    // It has no script that it did not see
    ["loses a library of Lua", "no xath", ["script flush"], []]
  ] as const

  it.scopedLive.each([...sample(changes.slice(0, 3), 3), ...changes.slice(3)])(
    "that %s later is logged as an error once per store, and measured until it is corrected",
    ([, reason, begin, end]) =>
      Effect.gen(function*() {
        const server = yield* RedisServer.make()
        const inspector = yield* Inspector.make(server)
        const recorder = yield* OutputRecorder.make
        let missing = ""
        const { port } = yield* lacking(server.port, () => missing)
        const send = (commands: ReadonlyArray<string>) =>
          Effect.forEach(commands, (line) => {
            const [name = "", ...args] = line.split(" ")
            return inspector.send((client) => client.call(name, ...args))
          })
        const misconfigured = (value: number) =>
          until(Effect.map(
            Effect.forEach(
              ["cache", "rate limit"],
              (store) => Metric.value(Metric.tagged(Telemetry.storeMisconfigured, "store", store))
            ),
            (states) => states.every((state) => state.value === value)
          ))
        const pings = Effect.map(
          inspector.send((client) => client.info("commandstats")),
          (text) => {
            const [, calls, rejected] = /cmdstat_set:calls=(\d+).*rejected_calls=(\d+)/.exec(text) ?? []
            return Number(calls) + Number(rejected)
          }
        )
        const errors = () => recorder.output.filter((line) => /level=ERROR/.test(line))
        yield* recorder.record(Effect.gen(function*() {
          const stores = yield* Layer.build(RedisStores.layer({ url: `redis://127.0.0.1:${port}` }))
          const limits = Context.get(stores, RateLimitStore.RateLimitStore)
          const { nextVersion } = Context.get(stores, CacheStore.CacheStore)
          yield* send(begin)
          missing = reason === "no xath" ? "math.max" : ""
          yield* limits.consume([{ id: "id", quota: { limit: 9, period: RateLimitStore.dayMillis } }], 1)
          yield* nextVersion
          yield* misconfigured(1)
          const before = yield* pings
          yield* until(Effect.map(pings, (after) => after > before + 3))
          expect(errors().filter((line) => line.includes(`unavailable (${reason}): `))).toHaveLength(2)
          expect(errors()).toHaveLength(2)
          missing = ""
          yield* send(end)
          yield* misconfigured(0)
        }))
      })
  )
})
