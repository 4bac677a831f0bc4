/** Who may ask, and for what. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Clients from "../src/Clients.ts"
import { defaults } from "../src/Config/Config.ts"
import { ask, client, configured, examples, start } from "./support/proxy.ts"
import { questions } from "./support/questions.ts"

const listen = { ...defaults.listen, forwarders: ["127.0.0.0/8"] }

const clients = [
  client("reader", "token-of-reader"),
  client("writer", "token-of-writer", { scopes: ["changes"] }),
  client("pricer", "token-of-pricer", { scopes: ["tokenPrice"] }),
  client("inside", "token-of-inside", { networks: ["10.0.0.0/8"] }),
  client("rotating", "token-of-old", { tokens: [...client("", "old").tokens, ...client("", "new").tokens] })
]

const made = Clients.make({ clients, listen })

const who = (headers: Record<string, string>, remote = "127.0.0.1") =>
  Either.match(made.identify({ headers, remote }), {
    onLeft: ({ code }) => code,
    onRight: ({ name }) => name
  })

describe("a token", () => {
  it("is taken as the service's key would be, or as a bearer", () => {
    expect(who({ "x-api-key": "token-of-reader" })).toBe("reader")
    expect(who({ authorization: "Bearer token-of-reader" })).toBe("reader")
    expect(who({ authorization: "bearer   token-of-reader" })).toBe("reader")
    // Some clients send the same in both; and one that is known is enough
    expect(who({ "x-api-key": "what the vendor gave", authorization: "Bearer token-of-reader" })).toBe(
      "reader"
    )
  })

  it("that is missing, unknown, cut off or sent in another way is none", () => {
    expect(who({})).toBe("token-missing")
    expect(who({ "x-api-key": "" })).toBe("token-missing")
    expect(who({ authorization: "Basic dG9rZW4tb2YtcmVhZGVyOg==" })).toBe("token-missing")
    for (
      const token of ["token-of-reade", "token-of-reader ", "TOKEN-OF-READER", clients[0]?.tokens[0] ?? ""]
    ) {
      expect(who({ "x-api-key": token })).toBe("token-unknown")
    }
  })

  it("can be replaced while both are good", () => {
    expect([who({ "x-api-key": "old" }), who({ "x-api-key": "new" })]).toEqual(["rotating", "rotating"])
  })

  it("is good where its client may be, as a forwarder of ours tells it", () => {
    const headers = { "x-api-key": "token-of-inside" }
    expect(who(headers, "10.2.3.4")).toBe("inside")
    expect(who(headers, "::ffff:10.2.3.4")).toBe("inside")
    expect(who(headers, "203.0.113.1")).toBe("network-refused")
    expect(who({ ...headers, "x-forwarded-for": "10.2.3.4" })).toBe("inside")
    expect(who({ ...headers, "x-forwarded-for": "10.2.3.4, 203.0.113.1" })).toBe("network-refused")
    expect(who({ ...headers, "x-forwarded-for": "10.2.3.4" }, "203.0.113.1")).toBe("network-refused")
  })
})

describe("without clients", () => {
  const open = Clients.make({ clients: [], listen: { ...listen, hosts: ["Quarry.Internal"] } })
  const host = (host: string) =>
    Either.match(open.identify({ headers: { host }, remote: "127.0.0.1" }), {
      onLeft: ({ code }) => code,
      onRight: ({ name }) => name
    })

  it("whoever calls the proxy by an address or by a name it knows may ask anything", () => {
    for (const name of ["localhost:8650", "127.0.0.1", "[::1]:8650", "10.0.0.7:80", "quarry.internal"]) {
      expect([name, host(name)]).toEqual([name, "open"])
    }
    expect([...open.all].map(({ scopes }) => scopes.size)).toEqual([11])
  })

  it("no page of another site may, for the picture that it shows would spend the plan", () => {
    const from = (headers: Record<string, string>) =>
      Either.match(open.identify({ headers: { host: "localhost:8650", ...headers }, remote: "127.0.0.1" }), {
        onLeft: ({ code }) => code,
        onRight: ({ name }) => name
      })
    expect(from({ "sec-fetch-site": "cross-site" })).toBe("cross-site")
    expect(from({ origin: "http://evil.example" })).toBe("cross-site")
    for (const site of ["none", "same-origin", "same-site"]) {
      expect(from({ "sec-fetch-site": site })).toBe("open")
    }
    expect(from({ origin: "http://localhost:8650" })).toBe("open")
  })

  it("nobody may under another name, which leads a browser here", () => {
    for (const name of ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", ""]) {
      expect([name, host(name)]).toEqual([name, "host-refused"])
    }
  })
})

describe("scopes, as requests meet them", () => {
  it.scopedLive("let reads, changes and single operations through, and nothing else is even looked at", () =>
    Effect.gen(function*() {
      const { lines, port, sandbox } = yield* start({
        config: { ...configured(), clients, listen: { ...listen, port: 0 } }
      })
      const reads = Object.keys(questions).filter((id) => id !== "updateStreamStatus")
      const asked = (id: string, token: string) => {
        const { body, path } = questions[id] ?? { path: "/", body: "" }
        const headers = { "x-api-key": token }
        return Effect.map(
          id === "updateStreamStatus"
            ? ask(port, path, { method: "POST", headers, body: body ?? "" })
            : ask(port, path, { headers }),
          ({ status }) => status
        )
      }
      for (const id of reads) expect([id, yield* asked(id, "token-of-reader")]).toEqual([id, 200])
      expect(yield* asked("updateStreamStatus", "token-of-reader")).toBe(403)
      expect(yield* asked("updateStreamStatus", "token-of-writer")).toBe(200)
      expect(yield* asked("tokenPrice", "token-of-writer")).toBe(403)
      expect(yield* asked("tokenPrice", "token-of-pricer")).toBe(200)
      expect(yield* asked("tokenOwners", "token-of-pricer")).toBe(403)
      yield* sandbox.forgetRequests
      const without = yield* ask(port, questions["tokenPrice"]?.path ?? "")
      expect([without.status, without.headers["www-authenticate"]]).toEqual([
        401,
        "Bearer realm=\"quarry-proxy\""
      ])
      expect(JSON.parse(without.text)).toMatchObject({ code: "token-missing" })
      expect((yield* ask(port, `/api/v2.2/${examples.wallet}/erc20/transfers?limit=0`)).status).toBe(401)
      expect(yield* sandbox.requests).toEqual([])
      expect(lines.map((line) => JSON.parse(line).client).slice(-3)).toEqual(["pricer", null, null])
    }))
})

describe("a token in the address", () => {
  it.scopedLive("is refused and goes no further", () =>
    Effect.gen(function*() {
      const { lines, port, sandbox } = yield* start()
      const path = questions["tokenPrice"]?.path ?? ""
      for (const name of ["api_key", "apiKey", "x-api-key", "token", "access_token", "Authorization"]) {
        const answer = yield* ask(port, `${path}${path.includes("?") ? "&" : "?"}${name}=canary-in-address`)
        expect([name, answer.status, JSON.parse(answer.text).code]).toEqual([name, 400, "token-in-target"])
      }
      expect(yield* sandbox.requests).toEqual([])
      expect(lines.join()).not.toContain("canary")
    }))
})
