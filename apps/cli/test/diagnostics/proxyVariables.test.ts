/** The proxies that the environment selects. That requests and `quarry doctor` use them is in proxy.test.ts. */
import * as HttpProxy from "@blockquarry/http/gateway/HttpProxy"
import { expect, it } from "vitest"

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
