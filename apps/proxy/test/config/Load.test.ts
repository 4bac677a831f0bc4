/** Loads files, variables and options of the command line. */
import * as Redis from "@blockquarry/redis/Redis"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { keys as allKeys } from "../../src/config/Config.ts"
import { flatten } from "../../src/config/ConfigKey.ts"
import { proxyVariables } from "../../src/config/EnvironmentVariables.ts"
import * as Load from "../../src/config/Load.ts"
import { baseUrl, baseUrlAndKey, diagnosticsOf, fakeFileSystem, file, load, toPlain } from "./support.ts"

const hash = (digit: string) => `sha256:${digit.repeat(64)}`

describe("without a file", () => {
  it.effect("variables set everything", () =>
    Effect.gen(function*() {
      const { config } = yield* load({
        env: {
          QUARRY_PROXY_HOST: " ::1 ",
          QUARRY_PROXY_PORT: "80",
          QUARRY_PROXY_ADMIN: "[::1]:81",
          QUARRY_API_KEY: "key-of-the-service\n",
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
      expect(config.admin).toEqual({ host: "::1", port: 81, tokens: [], open: "none" })
      expect(config.upstream.baseUrls).toEqual({
        data: "https://data.example.com/api/v2.2",
        streams: "https://streams.example.com",
        ledger: "https://ledger.example.com/v1",
        ledgerTestnet: undefined
      })
      expect(toPlain(config.upstream.keys)).toMatchObject([
        {
          name: "environment",
          secret: { secret: "key-of-the-service" },
          rateLimit: { limit: 25, window: { millis: 10_000 } },
          dailyQuota: null
        }
      ])
      expect(toPlain(config.redis)).toEqual({
        url: { secret: "redis://:password@redis" },
        keyPrefix: "quarry:",
        whenUnavailable: "share"
      })
    }))

  it("the variables have the names of the library", () => {
    expect(proxyVariables.redis).toBe(Redis.redisUrl)
    const own: ReadonlyArray<string> = Object.values(proxyVariables)
    const withOption = flatten(allKeys).flatMap(({ variable }) =>
      variable?.option === undefined ? [] : [variable.name]
    )
    expect(withOption.length).toBeGreaterThan(3)
    expect(withOption.filter((name) => !own.includes(name))).toEqual([])
  })
})

describe("with a file", () => {
  const text = `listen: { host: 10.0.0.1, port: 1 }
admin: { host: 127.0.0.1, port: 3, tokens: [${hash("a")}] }
allowAnonymous: true
redis: { keyPrefix: "x:" }
`
  const env = {
    QUARRY_REDIS_URL: "redis://redis",
    QUARRY_PROXY_PORT: "2",
    QUARRY_PROXY_ADMIN: "127.0.0.2:4"
  }

  it.effect("variables take precedence over it, and options over both; other keys of a section stay", () =>
    Effect.gen(function*() {
      const { config } = yield* load({ text, env, optionValues: { QUARRY_PROXY_HOST: "10.0.0.2" } })
      expect(config.listen).toMatchObject({ host: "10.0.0.2", port: 2 })
      expect(config.admin).toMatchObject({ host: "127.0.0.2", port: 4, tokens: [hash("a")] })
      expect(toPlain(config.redis)).toEqual({
        url: { secret: "redis://redis" },
        keyPrefix: "x:",
        whenUnavailable: "share"
      })
      const without = yield* load({ text, env: { ...env, QUARRY_PROXY_PORT: "" } })
      expect(without.config.listen).toMatchObject({ host: "10.0.0.1", port: 1 })
      const off = yield* load({ text, env: { ...env, QUARRY_PROXY_ADMIN: "off" } })
      expect(off.config.admin).toBeNull()
      const on = yield* load({ text: "admin: off", env: { QUARRY_PROXY_ADMIN: "localhost:4" } })
      expect(on.config.admin).toMatchObject({ host: "localhost", port: 4 })
    }))

  it.effect("reports its errors even if a variable takes precedence", () =>
    Effect.gen(function*() {
      expect(yield* diagnosticsOf({ text: "listen: { port: a }", env })).toEqual([
        `:1:17: listen.port: expected a port from 0 (any free port) to 65535, got "a"`
      ])
    }))

  it.effect("a variable names the file", () =>
    Effect.gen(function*() {
      const options = { optionValues: {}, env: { QUARRY_PROXY_CONFIG: " /a.yaml " } }
      const files = fakeFileSystem({ "/a.yaml": "listen: { port: 7 }", "/b.yaml": "listen: { port: 8 }" })
      const read = yield* Effect.provide(Load.load(options), files)
      expect([read.config.listen.port, read.files]).toEqual([7, ["/a.yaml"]])
      const other = yield* Effect.provide(
        Load.load({ ...options, optionValues: { QUARRY_PROXY_CONFIG: "/b.yaml" } }),
        files
      )
      expect(other.config.listen.port).toBe(8)
      const named = yield* Effect.provide(Load.load({ ...options, file: "/b.yaml" }), files)
      expect(named.config.listen.port).toBe(8)
    }))

  it.effect("reports which files were read, also if they are rejected", () =>
    Effect.gen(function*() {
      const text =
        "upstream: { keys: [{ name: k, secret: { file: ../run/k } }, { name: l, secret: { file: /l } }] }"
      const { files, digests } = yield* load({
        text,
        files: { "/run/k": "key-of-the-service", "/l": "key-of-the-service" }
      })
      expect(files).toEqual([file, "/run/k", "/l"])
      const { digests: rejected } = yield* Effect.flip(
        load({ text, files: { "/run/k": "key-of-the-service" } })
      )
      expect([...rejected.keys()]).toEqual(files)
      expect(files.map((each) => rejected.get(each) === digests.get(each))).toEqual([true, true, false])
    }))
})

describe("QUARRY_API_KEY", () => {
  const keys = "upstream: { keys: [{ name: k, secret: { env: K } }] }"

  it.effect("is ignored with a warning if the file configures keys", () =>
    Effect.gen(function*() {
      const env = {
        ...baseUrl,
        K: "key-of-the-service",
        QUARRY_API_KEY: "another-key-of-the-service",
        QUARRY_RATE_LIMIT: "1/s"
      }
      const { config, warnings } = yield* load({ text: keys, env })
      expect(config.upstream.keys.map(({ name, secret }) => [name, Redacted.value(secret)])).toEqual([[
        "k",
        "key-of-the-service"
      ]])
      expect(warnings).toEqual(["QUARRY_API_KEY", "QUARRY_RATE_LIMIT"].map((name) =>
        `${name}: not used, because the file configures upstream.keys`
      ))
      const used = yield* load({
        text: keys.replace("K", "QUARRY_API_KEY"),
        env: { ...baseUrl, QUARRY_API_KEY: "another-key-of-the-service" }
      })
      expect(used.warnings).toEqual([])
    }))
})

describe("variables that Kubernetes sets for a service named quarry-proxy", () => {
  const env = {
    ...baseUrlAndKey,
    QUARRY_PROXY_SERVICE_HOST: "10.0.0.1",
    QUARRY_PROXY_SERVICE_PORT: "8650",
    QUARRY_PROXY_SERVICE_PORT_HTTP: "8650",
    QUARRY_PROXY_PORT: "tcp://10.0.0.1:8650",
    QUARRY_PROXY_PORT_8650_TCP: "tcp://10.0.0.1:8650",
    QUARRY_PROXY_PORT_8650_TCP_PROTO: "tcp",
    QUARRY_PROXY_PORT_8650_TCP_PORT: "8650",
    QUARRY_PROXY_PORT_8650_TCP_ADDR: "10.0.0.1",
    QUARRY_PROXY_ADMIN_SERVICE_HOST: "10.0.0.2",
    QUARRY_PROXY_ADMIN_PORT: "tcp://10.0.0.2:8651",
    QUARRY_PROXY_ADMIN_PORT_8651_TCP_ADDR: "10.0.0.2"
  }

  it.effect("are ignored", () =>
    Effect.gen(function*() {
      const { config, warnings } = yield* load({ env })
      expect(config.listen.port).toBe(8650)
      expect(warnings).toEqual([expect.stringContaining("Kubernetes")])
      const flagged = yield* load({ env, optionValues: { QUARRY_PROXY_PORT: "80" } })
      expect([flagged.config.listen.port, flagged.warnings]).toEqual([80, []])
    }))
})

describe("HTTP proxies", () => {
  const errors = (env: Readonly<Record<string, string>>) =>
    Effect.match(load({ env: { ...baseUrlAndKey, ...env } }), {
      onFailure: ({ message }) => message.split("\n"),
      onSuccess: () => []
    })

  it.effect("that are not URLs are errors of their variables, without the value", () =>
    Effect.gen(function*() {
      const url = "expected a URL such as http://proxy.example:3128; correct the URL of the HTTP proxy"
      const encoding = "expected a user name and a password in which % is written as %25"
      expect(yield* errors({ HTTPS_PROXY: "user:pass@proxy:3128" })).toEqual([
        expect.stringContaining(`HTTPS_PROXY: ${url}, or unset the variable`)
      ])
      expect(yield* errors({ HTTPS_PROXY: "proxy:3128", HTTP_PROXY: "http://user:pa%ss@proxy:3128" }))
        .toEqual([
          expect.stringContaining(`HTTPS_PROXY: ${url}`),
          expect.stringContaining(`HTTP_PROXY: ${encoding}`)
        ])
      expect((yield* errors({ HTTPS_PROXY: "user:pass@proxy:3128" })).join()).not.toContain("pass")
    }))

  it.effect("are read by their lower-case names first", () =>
    Effect.gen(function*() {
      expect(yield* errors({ https_proxy: "proxy:3128", HTTPS_PROXY: "http://proxy:3128" })).toEqual([
        expect.stringContaining("https_proxy: expected a URL")
      ])
      expect(yield* errors({ https_proxy: "", HTTPS_PROXY: "proxy:3128" })).toEqual([])
    }))

  it.effect("are not used by the sandbox", () =>
    Effect.gen(function*() {
      expect(yield* errors({ HTTPS_PROXY: "proxy:3128", QUARRY_SANDBOX: "1" })).toEqual([])
      expect(yield* errors({ HTTPS_PROXY: "socks5://user:pass@proxy:1080", NO_PROXY: "*" })).toEqual([])
    }))
})
