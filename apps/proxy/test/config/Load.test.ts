/** Loads files, variables and options of the command line. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { baseUrlAndKey, diagnosticsOf, load } from "./support.ts"

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
