/** Files, variables and options together. */
import * as Redis from "@blockquarry/redis/Redis"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { defaults } from "../../src/config/Config.ts"
import { optionNames, proxyVariables } from "../../src/config/EnvironmentVariables.ts"
import * as Load from "../../src/config/Load.ts"
import { diagnosticsOf, fakeFileSystem, file, load, toPlain } from "./support.ts"

const hash = (digit: string) => `sha256:${digit.repeat(64)}`

describe("without a file", () => {
  it.effect("and without variables, everything is as it is by default", () =>
    Effect.gen(function*() {
      const { config, files, warnings } = yield* load({})
      expect([toPlain(config), files, warnings]).toEqual([toPlain(defaults), [], []])
    }))

  it.effect("variables say it all", () =>
    Effect.gen(function*() {
      const { config } = yield* load({
        env: {
          QUARRY_PROXY_HOST: " ::1 ",
          QUARRY_PROXY_PORT: "80",
          QUARRY_PROXY_OPERATIONS: "[::1]:81",
          QUARRY_API_KEY: "key\n",
          QUARRY_RATE_LIMIT: "25/10s",
          QUARRY_BASE_URL: "https://data.example.com/",
          QUARRY_STREAMS_URL: "https://streams.example.com",
          QUARRY_LEDGER_URL: "https://ledger.example.com/v1",
          QUARRY_LEDGER_TESTNET_URL: "",
          QUARRY_REDIS_URL: "redis://:password@redis",
          QUARRY_SANDBOX: "no",
          PATH: "/bin"
        }
      })
      expect(config.listen).toEqual({ host: "::1", port: 80, allowedHosts: [], trustedProxies: [] })
      expect(config.admin).toEqual({ host: "::1", port: 81, tokens: [] })
      expect(config.upstream.baseUrls).toEqual({
        data: "https://data.example.com/api/v2.2",
        streams: "https://streams.example.com",
        ledger: "https://ledger.example.com/v1",
        ledgerTestnet: undefined
      })
      expect(toPlain(config.upstream.keys)).toMatchObject([
        {
          name: "environment",
          secret: { secret: "key" },
          rateLimit: { limit: 25, window: { millis: 10_000 } },
          dailyQuota: null
        }
      ])
      expect(toPlain(config.redis)).toEqual({
        url: { secret: "redis://:password@redis" },
        keyPrefix: "quarry:",
        expectedProxies: 4
      })
    }))

  it.effect("operations can be turned off", () =>
    Effect.map(
      load({ env: { QUARRY_PROXY_OPERATIONS: "off" } }),
      ({ config }) => expect(config.admin).toBeNull()
    ))

  it.effect("names what is wrong with them all at once, and options by both names", () =>
    Effect.gen(function*() {
      expect(
        yield* diagnosticsOf({
          env: {
            QUARRY_PROXY_HOST: "a/b",
            QUARRY_PROXY_PORT: "80",
            QUARRY_PROXY_OPERATIONS: "8651",
            QUARRY_SANDBOX: "maybe",
            QUARRY_API_KEY: "s3cret s3cret",
            QUARRY_RATE_LIMIT: "fast",
            QUARRY_BASE_URL: "https://u:s3cret@example.com",
            QUARRY_REDIS_URL: "http://:s3cret@example.com",
            QUARRY_PROXY_PROT: "1"
          },
          optionValues: { QUARRY_PROXY_PORT: "http" }
        })
      ).toEqual([
        `QUARRY_PROXY_HOST: expected a host name or an IP address, without brackets and port; found "a/b"`,
        `--port (QUARRY_PROXY_PORT): expected a port from 0 (any free one) to 65535; found "http"`,
        `QUARRY_PROXY_OPERATIONS: expected host:port, or off; found "8651"`,
        `QUARRY_SANDBOX: expected 1 or 0; found "maybe"`,
        "QUARRY_BASE_URL: the address carries credentials; the key goes to QUARRY_API_KEY; found text",
        `QUARRY_RATE_LIMIT: expected units per time as in 100/s or 25/10s, or none; found "fast"`,
        "QUARRY_PROXY_PROT: there is no such setting; did you mean QUARRY_PROXY_PORT?",
        "QUARRY_API_KEY: expected one line of visible ASCII characters without spaces in the variable QUARRY_API_KEY",
        "QUARRY_REDIS_URL: expected redis:// or rediss://"
      ])
    }))

  it("the library's names are used", () => {
    expect(proxyVariables.redis).toBe(Redis.redisUrl)
    expect(Object.keys(optionNames).every((name) => Object.values<string>(proxyVariables).includes(name)))
      .toBe(true)
  })
})

