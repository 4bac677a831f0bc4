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
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sample } from "../../core/test/support/sample.ts"
import * as Certificate from "../../http/test/support/Certificate.ts"
import * as HttpServer from "../../http/test/support/Server.ts"
import * as Replies from "../src/internal/Replies.ts"
import * as Redis from "../src/Redis.ts"
import * as RedisRecords from "../src/RedisRecords.ts"
import * as RedisStores from "../src/RedisStores.ts"
import * as Inspector from "./support/Inspector.ts"
import * as OutputRecorder from "./support/OutputRecorder.ts"
import * as RedisServer from "./support/RedisServer.ts"
import { until } from "./support/WaitUntil.ts"

const password = "p4ss-of-the-test"

/** Arguments of a server with a user of this password and these permissions. */
const user = (...permissions: ReadonlyArray<string>): RedisServer.Options => ({
  args: ["--user", "default", "off", "--user", "quarry", "on", `>${password}`, ...permissions]
})

const asUser = `quarry:${password}@`

/** A user with all permissions but those. */
const without = (...permissions: ReadonlyArray<string>) => user("~*", "&*", "+@all", ...permissions)

/** Servers, the credentials and the path of the URL, and the reason and the text of the error. */
const cases: ReadonlyArray<
  readonly [
    name: string,
    options: RedisServer.Options,
    url: readonly [credentials: string, path: string],
    reason: string,
    fix: RegExp
  ]
> = [
  ["requires a password", { password }, ["", ""], "NOAUTH", /requires a password.*redis:\/\/:PASSWORD@/],
  ["has another password", { password }, [":other@", ""], "WRONGPASS", /rejects the user or the password/],
  ["has another user", without(), [`unknown:${password}@`, ""], "WRONGPASS", /rejects the user/],
  ["forbids EVAL", without("-eval"), [asUser, ""], "NOPERM", /not run eval:.* \+eval /],
  ["forbids EVALSHA", without("-evalsha"), [asUser, ""], "NOPERM", /not run evalsha:/],
  ["forbids a command of scripts", without("-zadd"), [asUser, ""], "NOPERM", /not run zadd:.* \+zadd /],
  ["forbids SELECT", without("-select"), [asUser, "/1"], "NOPERM", /not run select:.* \+select /],
  ["forbids SCAN", without("-scan"), [asUser, ""], "NOPERM", /not run scan:/],
  ["forbids SUBSCRIBE", without("-subscribe"), [asUser, ""], "NOPERM", /not run subscribe:/],
  [
    "forbids keys of the prefix",
    user("~other:*", "&*", "+@all"),
    [asUser, ""],
    "NOPERM",
    /keys that start with quarry:/
  ],
  [
    "forbids channels of the prefix",
    user("~*", "&other:*", "+@all"),
    [asUser, ""],
    "NOPERM",
    /channels that.* &quarry:\* /
  ],
  ["is a Cluster node", { args: ["--cluster-enabled", "yes"] }, ["", ""], "cluster mode", /single server/],
  [
    "is a Sentinel",
    { args: ["--sentinel"], config: "sentinel resolve-hostnames no\n" },
    ["", ""],
    "Sentinel",
    /redis\+sentinel:/
  ],
  [
    "is a read-only replica",
    { args: ["--replicaof", "127.0.0.1", "1"] },
    ["", ""],
    "READONLY",
    /address of its primary/
  ],
  [
    "lacks a command",
    { args: ["--rename-command", "UNLINK", ""] },
    ["", ""],
    "unknown command",
    /no command unlink/
  ],
  ["lacks the database", { args: ["--databases", "2"] }, ["", "/2"], "no such database", /database/]
]

const encrypted = RedisServer.make({ certificate: Certificate.make() })
const plain = RedisServer.make()
const httpServer = Effect.map(
  HttpServer.make((response) => response.writeHead(400).end()),
  ({ url }) => ({ port: new URL(url).port })
)

