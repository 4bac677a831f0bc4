/** Records of HTTP itself: targets, methods, limits, broken requests, pages and probes. */
import * as Duration from "effect/Duration"
import { describe, it } from "vitest"
import { defaults } from "../../src/config/Config.ts"
import { sampleRequests } from "../support/sampleRequests.ts"
import { host, recorder, settings, until } from "./support/golden.ts"

const price = sampleRequests["tokenPrice"]?.path ?? ""

describe("golden records", () => {
  it("of requests", async () => {
    const { ask, end, proxy } = recorder("requests")
    await proxy("open to the machine")
    await ask("the index", "/")
    await ask("the documentation", "/docs", { elsewhere: "its text is in docs-page.txt" })
    await ask("the OpenAPI document", "/openapi.json", { elsewhere: "it is in openapi.json" })
    await ask("whether it lives", "/livez")
    await ask("whether it is ready", "/readyz")
    await ask("HEAD of a page", "/livez", { method: "HEAD" })
    await ask("OPTIONS of a page", "/livez", { method: "OPTIONS" })
    await ask("POST to a page", "/livez", { method: "POST" })
    await ask("a page with a query", "/livez?verbose")
    await ask("OPTIONS *", "*", { method: "OPTIONS" })
    for (
      const [title, target] of [
        ["an unknown path", "/nowhere"],
        ["a path of the admin listener", "/metrics"],
        ["a slash too many at the end", `${price.split("?")[0]}/`],
        ["a slash too many at the beginning", `/${price}`],
        ["a path without an operation", "/api/v2.2/"],
        ["dots", "/api/v2.2/../livez"],
        ["dots that are escaped", "/api/%2e%2e/livez"],
        ["a slash that is escaped", "/api%2Fv2.2/livez"],
        ["a backslash", "/api\\v2.2"],
        ["a null byte", "/api/%00"],
        ["a broken escape", "/api/%zz"],
        ["bytes that are no UTF-8", "/api/%ff"],
        ["a broken escape in the query", "/livez?a=%"],
        ["a fragment", "/livez#top"],
        ["a whole URL", "http://127.0.0.1:8650/livez"],
        ["a path and query of 9000 bytes", `/livez?${"a".repeat(9000)}`],
        ["too long for all headers together", `/livez?${"a".repeat(20_000)}`]
      ] as const
    ) await ask(title, target)
    for (
      const id of ["Trace_1.a-b", "a b", "x".repeat(65), ""]
    ) await ask(`the request id ${JSON.stringify(id)}`, "/nowhere", { headers: [`X-Request-Id: ${id}`] })
    for (const method of ["PUT", "DELETE", "PATCH", "TRACE"]) {
      await ask(`${method} of a read`, price, { method })
    }
    await ask("two requests on a connection", "", {
      raw:
        `GET /livez HTTP/1.1\r\nHost: ${host}\r\n\r\nGET /readyz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    })
    await ask("HTTP/1.0", "", { raw: "GET /livez HTTP/1.0\r\n\r\n" })
    await ask("a body on a read", price, { body: "{}" })
    await ask("what a client expects", price, { headers: ["Expect: 100-continue"], body: "{}" })
    await end()
  }, 60_000)

  it("of requests that are not well-formed", async () => {
    const { ask, end, proxy } = recorder("malformed")
    await proxy("open to the machine", {
      config: { limits: { ...defaults.limits, requestTimeout: Duration.millis(300) } }
    })
    for (
      const [title, raw] of [
        ["no HTTP", "hello\r\n\r\n"],
        ["no host", "GET /livez HTTP/1.1\r\n\r\n"],
        ["two hosts", "GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n"],
        ["another version", "GET /livez HTTP/2.0\r\nHost: a\r\n\r\n"],
        ["a space in the target", "GET /li vez HTTP/1.1\r\nHost: a\r\n\r\n"],
        ["a header without a name", "GET /livez HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n"],
        ["a header that is folded", "GET /livez HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n"],
        ["two lengths", "POST /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na"],
        [
          "a length and pieces",
          "POST /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ],
        ["a length that is none", "POST /livez HTTP/1.1\r\nHost: a\r\nContent-Length: many\r\n\r\n"],
        ["headers of 20 KiB", `GET /livez HTTP/1.1\r\nHost: a\r\nX: ${"a".repeat(20_000)}\r\n\r\n`],
        ["headers that do not end", "GET /livez HTTP/1.1\r\nHost: a\r\n"],
        ["TLS", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003"]
      ] as const
    ) await ask(title, "", { raw })
    await end()
  }, 60_000)

  it("of a proxy with as much to do as it takes", async () => {
    const { ask, end, note, proxy } = recorder("overload")
    const { running, upstream } = await proxy("one request at a time", {
      config: { limits: { ...settings().limits, maxConcurrentRequests: 1 } }
    })
    upstream.script(["held"])
    const first = fetch(`http://127.0.0.1:${running.port}${price}`, { headers: { "x-request-id": "first" } })
    await until("the upstream is reached", () => upstream.count() === 1)
    await ask("another", price)
    await ask("a page", "/")
    await ask("whether it lives", "/livez")
    await ask("whether it is ready", "/readyz")
    upstream.release()
    const { status } = await first
    note(`the first: ${status}\n`)
    await end()
  }, 60_000)

  it("of a client that does not wait", async () => {
    const { end, logged, note, proxy } = recorder("hung-up")
    const { running, upstream } = await proxy("open to the machine")
    upstream.script(["silent"])
    const abort = new AbortController()
    const asked = fetch(`http://127.0.0.1:${running.port}${price}`, {
      headers: { "x-request-id": "impatient" },
      signal: abort.signal
    }).then(() => "a response", () => "no response")
    await until("the upstream is reached", () => upstream.count() === 1)
    abort.abort()
    note(`the client has ${await asked}`)
    note(upstream.taken().join("\n"))
    await logged("\"status\":499")
    await end()
  }, 60_000)

  it("of a log for people", async () => {
    const { ask, end, proxy } = recorder("log-text")
    await proxy("as text", { style: "text" })
    await ask("a price", price, { headers: ["X-Request-Id: a-price"] })
    await ask("an unknown path", "/nowhere", { headers: ["X-Request-Id: nowhere"] })
    await ask("a bug", price, { headers: ["X-Request-Id: a-bug"], upstream: ["defect"] })
    await end()
  }, 60_000)
})