describe("with a file", () => {
  const text = `listen: { host: 10.0.0.1, port: 1 }
operations: { host: 127.0.0.1, port: 3, tokens: [${hash("a")}] }
openToEveryone: true
redis: { prefix: "x:" }
`
  const env = {
    QUARRY_REDIS_URL: "redis://redis",
    QUARRY_PROXY_PORT: "2",
    QUARRY_PROXY_OPERATIONS: "127.0.0.2:4"
  }

  it.effect("variables go over it, and options over both; the rest of a section stays", () =>
    Effect.gen(function*() {
      const { config } = yield* load({ text, env, optionValues: { QUARRY_PROXY_HOST: "10.0.0.2" } })
      expect(config.listen).toMatchObject({ host: "10.0.0.2", port: 2 })
      expect(config.admin).toEqual({ host: "127.0.0.2", port: 4, tokens: [hash("a")] })
      expect(toPlain(config.redis)).toEqual({
        url: { secret: "redis://redis" },
        keyPrefix: "x:",
        expectedProxies: 4
      })
      const without = yield* load({ text, env: { ...env, QUARRY_PROXY_PORT: "" } })
      expect(without.config.listen).toMatchObject({ host: "10.0.0.1", port: 1 })
      const off = yield* load({ text, env: { ...env, QUARRY_PROXY_OPERATIONS: "off" } })
      expect(off.config.admin).toBeNull()
      const on = yield* load({ text: "operations: off", env: { QUARRY_PROXY_OPERATIONS: "localhost:4" } })
      expect(on.config.admin).toEqual({ host: "localhost", port: 4, tokens: [] })
    }))

  it.effect("what is wrong in it is said, though a variable goes over it", () =>
    Effect.gen(function*() {
      expect(yield* diagnosticsOf({ text: "listen: { port: a }", env })).toEqual([
        `:1:17: listen.port: expected a port from 0 (any free one) to 65535; found "a"`
      ])
    }))

  it.effect("a variable says which one", () =>
    Effect.gen(function*() {
      const given = { optionValues: {}, env: { QUARRY_PROXY_CONFIG: " /a.yaml " } }
      const files = fakeFileSystem({ "/a.yaml": "listen: { port: 7 }", "/b.yaml": "listen: { port: 8 }" })
      const read = yield* Effect.provide(Load.load(given), files)
      expect([read.config.listen.port, read.files]).toEqual([7, ["/a.yaml"]])
      const other = yield* Effect.provide(
        Load.load({ ...given, optionValues: { QUARRY_PROXY_CONFIG: "/b.yaml" } }),
        files
      )
      expect(other.config.listen.port).toBe(8)
      const named = yield* Effect.provide(Load.load({ ...given, file: "/b.yaml" }), files)
      expect(named.config.listen.port).toBe(8)
    }))

  it.effect("that is not there, or may not be read, or is no file, or is too long", () =>
    Effect.gen(function*() {
      const said = (files: Parameters<typeof fakeFileSystem>[0], env = {}) =>
        Effect.flip(Load.load({ file: "x/q.yaml", optionValues: {}, env })).pipe(
          Effect.provide(fakeFileSystem(files)),
          Effect.map(({ message }) => message.split("\n"))
        )
      expect(yield* said({})).toEqual(["x/q.yaml: there is no such file"])
      expect(yield* said({ "x/q.yaml": null })).toEqual(["x/q.yaml: this user may not read it"])
      expect(yield* said({ "x/q.yaml/": "" })).toEqual(["x/q.yaml: it is a folder"])
      expect(yield* said({ "x/q.yaml": `#${" ".repeat(1024 * 1024)}` })).toEqual([
        "x/q.yaml: it is longer than 1024 KiB"
      ])
      // Of what is not known of the file nothing is said
      expect(yield* said({}, { QUARRY_PROXY_HOST: "0.0.0.0", QUARRY_PROXY_PORT: "x" })).toHaveLength(2)
    }))

  it.effect("everything is said at once, from top to bottom", () =>
    Effect.gen(function*() {
      const text = `listen:
  port: http
  prot: 1
listen: {}
clients:
  - { name: a, tokens: [${hash("a")}] }
  - { name: a, tokens: [${hash("a")}], scope: [] }
openToEveryone: true
upstream:
  keys:
    - { name: k, secret: { file: ./k } }
    - { name: l, secret: { env: L } }
log: { level: loud }
`
      expect(yield* diagnosticsOf({ text, env: { QUARRY_SANDBOX: "x" } })).toEqual([
        ":4:1: this name is here twice: first on line 1",
        `:7:13: clients[1].name: this is clients[0].name too; every client needs a name of its own`,
        `:7:25: clients[1].tokens[0]: this is clients[0].tokens[0] too; a token belongs to one client, once`,
        ":7:99: clients[1].scope: there is no such setting; did you mean scopes?",
        ":8:17: openToEveryone: there are clients, so it is not open to everyone: leave this out, or the clients",
        ":11:26: upstream.keys[0].secret: the file /etc/k cannot be used: there is no such file",
        ":12:26: upstream.keys[1].secret: the variable L is not set",
        `:13:15: log.level: expected debug, info, warning or error; found "loud"`,
        `QUARRY_SANDBOX: expected 1 or 0; found "x"`
      ])
    }))

  it.effect("that is no YAML says only that", () =>
    Effect.gen(function*() {
      expect(yield* diagnosticsOf({ text: "listen: {\nport: [\n", env: { QUARRY_PROXY_HOST: "0.0.0.0" } }))
        .toEqual(expect.arrayContaining([expect.stringMatching(/^:\d+:\d+: /)]))
    }))

  it.effect("tells which files were read, and what to look at again where it is refused", () =>
    Effect.gen(function*() {
      const text =
        "upstream: { keys: [{ name: k, secret: { file: ../run/k } }, { name: l, secret: { file: /l } }] }"
      const { files, digests } = yield* load({ text, files: { "/run/k": "k", "/l": "l" } })
      expect(files).toEqual([file, "/run/k", "/l"])
      const { digests: refused } = yield* Effect.flip(load({ text, files: { "/run/k": "k" } }))
      expect([...refused.keys()]).toEqual(files)
      expect(files.map((each) => refused.get(each) === digests.get(each))).toEqual([true, true, false])
    }))
})

