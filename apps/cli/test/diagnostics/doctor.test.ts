/** Checks of `quarry doctor` that depend on time and on proxies. What it prints is in the golden record. */
import * as HttpProxy from "@blockquarry/http/gateway/HttpProxy"
import { expect, it } from "vitest"
import { checkCertificate, checkClock } from "../../src/diagnostics/Doctor.ts"

it("warns two weeks before a certificate expires", () => {
  const now = Date.UTC(2026, 0, 1)
  const certificate = (days: number) => ({ issuer: "Test CA", validTo: new Date(now + days * 86_400_000) })
  expect(checkCertificate("TLS", certificate(90), now)).toMatchObject({
    status: "ok",
    message: "certificate of Test CA until 2026-04-01"
  })
  expect(checkCertificate("TLS", certificate(13), now)).toMatchObject({
    status: "warning",
    message: "certificate of Test CA until 2026-01-14: 13 days left"
  })
  expect(checkCertificate("TLS", certificate(-1), now).message).toContain("0 days left")
})

it("tolerates a clock that differs by a minute", () => {
  expect(checkClock(60_000).status).toBe("ok")
  expect(checkClock(-61_000)).toMatchObject({ status: "warning", message: "61 s behind the service" })
})

it.each<readonly [Readonly<Record<string, string>>, string, string | null]>([
  [{}, "https://a.test", null],
  [{ HTTPS_PROXY: "http://p.test" }, "https://a.test", "http://p.test"],
  [{ HTTPS_PROXY: "http://p.test" }, "http://a.test", null],
  [{ HTTP_PROXY: "http://p.test" }, "https://a.test", "http://p.test"],
  [
    { HTTPS_PROXY: "http://upper.test", https_proxy: "http://lower.test" },
    "https://a.test",
    "http://lower.test"
  ],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: "b.test,a.test" }, "https://a.test", null],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: ".a.test" }, "https://sub.a.test", null],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: "a.test:8443" }, "https://a.test", "http://p.test"],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: "a.test:443" }, "https://a.test", null],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: "evila.test" }, "https://a.test", "http://p.test"],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: "*" }, "https://a.test", null],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: "b.test *" }, "https://a.test", null],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: "10.0.0.0/8, 192.168.1.0/24" }, "https://192.168.1.7", null],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: "10.0.0.0/8" }, "https://11.0.0.1", "http://p.test"],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: "10.0.0.0/8" }, "https://10.0.0.1.test", "http://p.test"],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: "10.0.0.0/33,10.0.0.0/" }, "https://10.0.0.1", "http://p.test"],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: "10.0.0.1" }, "https://10.0.0.1:8443", null],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: "10.0.0.0/8:443" }, "https://10.0.0.1:8443", "http://p.test"],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: "fd00::/8" }, "https://[fd12::1]", null],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: "::1" }, "https://[::1]:8443", null],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: "[::1]:443" }, "https://[::1]:8443", "http://p.test"],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: "," }, "https://a.test", "http://p.test"]
])("with %j, %s is reached through %s", (variables, url, proxy) => {
  expect(HttpProxy.find((name) => variables[name], new URL(url))?.value ?? null).toBe(proxy)
})
