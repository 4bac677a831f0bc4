/** Records of HTTP: targets, methods, limits, malformed requests, pages and probes. */
import * as Duration from "effect/Duration"
import { describe, it } from "vitest"
import { testClient } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"
import { host, recorder, requestText, settings, until } from "./support/golden.ts"

const price = sampleRequests["tokenPrice"]?.path ?? ""

describe("golden records", () => {
  it("of requests", async () => {
    const { end, replay } = recorder("requests")
    const longTarget = (length: number) => ({ raw: requestText(`/livez?${"a".repeat(length)}`, {}) })
    await replay("anonymous access from this machine", {}, {
      // The record shortens them
      "a path and query of 9000 bytes": longTarget(9000),
      "longer than the header limit": longTarget(20_000),
      "two requests on a connection": {
        raw: `GET /livez HTTP/1.1\r\nHost: ${host}\r\n\r\n${requestText("/readyz", {})}`
      }
    })
    await end()
  })

  it("of malformed requests", async () => {
    const { send, end, proxy } = recorder("malformed")
    await proxy("anonymous access from this machine")
    for (
      const [title, raw] of [
        ["not HTTP", "hello\r\n\r\n"],
        ["two hosts", "GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n"],
        ["headers of 20 KiB", `GET /livez HTTP/1.1\r\nHost: a\r\nX: ${"a".repeat(20_000)}\r\n\r\n`]
      ] as const
    ) await send(title, "", { raw })
    // Only for a request that never completes, because this is real time
    await proxy("a short request timeout", {
      config: { limits: { ...settings().limits, requestTimeout: Duration.seconds(1) } }
    })
    await send("unterminated headers", "", { raw: "GET /livez HTTP/1.1\r\nHost: a\r\n" })
    await end()
  })

  it("of a proxy at its concurrency limit", async () => {
    const { send, end, note, proxy } = recorder("overload")
    const { running, upstream } = await proxy("one request at a time", {
      config: { limits: { ...settings().limits, maxConcurrentRequests: 1 } }
    })
    upstream.script(["held"])
    const first = fetch(`http://127.0.0.1:${running.port}${price}`, { headers: { "x-request-id": "first" } })
    await until("the upstream receives a request", () => upstream.count() === 1)
    await send("another", price)
    await send("a page", "/")
    await send("liveness", "/livez")
    await send("readiness", "/readyz")
    upstream.release()
    const { status } = await first
    note(`the first: ${status}\n`)
    const shared = await proxy("a share of one request", {
      config: {
        clients: [testClient("one", "of-one"), testClient("two", "of-two")],
        limits: { ...settings().limits, maxConcurrentRequests: 4, clientShare: 0.25 }
      }
    })
    shared.upstream.script(["held"])
    const held = fetch(`http://127.0.0.1:${shared.running.port}${price}`, {
      headers: { "x-api-key": "of-one", "x-request-id": "held" }
    })
    await until("the upstream receives a request", () => shared.upstream.count() === 1)
    await send("another of the client", price, { headers: ["X-API-Key: of-one"] })
    await send("a page", "/livez", { headers: ["X-API-Key: of-one"] })
    await send("another client", price, { headers: ["X-API-Key: of-two"] })
    shared.upstream.release()
    note(`the first: ${(await held).status}\n`)
    await proxy("a share of 250 bytes for response bodies", {
      config: {
        clients: [testClient("one", "of-one"), testClient("two", "of-two")],
        limits: { ...settings().limits, maxBufferedBytes: 1000 }
      }
    })
    await send("a body beyond the share", price, {
      headers: ["X-API-Key: of-one"],
      upstream: [{ status: 200, body: ["[", "x".repeat(300)] }]
    })
    await send("a body beyond the memory", price, {
      headers: ["X-API-Key: of-two"],
      upstream: [{ status: 200, body: "x".repeat(1001) }]
    })
    await end()
  })

  it("of a client that disconnects", async () => {
    const { end, logged, note, proxy } = recorder("client-disconnects")
    const { running, upstream } = await proxy("anonymous access from this machine")
    upstream.script(["silent"])
    const abort = new AbortController()
    const outcome = fetch(`http://127.0.0.1:${running.port}${price}`, {
      headers: { "x-request-id": "impatient" },
      signal: abort.signal
    }).then(() => "a response", () => "no response")
    await until("the upstream receives a request", () => upstream.count() === 1)
    abort.abort()
    note(`the client has ${await outcome}`)
    note(upstream.takeRequests().join("\n"))
    await logged("\"status\":499")
    await end()
  })

  it("of the log as text", async () => {
    const { send, end, proxy } = recorder("log-text")
    await proxy("as text", { style: "text" })
    await send("a price", price, { headers: ["X-Request-Id: a-price"] })
    await send("an unknown path", "/nowhere", { headers: ["X-Request-Id: nowhere"] })
    await send("a bug", price, { headers: ["X-Request-Id: a-bug"], upstream: ["defect"] })
    await end()
  })
})