const protocols = [
  ["requires TLS", encrypted, "redis", "TLS", /use rediss:/],
  ["is no Sentinel", RedisServer.make({ password }), "redis+sentinel", "no Sentinel", /use redis:/],
  ["uses no TLS", plain, "rediss", "no TLS", /use redis:/],
  ["has an untrusted certificate", encrypted, "rediss", "DEPTH_ZERO_SELF_SIGNED_CERT", /tls[.]ca/],
  ["is an HTTP server", httpServer, "redis", "another protocol", /is not Redis/],
  ["is an HTTP server without TLS", httpServer, "rediss", "ERR_SSL_WRONG_VERSION_NUMBER", /no.* TLS/]
] as const

/** Servers, the URL around their host and port, and the reason and the text of the error. */
const servers = [
  ...cases.map(([name, options, [credentials, path], reason, fix]) =>
    [name, RedisServer.make(options), `redis://${credentials}`, path, reason, fix] as const
  ),
  ...protocols.map(([name, make, scheme, reason, fix]) =>
    [
      name,
      make,
      `${scheme}://:${password}@`,
      scheme === "redis+sentinel" ? "/main" : "",
      reason,
      fix
    ] as const
  )
]

/** Replies that say that the server does not work now, which may end without a change. */
const outages = [
  ["OOM", ["--maxmemory", "1"], /maxmemory-policy/],
  ["NOREPLICAS", ["--min-replicas-to-write", "1"], /min-replicas-to-write/]
] as const

/** Passes what clients send to a server, as the function returns it. Null closes the connection. */
const relay = (target: number, pass: (bytes: Buffer) => Buffer | null) =>
  Effect.acquireRelease(
    Effect.async<{ readonly port: number; readonly close: () => void }>((resume) => {
      const sockets = new Set<Socket>()
      const server = createServer((client) => {
        const upstream = connect(target, "127.0.0.1")
        for (const socket of [client, upstream]) sockets.add(socket.on("error", () => {}))
        upstream.pipe(client)
        client.on("close", () => upstream.destroy())
        client.on("data", (bytes: Buffer) => {
          const passed = pass(bytes)
          if (passed === null) client.destroy()
          else upstream.write(passed)
        })
      }).listen(0, "127.0.0.1", () => {
        const address = server.address()
        const close = () => {
          server.close()
          for (const socket of sockets) socket.destroy()
        }
        resume(
          Effect.succeed({ port: typeof address === "object" && address !== null ? address.port : 0, close })
        )
      })
    }),
    ({ close }) => Effect.sync(close)
  ).pipe(Effect.map(({ port }) => port))

const twemproxy = spawnSync("nutcracker", ["--version"]).error === undefined

