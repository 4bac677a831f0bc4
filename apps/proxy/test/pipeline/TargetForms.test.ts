/** Forms of request targets (RFC 9112, section 3.2). In the absolute form, the authority takes the place of `Host` in every check. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Config, defaults } from "../../src/config/Config.ts"
import { bytes, exchange, header, parseResponses } from "../hostile/rawHttp.ts"
import { openAdmin, start, testClient } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"

const price = sampleRequests["tokenPrice"]?.path ?? ""

const own = "quarry.example"

const listen: Config["listen"] = { ...defaults.listen, port: 0, allowedHosts: [own] }

type Headers = Readonly<Record<string, string>>

/** Sends a request byte for byte. */
const sendTo = (port: number) => (target: string, headers: Headers = {}, method = "GET") =>
  Effect.map(
    exchange(
      port,
      bytes(
        `${method} ${target} HTTP/1.1\r\n${
          Object.entries({ host: "localhost", connection: "close", ...headers })
            .map(([name, value]) => `${name}: ${value}\r\n`).join("")
        }\r\n`
      )
    ),
    (stream) => {
      const [response] = parseResponses(stream).responses
      return {
        status: response?.status,
        header: (name: string) => response === undefined ? undefined : header(response, name),
        code: /"code":"([\w-]+)"/.exec(response?.body ?? "")?.[1] ?? null
      }
    }
  )

const startProxy = (config: Partial<Config> = {}) =>
  Effect.map(start({ config: { listen, cache: defaults.cache, ...config } }), (proxy) => ({
    ...proxy,
    send: sendTo(proxy.port),
    sendToAdmin: sendTo(proxy.adminPort ?? 0)
  }))

describe("without authentication", () => {
  it.scopedLive("an allowed authority replaces Host, and shares cache entries with other targets", () =>
    Effect.gen(function*() {
      const { send } = yield* startProxy()
      expect((yield* send(price, { host: own })).status).toBe(200)
      for (
        const authority of ["127.0.0.1", "localhost:8650", own, "QUARRY.EXAMPLE:", "[::1]:1", "10.0.0.1"]
      ) {
        for (const host of [own, "evil.example", ""]) {
          const { header, status } = yield* send(`http://${authority}${price}`, { host })
          expect([authority, host, status, header("cache-status")])
            .toEqual([authority, host, 200, expect.stringContaining("hit")])
        }
      }
    }))

  it.scopedLive("another authority replaces Host, and gets 421 on operations and documents, not on probes", () =>
    Effect.gen(function*() {
      const { send } = yield* startProxy()
      for (
        const authority of ["evil.example", `evil.${own}`, `${own}.evil`, "localhost%00", "%6cocalhost", "*"]
      ) {
        for (const path of [price, `/all${price}`, "/openapi.json", "/", "", "?a=b", "/nowhere"]) {
          const { code, status } = yield* send(`http://${authority}${path}`, { host: own })
          expect([authority, path, status, code]).toEqual([authority, path, 421, "host-not-allowed"])
        }
        expect((yield* send(`http://${authority}/livez`, { host: own })).status).toBe(200)
      }
    }))

  it.scopedLive("decides which origins are cross-site", () =>
    Effect.gen(function*() {
      const { send } = yield* startProxy()
      const statusOf = (origin: string) =>
        Effect.map(send(`http://${own}${price}`, { host: "localhost", origin }), ({ status }) => status)
      expect([yield* statusOf(`http://${own}`), yield* statusOf("http://localhost")]).toEqual([200, 403])
    }))
})

it.scopedLive("https is served only for a trusted proxy, which ends TLS", () =>
  Effect.gen(function*() {
    const trusting = yield* startProxy({ listen: { ...listen, trustedProxies: ["127.0.0.1"] } })
    const { send } = yield* startProxy()
    for (const [proxy, status] of [[trusting.send, 200], [send, 421]] as const) {
      expect((yield* proxy(`https://${own}${price}`)).status).toBe(status)
      expect((yield* proxy(`http://${own}${price}`)).status).toBe(200)
    }
    expect((yield* trusting.send(`https://evil.example${price}`)).status).toBe(421)
  }))

it.scopedLive("with clients every authority is accepted, as every Host is, and the log has the path", () =>
  Effect.gen(function*() {
    const { lines, send } = yield* startProxy({ clients: [testClient("one", "of-one")] })
    const token = { "x-api-key": "of-one" }
    expect((yield* send(`http://evil.example${price}`, token)).status).toBe(200)
    expect((yield* send(`http://evil.example${price}`)).code).toBe("token-missing")
    expect((yield* send("HTTP://evil.example/nowhere?a=b", token)).status).toBe(403)
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ client: "one", route: "-", path: "/nowhere" })
    expect(lines.join("")).not.toContain("evil.example")
    expect((yield* send("http://evil.example", {}, "OPTIONS")).header("allow")).toContain("POST")
    expect((yield* send("http://evil.example", {})).status).toBe(200)
  }))

it.scopedLive("the admin listener checks the authority, too", () =>
  Effect.gen(function*() {
    const { sendToAdmin } = yield* startProxy({ admin: openAdmin })
    for (
      const [target, headers, status] of [
        [`http://${own}/status.json`, { host: "evil.example" }, 200],
        ["http://evil.example/status.json", { host: own }, 421],
        ["http://user@localhost/livez", { host: own }, 421],
        ["https://localhost/livez", { host: own }, 421],
        ["http://evil.example/livez", { host: own }, 200],
        [`http://${own}/status.json`, { host: "localhost", origin: "http://localhost" }, 403]
      ] as const
    ) expect([target, (yield* sendToAdmin(target, headers)).status]).toEqual([target, status])
  }))
