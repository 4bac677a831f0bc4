/** Authentication and authorization of clients. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Clients from "../../src/auth/Clients.ts"
import { defaults } from "../../src/config/Config.ts"
import { examples, sendRequest, start, testClient, testConfig } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"

const listen = { ...defaults.listen, trustedProxies: ["127.0.0.0/8"] }

const clients = [
  testClient("reader", "token-of-reader"),
  testClient("writer", "token-of-writer", { scopes: ["write"] }),
  testClient("pricer", "token-of-pricer", { scopes: ["tokenPrice"] }),
  testClient("inside", "token-of-inside", { allowedCidrs: ["10.0.0.0/8"] }),
  testClient("rotating", "token-of-old", {
    tokens: [...testClient("", "old").tokens, ...testClient("", "new").tokens]
  })
]

const makeClients = Clients.make({ clients, listen })

const identify = (headers: Record<string, string>, remoteAddress = "127.0.0.1") =>
  Either.match(makeClients.authenticate({ headers, remoteAddress }), {
    onLeft: ({ code }) => code,
    onRight: ({ name }) => name
  })

describe("a token", () => {
  it("is accepted in X-API-Key and as a bearer token", () => {
    expect(identify({ "x-api-key": "token-of-reader" })).toBe("reader")
    expect(identify({ authorization: "Bearer token-of-reader" })).toBe("reader")
    expect(identify({ authorization: "bearer   token-of-reader" })).toBe("reader")
    // Some clients send the same token in both headers; one valid token is enough
    expect(identify({ "x-api-key": "what the vendor gave", authorization: "Bearer token-of-reader" })).toBe(
      "reader"
    )
  })

  it("is rejected if missing, unknown, truncated or sent in another header", () => {
    expect(identify({})).toBe("token-missing")
    expect(identify({ "x-api-key": "" })).toBe("token-missing")
    expect(identify({ authorization: "Basic dG9rZW4tb2YtcmVhZGVyOg==" })).toBe("token-missing")
    for (
      const token of ["token-of-reade", "token-of-reader ", "TOKEN-OF-READER", clients[0]?.tokens[0] ?? ""]
    ) {
      expect(identify({ "x-api-key": token })).toBe("token-unknown")
    }
  })

  it("can be rotated while both tokens are valid", () => {
    expect([identify({ "x-api-key": "old" }), identify({ "x-api-key": "new" })]).toEqual([
      "rotating",
      "rotating"
    ])
  })

  it("is valid from allowed networks, by the client address that a trusted proxy reports", () => {
    const headers = { "x-api-key": "token-of-inside" }
    expect(identify(headers, "10.2.3.4")).toBe("inside")
    expect(identify(headers, "::ffff:10.2.3.4")).toBe("inside")
    expect(identify(headers, "203.0.113.1")).toBe("ip-not-allowed")
    expect(identify({ ...headers, "x-forwarded-for": "10.2.3.4" })).toBe("inside")
    expect(identify({ ...headers, "x-forwarded-for": "10.2.3.4, 203.0.113.1" })).toBe("ip-not-allowed")
    expect(identify({ ...headers, "x-forwarded-for": "10.2.3.4" }, "203.0.113.1")).toBe("ip-not-allowed")
  })
})

describe("without clients", () => {
  const open = Clients.make({ clients: [], listen: { ...listen, allowedHosts: ["Quarry.Internal"] } })
  const host = (host: string) =>
    Either.match(open.authenticate({ headers: { host }, remoteAddress: "127.0.0.1" }), {
      onLeft: ({ code }) => code,
      onRight: ({ name }) => name
    })

  it("allows every operation for requests to an IP address or an allowed host", () => {
    for (const name of ["localhost:8650", "127.0.0.1", "[::1]:8650", "10.0.0.7:80", "quarry.internal"]) {
      expect([name, host(name)]).toEqual([name, "anonymous"])
    }
    expect([...open.all].map(({ scopes }) => scopes.size)).toEqual([11])
  })

  it("rejects cross-site requests of browsers: embedded images would consume the plan", () => {
    const from = (headers: Record<string, string>) =>
      Either.match(
        open.authenticate({ headers: { host: "localhost:8650", ...headers }, remoteAddress: "127.0.0.1" }),
        {
          onLeft: ({ code }) => code,
          onRight: ({ name }) => name
        }
      )
    expect(from({ "sec-fetch-site": "cross-site" })).toBe("cross-site")
    expect(from({ origin: "http://evil.example" })).toBe("cross-site")
    for (const site of ["none", "same-origin", "same-site"]) {
      expect(from({ "sec-fetch-site": site })).toBe("anonymous")
    }
    expect(from({ origin: "http://localhost:8650" })).toBe("anonymous")
  })

  it("rejects other host names, to prevent DNS rebinding", () => {
    for (const name of ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", ""]) {
      expect([name, host(name)]).toEqual([name, "host-not-allowed"])
    }
  })
})

describe("built-in documents", () => {
  const documents = ["/", "/docs", "/openapi.json"]
  const statuses = (port: number, host: string) =>
    Effect.forEach(
      [...documents, "/livez", "/readyz"],
      (path) => Effect.map(sendRequest(port, path, { headers: { host } }), ({ status }) => status)
    )

  it.scopedLive("require an allowed host name under anonymous access, and probes do not", () =>
    Effect.gen(function*() {
      const { port } = yield* start({
        config: { ...testConfig(), listen: { ...listen, port: 0, allowedHosts: ["quarry.example"] } }
      })
      expect(yield* statuses(port, "evil.example")).toEqual([421, 421, 421, 200, 200])
      const { text } = yield* sendRequest(port, "/docs", { headers: { host: "evil.example" } })
      expect(JSON.parse(text)).toMatchObject({ code: "host-not-allowed" })
      for (const host of ["localhost", "10.0.0.7:8650", "quarry.example"]) {
        expect([host, ...yield* statuses(port, host)]).toEqual([host, 200, 200, 200, 200, 200])
      }
    }))

  it.scopedLive("are available under any host name if clients need a token", () =>
    Effect.gen(function*() {
      const { port } = yield* start({ config: { ...testConfig(), clients, listen: { ...listen, port: 0 } } })
      expect(yield* statuses(port, "proxy.internal")).toEqual([200, 200, 200, 200, 200])
    }))
})

describe("scopes", () => {
  it.scopedLive("allow reads, writes or single operations, and reject other requests before validation", () =>
    Effect.gen(function*() {
      const { lines, port, sandbox } = yield* start({
        config: { ...testConfig(), clients, listen: { ...listen, port: 0 } }
      })
      const reads = Object.keys(sampleRequests).filter((id) => id !== "updateStreamStatus")
      const statusOf = (id: string, token: string) => {
        const { body, path } = sampleRequests[id] ?? { path: "/", body: "" }
        const headers = { "x-api-key": token }
        return Effect.map(
          id === "updateStreamStatus"
            ? sendRequest(port, path, { method: "POST", headers, body: body ?? "" })
            : sendRequest(port, path, { headers }),
          ({ status }) => status
        )
      }
      for (const id of reads) expect([id, yield* statusOf(id, "token-of-reader")]).toEqual([id, 200])
      expect(yield* statusOf("updateStreamStatus", "token-of-reader")).toBe(403)
      expect(yield* statusOf("updateStreamStatus", "token-of-writer")).toBe(200)
      expect(yield* statusOf("tokenPrice", "token-of-writer")).toBe(403)
      expect(yield* statusOf("tokenPrice", "token-of-pricer")).toBe(200)
      expect(yield* statusOf("tokenOwners", "token-of-pricer")).toBe(403)
      yield* sandbox.clearRecordedRequests
      const without = yield* sendRequest(port, sampleRequests["tokenPrice"]?.path ?? "")
      expect([without.status, without.headers["www-authenticate"]]).toEqual([
        401,
        "Bearer realm=\"quarry-proxy\""
      ])
      expect(JSON.parse(without.text)).toMatchObject({ code: "token-missing" })
      expect((yield* sendRequest(port, `/api/v2.2/${examples.wallet}/erc20/transfers?limit=0`)).status).toBe(
        401
      )
      expect(yield* sandbox.recordedRequests).toEqual([])
      expect(lines.map((line) => JSON.parse(line).client).slice(-3)).toEqual(["pricer", null, null])
    }))
})

describe("a token in the URL", () => {
  it.scopedLive("is rejected and not sent upstream", () =>
    Effect.gen(function*() {
      const { lines, port, sandbox } = yield* start()
      const path = sampleRequests["tokenPrice"]?.path ?? ""
      for (const name of ["api_key", "apiKey", "x-api-key", "token", "access_token", "Authorization"]) {
        const response = yield* sendRequest(
          port,
          `${path}${path.includes("?") ? "&" : "?"}${name}=canary-in-address`
        )
        expect([name, response.status, JSON.parse(response.text).code]).toEqual([name, 400, "token-in-url"])
      }
      expect(yield* sandbox.recordedRequests).toEqual([])
      expect(lines.join()).not.toContain("canary")
    }))
})
