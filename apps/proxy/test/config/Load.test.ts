/** Loads files, variables and options of the command line. */
import * as Redis from "@blockquarry/redis/Redis"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { proxyVariables } from "../../src/config/EnvironmentVariables.ts"
import { baseUrlAndKey, diagnosticsOf, file, load } from "./support.ts"

it("the variable of Redis has the name that the library uses", () => {
  expect(proxyVariables.redis).toBe(Redis.redisUrl)
})

it.effect("the files that were read are known", () =>
  Effect.gen(function*() {
    const text =
      "upstream: { keys: [{ name: k, secret: { file: ../run/k } }, { name: l, secret: { file: /l } }] }"
    const key = "key-of-the-service"
    const { files } = yield* load({ text, files: { "/run/k": key, "/l": key } })
    expect(files).toEqual([file, "/run/k", "/l"])
  }))

it.effect("an invalid document is reported beside invalid variables", () =>
  Effect.gen(function*() {
    const env = { QUARRY_PROXY_HOST: "a b", QUARRY_BASE_URL: "https://data.example.com" }
    expect(yield* diagnosticsOf({ text: "[listen]", env })).toEqual([
      expect.stringContaining(":1:1: expected a section")
    ])
    expect(yield* diagnosticsOf({ text: "listen: 5", env })).toEqual([
      expect.stringContaining(":1:9: listen: expected a section")
    ])
    expect(yield* diagnosticsOf({ text: "listen: }", env })).toEqual([
      expect.stringContaining(":1:9: invalid YAML"),
      expect.stringContaining("QUARRY_PROXY_HOST: expected a host name")
    ])
  }))

it.effect("variables that Kubernetes sets for a service named quarry-proxy are ignored", () =>
  Effect.gen(function*() {
    const env = {
      ...baseUrlAndKey,
      QUARRY_PROXY_SERVICE_HOST: "10.0.0.1",
      QUARRY_PROXY_SERVICE_PORT_HTTP: "8650",
      QUARRY_PROXY_PORT: "tcp://10.0.0.1:8650",
      QUARRY_PROXY_PORT_8650_TCP: "tcp://10.0.0.1:8650",
      QUARRY_PROXY_PORT_8650_TCP_PROTO: "tcp",
      QUARRY_PROXY_ADMIN_SERVICE_HOST: "10.0.0.2",
      QUARRY_PROXY_ADMIN_PORT: "tcp://10.0.0.2:8651",
      QUARRY_PROXY_ADMIN_PORT_8651_TCP_ADDR: "10.0.0.2"
    }
    const { config, warnings } = yield* load({ env })
    expect([config.listen.port, warnings]).toEqual([8650, []])
  }))

const url =
  "expected a URL such as http://proxy.example:3128; correct the URL of the HTTP proxy, or unset the variable"

it.effect.each<[Readonly<Record<string, string>>, ReadonlyArray<string>]>([
  [{ HTTPS_PROXY: "user:pass@proxy:3128" }, [`HTTPS_PROXY: ${url}`]],
  [{ HTTPS_PROXY: "proxy:3128", HTTP_PROXY: "http://user:pa%ss@proxy:3128" }, [
    `HTTPS_PROXY: ${url}`,
    "HTTP_PROXY: expected a user name and a password in which % is written as %25"
  ]],
  // Lower-case names come first
  [{ https_proxy: "proxy:3128", HTTPS_PROXY: "http://proxy:3128" }, [`https_proxy: ${url}`]],
  [{ https_proxy: "", HTTPS_PROXY: "proxy:3128" }, []],
  [{ HTTPS_PROXY: "socks5://user:pass@proxy:1080", NO_PROXY: "*" }, []],
  // The sandbox sends no requests
  [{ HTTPS_PROXY: "proxy:3128", QUARRY_SANDBOX: "1" }, []],
  [{ HTTPS_PROXY: "proxy:3128", QUARRY_SANDBOX: "1", OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" }, [
    `HTTPS_PROXY: ${url}`
  ]]
])(
  "invalid URLs of HTTP proxies are errors, without the value: %j",
  ([env, expected]) =>
    Effect.gen(function*() {
      const lines = yield* diagnosticsOf({ env: { ...baseUrlAndKey, ...env } })
      expect(lines).toEqual(expected.map((start) => expect.stringContaining(start)))
      expect(lines.join()).not.toContain("pass@")
    })
)
