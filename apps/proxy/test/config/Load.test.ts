/** Loads files, variables and options of the command line. */
import * as Redis from "@blockquarry/redis/Redis"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { keys as allKeys } from "../../src/config/Config.ts"
import { flatten } from "../../src/config/ConfigKey.ts"
import { proxyVariables } from "../../src/config/EnvironmentVariables.ts"
import { baseUrlAndKey, diagnosticsOf, file, load } from "./support.ts"

describe("without a file", () => {
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
  it.effect("reports its errors even if a variable takes precedence", () =>
    Effect.gen(function*() {
      expect(yield* diagnosticsOf({ text: "listen: { port: a }", env: { QUARRY_PROXY_PORT: "2" } })).toEqual([
        `:1:17: listen.port: expected a port from 0 (any free port) to 65535, got "a"`
      ])
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