/** Starts twemproxy, and returns its URL. */
const behindTwemproxy = (server: RedisServer.RedisServer) =>
  Effect.gen(function*() {
    const port = yield* HttpServer.reservedPort
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "quarry-twemproxy-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    )
    const file = join(folder, "pool.yml")
    writeFileSync(
      file,
      `pool:\n  listen: 127.0.0.1:${port}\n  redis: true\n  servers:\n    - 127.0.0.1:${server.port}:1\n`
    )
    yield* Effect.acquireRelease(
      Effect.sync(() => spawn("nutcracker", ["-c", file, "-p", join(folder, "pid")], { stdio: "ignore" })),
      (child) =>
        Effect.async<void>((resume) => {
          child.once("close", () => resume(Effect.void))
          if (!child.kill("SIGKILL")) resume(Effect.void)
        })
    )
    yield* until(Effect.async<boolean>((resume) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.destroy()
        resume(Effect.succeed(true))
      }).on("error", () => resume(Effect.succeed(false)))
    }))
    return `redis://127.0.0.1:${port}`
  })

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
      Effect.gen(function*() {
        const { port } = yield* make
        const error = yield* Effect.flip(
          Layer.build(RedisStores.layer({ url: `${before}127.0.0.1:${port}${path}` }))
        )
        expect(error).toBeInstanceOf(Redis.RedisMisconfiguredError)
        expect(error.reason).toBe(reason)
        expect(error.message).toMatch(fix)
        for (const secret of [password, "other@", String(port)]) expect(error.message).not.toContain(secret)
      })
  )

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
      const server = yield* RedisServer.make({
        // The default before version 7
        args: [
          "--acl-pubsub-default",
          "allchannels",
          "--user",
          "quarry",
          "on",
          `>${password}`,
          ...Replies.permissions("quarry:").split(" ")
        ]
      })
      const url = `redis://${asUser}127.0.0.1:${server.port}`
      yield* Redis.check({ url })
      yield* Layer.build(RedisStores.layer({ url }))
      expect(yield* (yield* Inspector.make(server)).send((client) => client.acl("LOG"))).toEqual([])
      const plain = yield* RedisServer.make()
      yield* Redis.check({ url: plain.url })
      expect(yield* (yield* Inspector.make(plain)).keys).toEqual([])
      const document = readFileSync(new URL("../../../docs/redis.md", import.meta.url), "utf8")
      expect(document).toContain(Replies.permissions("quarry:"))
    }))

  /** Replaces names of the Lua by names that it does not have, of the same length. */
  const lacking = (port: number, name: string, isLacking: () => boolean = () => true) =>
    relay(port, (bytes) => {
      const text = bytes.toString("latin1")
      return Buffer.from(isLacking() ? text.replaceAll(name, `x${name.slice(1)}`) : text, "latin1")
    })

  const libraries = [
    ["cjson.encode", "no xjson"],
    ["math.max", "no xath"],
    ["string.match", "no xtring"],
    ["ipairs", "no xpairs"],
    ["table.insert(values", "no xable"]
  ] as const

  it.scopedLive.each(libraries)(
    "whose Lua lacks %s fails the check and the layer, with what to change, and keeps nothing",
    ([name, reason]) =>
      Effect.gen(function*() {
        const server = yield* RedisServer.make()
        const url = `redis://127.0.0.1:${yield* lacking(server.port, name)}`
        const errors = [
          yield* Effect.flip(Redis.check({ url })),
          yield* Effect.flip(Layer.build(RedisStores.layer({ url })))
        ]
        for (const error of errors) {
          expect(error).toMatchObject({ _tag: "RedisMisconfiguredError", reason })
          expect(error.message).toMatch(/the Lua of the server.*expected Redis or Valkey/)
        }
        expect(yield* (yield* Inspector.make(server)).keys).toEqual([])
      })
  )

  it.scopedLive("whose Lua lacks a library later is logged as an error once, until it has it again", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      const inspector = yield* Inspector.make(server)
      let isLacking = false
      const port = yield* lacking(server.port, "cjson.encode", () => isLacking)
      const recorder = yield* OutputRecorder.make
      const lines = (text: RegExp) => recorder.output.filter((line) => text.test(line))
      yield* recorder.record(Effect.gen(function*() {
        const redis = yield* Layer.build(Redis.layer({ url: `redis://127.0.0.1:${port}` }))
        yield* Layer.build(Layer.provide(RedisStores.layerOn({}), Layer.succeedContext(redis)))
        const records = yield* Effect.provide(RedisRecords.make, redis)
        const { read } = records("fleet", null)
        yield* read
        isLacking = true
        // The server has no script that it did not see.
        yield* inspector.send((client) => client.script("FLUSH"))
        yield* until(
          Effect.isSuccess(Effect.flip(read)).pipe(
            Effect.zipWith(
              Effect.sync(() => lines(/level=ERROR/).length > 0),
              (fails, isLogged) => fails && isLogged
            )
          )
        )
        const pings = Effect.map(
          inspector.send((client) => client.info("commandstats")),
          (text) => Number(/cmdstat_set:calls=(\d+)/.exec(text)?.[1])
        )
        const before = yield* pings
        yield* until(Effect.map(pings, (after) => after > before + 6))
        expect(lines(/level=ERROR/)).toEqual([
          expect.stringMatching(/unavailable \(no xjson\): the Lua of the server/)
        ])
        expect(lines(/level=INFO.*available again/)).toEqual([])
        isLacking = false
        yield* until(Effect.sync(() => lines(/level=INFO.*available again/).length === 1))
        yield* read
      }))
    }))

  it.scopedLive("that closes connections on SUBSCRIBE is asked less and less often, and the log says so once", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      let connections = 0
      const port = yield* relay(server.port, (bytes) => {
        if (!/subscribe/i.test(bytes.toString("latin1"))) return bytes
        connections += 1
        return null
      })
      const recorder = yield* OutputRecorder.make
      const warnings = () =>
        recorder.output.filter((line) => /level=WARN.*does not accept SUBSCRIBE/.test(line))
      yield* recorder.record(Effect.gen(function*() {
        const startedAt = performance.now()
        yield* Layer.build(RedisStores.layer({ url: `redis://127.0.0.1:${port}` }))
        yield* until(Effect.sync(() => connections >= 8))
        // 50 + 100 + 200 + 400 + 800 ms at least, of which the check of the start had the first.
        expect(performance.now() - startedAt).toBeGreaterThan(1400)
        expect(warnings()).toHaveLength(1)
      }))
    }))

  it.scopedLive.skipIf(!twemproxy)(
    `behind twemproxy stores values and limits, refuses SUBSCRIBE, and the log says so once${
      twemproxy ? "" : " (skipped: nutcracker is not installed)"
    }`,
    () =>
      Effect.gen(function*() {
        const server = yield* RedisServer.make()
        const url = yield* behindTwemproxy(server)
        const recorder = yield* OutputRecorder.make
        const warnings = () =>
          recorder.output.filter((line) => /level=WARN.*does not accept SUBSCRIBE/.test(line))
        yield* recorder.record(Effect.gen(function*() {
          const stores = yield* Layer.build(RedisStores.layer({ url }))
          const limits = Context.get(stores, RateLimitStore.RateLimitStore)
          const quota = { id: "id", quota: { limit: 9, period: RateLimitStore.dayMillis } }
          expect(yield* limits.consume([quota], 4)).toEqual({ _tag: "Consumed", remaining: [5] })
          yield* until(Effect.sync(() => warnings().length > 0))
          expect(yield* limits.consume([quota], 6)).toMatchObject({ _tag: "QuotaExceeded", remaining: [5] })
        }))
        expect(warnings()).toHaveLength(1)
        expect(yield* (yield* Inspector.make(server)).keys).toContain("quarry:quota:1:id")
      })
  )

  it.scopedLive("that is unreachable, or does not reply, fails the check but not the layer", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      for (const fault of [server.pause, server.stop]) {
        yield* fault
        expect(yield* Effect.flip(Redis.check({ url: server.url }))).toBeInstanceOf(StoreError.StoreError)
        yield* Effect.scoped(Layer.build(RedisStores.layer({ url: server.url })))
      }
    }))

  const changes = [
    ["becomes a replica", "READONLY", ["replicaof 127.0.0.1 1"], ["replicaof no one"]],
    ["gets a password", "NOAUTH", [`config set requirepass ${password}`, "client kill type normal"], [
      "config set requirepass "
    ]],
    ["loses a permission", "NOPERM", ["acl setuser default -time"], ["acl setuser default +time"]]
  ] as const

  it.scopedLive.each(sample(changes, 3))(
    "that %s later is logged as an error once per store, and measured until it is corrected",
    ([, reason, begin, end]) =>
      Effect.gen(function*() {
        const server = yield* RedisServer.make()
        const inspector = yield* Inspector.make(server)
        const recorder = yield* OutputRecorder.make
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
          const stores = yield* Layer.build(RedisStores.layer({ url: server.url }))
          const limits = Context.get(stores, RateLimitStore.RateLimitStore)
          const { nextVersion } = Context.get(stores, CacheStore.CacheStore)
          yield* send(begin)
          yield* limits.consume([{ id: "id", quota: { limit: 9, period: RateLimitStore.dayMillis } }], 1)
          if (Effect.isEffect(nextVersion)) yield* nextVersion
          yield* misconfigured(1)
          const before = yield* pings
          yield* until(Effect.map(pings, (after) => after > before + 3))
          expect(errors().filter((line) => line.includes(`unavailable (${reason}): `))).toHaveLength(2)
          expect(errors()).toHaveLength(2)
          yield* send(end)
          yield* misconfigured(0)
        }))
      })
  )
})
