/** Requests of operators to the admin listener. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TokenGenerator from "../../src/auth/TokenGenerator.ts"
import { type Config, defaults } from "../../src/config/Config.ts"
import {
  examples,
  type HttpResult,
  openAdmin,
  type RequestOptions,
  sendRequest,
  start,
  testClient,
  testConfig
} from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"

const price = sampleRequests["tokenPrice"]?.path ?? ""

const transfers = `/api/v2.2/${examples.wallet}/erc20/transfers?chain=eth&limit=2`

const config = {
  ...testConfig(),
  cache: defaults.cache,
  admin: openAdmin
}

const startWithAdmin = (other: Partial<Config> = {}, generatedToken = "unused") =>
  Effect.map(start({ config: { ...config, ...other }, generatedToken }), ({ adminPort, ...proxy }) => ({
    ...proxy,
    admin: (path: string, options: RequestOptions = {}) => sendRequest(adminPort ?? 0, path, options)
  }))

const purge = { method: "POST", body: "" }

describe("a purge", () => {
  it.scopedLive("removes one cache entry, named by a percent-encoded target, or all", () =>
    Effect.gen(function*() {
      const { admin, port } = yield* startWithAdmin()
      const states = Effect.map(
        Effect.forEach([price, transfers], (path) => sendRequest(port, path)),
        (responses) => responses.map(({ headers }) => String(headers["cache-status"]).includes("hit"))
      )
      expect([yield* states, yield* states]).toEqual([[false, false], [true, true]])
      const one = yield* admin(`/purge?target=${encodeURIComponent(transfers)}`, purge)
      expect([one.status, JSON.parse(one.text)]).toEqual([200, { purged: transfers }])
      expect(yield* states).toEqual([true, false])
      const all = yield* admin("/purge", purge)
      expect([all.status, JSON.parse(all.text)]).toEqual([200, { purged: "everything" }])
      expect(yield* states).toEqual([false, false])
    }))

  it.scopedLive("is logged with the address, and the name or the start of the hash in admin.tokens", () =>
    Effect.gen(function*() {
      const hash = TokenGenerator.hash("unnamed")
      const tokens = [`${TokenGenerator.hash("of-alice")} alice`, hash]
      const { admin, lines } = yield* startWithAdmin({
        admin: { ...config.admin, tokens },
        listen: { ...defaults.listen, port: 0, trustedProxies: ["127.0.0.1"] }
      })
      const one = `/purge?target=${encodeURIComponent(price)}`
      for (const [token, path] of [["of-alice", "/purge"], ["unnamed", one], ["", "/purge"]] as const) {
        const headers = {
          ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
          ...(path === one ? {} : { "x-forwarded-for": "192.0.2.7" })
        }
        expect((yield* admin(path, { ...purge, headers })).status).toBe(200)
      }
      expect(lines.map((line) => JSON.parse(line).message)).toEqual([
        "cache purged by operator alice from 192.0.2.7",
        `cached response of tokenPrice purged by an operator (token ${hash.slice(0, 15)}) from 127.0.0.1`,
        "cache purged by an operator from 192.0.2.7"
      ])
    }))

  it.scopedLive("removes nothing if its target is invalid", () =>
    Effect.gen(function*() {
      const { admin, port } = yield* startWithAdmin()
      yield* sendRequest(port, price)
      const wrong = [
        ["/purge?tarket=x", 400],
        [`/purge?target=${transfers}`, 400],
        ["/purge?target=", 400],
        ["/purge?target=%2Fnowhere", 404],
        ["/purge?target=%2Flivez", 404],
        ["/purge?target=a&target=b", 400]
      ] as const
      for (const [path, status] of wrong) {
        expect([path, (yield* admin(path, purge)).status]).toEqual([path, status])
      }
      expect((yield* admin("/purge?target=http:%2F%2Fproxy", purge)).text).toContain("a path and its query")
      expect((yield* admin("/purge")).status).toBe(405)
      expect((yield* admin("/purge", { ...purge, headers: { origin: "http://evil.example" } })).status).toBe(
        403
      )
      expect((yield* sendRequest(port, price)).headers["cache-status"]).toContain("hit")
    }))
})

describe("a path of operators", () => {
  const paths = [["/status.json"], ["/usage"], ["/metrics"], ["/purge", purge]] as const
  const codeOf = ({ status, text }: HttpResult) => status === 200 ? 200 : JSON.parse(text).code
  const codes = (
    admin: (path: string, options?: RequestOptions) => Effect.Effect<HttpResult, Error>,
    headers: Record<string, string> = {}
  ) => Effect.forEach(paths, ([path, options]) => Effect.map(admin(path, { ...options, headers }), codeOf))
  const all = <A>(value: A) => paths.map(() => value)

  it.scopedLive("requires a token, as a reverse proxy on this machine may forward requests of others", () =>
    Effect.gen(function*() {
      const { admin } = yield* startWithAdmin({ admin: { ...openAdmin, open: "none" } }, "generated")
      // What the `proxy_pass` of nginx sends by default: the request of anyone, from and to a loopback address.
      const forwarded = { connection: "close", host: "127.0.0.1:8651" }
      expect(yield* codes(admin, forwarded)).toEqual(all("token-missing"))
      expect(yield* codes(admin, { "x-api-key": "wrong" })).toEqual(all("token-unknown"))
      expect(yield* codes(admin, { authorization: "Bearer generated", host: "quarry.example" }))
        .toEqual(all(200))
      for (const path of ["/", "/livez", "/readyz"]) expect((yield* admin(path)).status).toBe(200)
    }))

  it.scopedLive("does not accept the generated token beside configured ones", () =>
    Effect.gen(function*() {
      const { tokens } = testClient("operator", "configured")
      const { admin } = yield* startWithAdmin(
        { admin: { ...openAdmin, tokens, open: "none" } },
        "generated"
      )
      expect(yield* codes(admin, { "x-api-key": "generated" })).toEqual(all("token-unknown"))
      expect(yield* codes(admin, { "x-api-key": "configured" })).toEqual(all(200))
    }))

  it.scopedLive("requires none if the configuration opens it, except of web pages of other sites", () =>
    Effect.gen(function*() {
      const { admin } = yield* startWithAdmin()
      expect(yield* codes(admin)).toEqual(all(200))
      expect(yield* codes(admin, { host: "rebound.example" })).toEqual(all("host-not-allowed"))
      expect(yield* codes(admin, { "sec-fetch-site": "cross-site" })).toEqual(all("cross-site"))
      const metricsOnly = yield* startWithAdmin({ admin: { ...openAdmin, open: "metrics" } })
      expect(yield* codes(metricsOnly.admin)).toEqual([
        "token-missing",
        "token-missing",
        200,
        "token-missing"
      ])
    }))

  it.scopedLive("rejects unknown query parameters and names those that it accepts", () =>
    Effect.gen(function*() {
      const { admin } = yield* startWithAdmin()
      for (const [path, options] of paths) {
        const { status, text } = yield* admin(`${path}?client=shop`, options)
        expect([path, status, JSON.parse(text).message]).toEqual([
          path,
          400,
          `unknown parameter "client"; ${path === "/purge" ? "accepted: target" : "this path accepts none"}`
        ])
      }
      expect((yield* admin("/livez?verbose")).status).toBe(200)
    }))
})

describe("quotas in shadow mode", () => {
  it.scopedLive("reject no request, and report the requests that they would have rejected", () =>
    Effect.gen(function*() {
      const { admin, lines, port } = yield* startWithAdmin({
        ...config,
        quotas: { ...defaults.quotas, mode: "shadow" },
        clients: [testClient("small", "s", { dailyQuota: 4 })]
      })
      const headers = { "x-api-key": "s" }
      const responses = [
        yield* sendRequest(port, price, { headers }),
        yield* sendRequest(port, price, { headers })
      ]
      expect(responses.map(({ status }) => status)).toEqual([200, 200])
      expect(
        lines.map((line) => JSON.parse(line)).map(({ chargedCost, shadowed }) => [chargedCost, shadowed])
      )
        .toEqual([[3, false], [0, true]])
      const usage = JSON.parse((yield* admin("/usage")).text)
      expect(usage.clients).toMatchObject([{ name: "small", chargedCost: 3, shadowed: 1, rejected: 0 }])
      expect((yield* admin("/metrics")).text)
        .toContain("quarry_proxy_rejected_total{client=\"small\",code=\"shadow\"} 1")
    }))
})

describe("an error response", () => {
  it.scopedLive("states the remaining quota like every charged response", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* startWithAdmin({
        ...config,
        clients: [testClient("small", "s", { dailyQuota: 40 })]
      })
      yield* sandbox.queueFaults({ redirect: "http://elsewhere.invalid/" })
      const response = yield* sendRequest(port, price, { headers: { "x-api-key": "s" } })
      expect([response.status, response.headers["ratelimit"]])
        .toEqual([502, expect.stringMatching(/^"day";r=37;t=\d+$/)])
    }))
})