describe("the key of the environment", () => {
  const keys = "upstream: { keys: [{ name: k, secret: { env: K } }] }"

  it.effect("is none where the file names keys", () =>
    Effect.gen(function*() {
      const env = { K: "k", QUARRY_API_KEY: "e", QUARRY_RATE_LIMIT: "1/s" }
      const { config, warnings } = yield* load({ text: keys, env })
      expect(config.upstream.keys.map(({ name, secret }) => [name, Redacted.value(secret)])).toEqual([[
        "k",
        "k"
      ]])
      expect(warnings).toEqual(["QUARRY_API_KEY", "QUARRY_RATE_LIMIT"].map((name) =>
        `${name}: it is not used, because the file names keys under upstream.keys`
      ))
      const used = yield* load({ text: keys.replace("K", "QUARRY_API_KEY"), env: { QUARRY_API_KEY: "e" } })
      expect(used.warnings).toEqual([])
    }))

  it.effect("is there where the file has no keys, with the standard limit", () =>
    Effect.gen(function*() {
      for (const text of ["upstream: { keys: [] }", "upstream: { keys: }", "upstream:", "# nothing"]) {
        const { config } = yield* load({ text, env: { QUARRY_API_KEY: "e" } })
        const [key] = config.upstream.keys
        expect(key?.rateLimit.limit).toBe(100)
        expect(Duration.toMillis(key?.rateLimit.window ?? 0)).toBe(1000)
        expect(key?.upstreams).toEqual(["data", "streams", "ledger", "ledgerTestnet"])
      }
    }))
})

describe("variables that Kubernetes makes for a service called quarry-proxy", () => {
  const env = {
    QUARRY_PROXY_SERVICE_HOST: "10.0.0.1",
    QUARRY_PROXY_SERVICE_PORT: "8650",
    QUARRY_PROXY_SERVICE_PORT_HTTP: "8650",
    QUARRY_PROXY_PORT: "tcp://10.0.0.1:8650",
    QUARRY_PROXY_PORT_8650_TCP: "tcp://10.0.0.1:8650",
    QUARRY_PROXY_PORT_8650_TCP_PROTO: "tcp",
    QUARRY_PROXY_PORT_8650_TCP_PORT: "8650",
    QUARRY_PROXY_PORT_8650_TCP_ADDR: "10.0.0.1",
    QUARRY_PROXY_OPERATIONS_SERVICE_HOST: "10.0.0.2",
    QUARRY_PROXY_OPERATIONS_PORT: "tcp://10.0.0.2:8651",
    QUARRY_PROXY_OPERATIONS_PORT_8651_TCP_ADDR: "10.0.0.2"
  }

  it.effect("are not taken for ours", () =>
    Effect.gen(function*() {
      const { config, warnings } = yield* load({ env })
      expect(config.listen.port).toBe(8650)
      expect(warnings).toEqual([expect.stringContaining("Kubernetes")])
      const given = yield* load({ env, optionValues: { QUARRY_PROXY_PORT: "80" } })
      expect([given.config.listen.port, given.warnings]).toEqual([80, []])
    }))
})
