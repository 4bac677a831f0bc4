/** Requests that no operation describes: which are forwarded, and what of their responses. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type Config, defaults } from "../src/config/Config.ts"
import { type RequestOptions, sendRequest, start, testClient, testRule } from "./support/proxy.ts"
import { framedUpstream } from "./support/staticUpstream.ts"

const wallet = `0x${"a1".repeat(20)}`
const netWorth = `/api/v2.2/wallets/${wallet}/net-worth`

const rules = [
  testRule("stats", "/api/v2.2/stats/*", { cacheTtl: Duration.minutes(1), retry: true }),
  testRule("search", "/api/v2.2/search", { method: "POST", clients: ["reader"] }),
  testRule("partner", "/api/v2.2/partner/:id/report", { clients: ["partial"] }),
  testRule("unnamed", "/api/v2.2/unnamed", { method: "POST" }),
  testRule("streams", "/streams/evm", { api: "streams", clients: ["reader"] })
]

const clients = [
  testClient("reader", "token of reader"),
  testClient("partial", "token of partial", { scopes: ["tokenPrice"] })
]

interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A proxy whose upstream responds as a function does, and what it was sent. */
const setup = (
  respond: (url: URL) => Response = () => Response.json({ total: "1" }),
  config: Partial<Config> = {}
) =>
  Effect.gen(function*() {
    const sent: Array<Sent> = []
    const httpClient = framedUpstream((request, url) =>
      Effect.sync(() => {
        const { body } = request
        sent.push({
          method: request.method,
          url: url.href.slice(url.origin.length),
          headers: { ...request.headers },
          body: body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
        })
        return respond(url)
      })
    )
    const { lines, port } = yield* start({
      httpClient,
      config: { clients, passthrough: { default: "reads", rules }, ...config }
    })
    const send = (path: string, client = "reader", options: RequestOptions = {}) =>
      sendRequest(port, path, {
        ...options,
        headers: { "x-api-key": `token of ${client}`, ...options.headers }
      })
    return { lines, send, sent, port }
  })

const codeOf = (text: string): unknown => {
  const document: unknown = JSON.parse(text)
  return typeof document === "object" && document !== null && "code" in document ? document.code : null
}

it.scopedLive("forwards reads without a rule unchanged, with the key of the proxy only", () =>
  Effect.gen(function*() {
    const { send, sent } = yield* setup(() =>
      new Response(`{"total":${2n ** 200n}}`, {
        headers: {
          "content-type": "application/json",
          "set-cookie": "a=b",
          "x-rate-limit-used": "7",
          "x-secret": "1"
        }
      })
    )
    const response = yield* send(`${netWorth}?chains%5B%5D=eth&q=a+b`, "reader", {
      headers: {
        cookie: "a=b",
        "x-forwarded-host": "evil",
        "accept-language": "de",
        "x-moralis-platform": "js"
      }
    })
    expect([response.status, response.text]).toEqual([200, `{"total":${2n ** 200n}}`])
    expect(response.headers).not.toHaveProperty("set-cookie")
    expect(response.headers).not.toHaveProperty("x-secret")
    expect(response.headers["content-security-policy"]).toContain("sandbox")
    expect(sent.map(({ method, url }) => [method, url])).toEqual([
      ["GET", `${netWorth}?chains%5B%5D=eth&q=a%20b`]
    ])
    expect(Object.keys(sent[0]?.headers ?? {}).toSorted()).toEqual(["accept", "user-agent", "x-api-key"])
    expect(sent[0]?.headers["x-api-key"]).toBe(Sandbox.apiKey)
  }))

describe("refuses with 403, besides what the attack table has", () => {
  it.scopedLive("all without a rule, if that is configured", () =>
    Effect.gen(function*() {
      const { send, sent } = yield* setup(undefined, { passthrough: { default: "off", rules } })
      expect((yield* send(netWorth)).status).toBe(403)
      expect((yield* send("/api/v2.2/stats/eth")).status).toBe(200)
      expect(sent).toHaveLength(1)
    }))

  it.scopedLive("requests without authentication, unless a rule names anonymous", () =>
    Effect.gen(function*() {
      const open = testRule("open", "/api/v2.2/open", { clients: ["anonymous"] })
      const { port } = yield* setup(undefined, {
        clients: [],
        passthrough: { default: "reads", rules: [...rules, open] }
      })
      expect((yield* sendRequest(port, netWorth)).status).toBe(403)
      expect((yield* sendRequest(port, "/api/v2.2/stats/eth")).status).toBe(403)
      expect((yield* sendRequest(port, "/api/v2.2/open")).status).toBe(200)
    }))
})

it.scopedLive("a word in place of a parameter is another path", () =>
  Effect.gen(function*() {
    const { lines, send, sent } = yield* setup()
    for (
      const [path, operation] of [
        [`/api/v2.2/nft/${wallet}/trades`, "other"],
        ["/api/v2.2/nft/transfers", "other"],
        ["/api/v2.2/erc20/constructor/transfers", "other"],
        [`/api/v2.2/nft/${wallet}/1`, "nftMetadata"],
        [`/api/v2.2/nft/${wallet}/1x`, null],
        ["/api/v2.2/nft/0xg1", null]
      ] as const
    ) {
      const { status } = yield* send(path)
      expect([path, status, sent.splice(0).length]).toEqual(
        operation === null ? [path, 400, 0] : [path, 200, 1]
      )
      if (operation !== null) expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ operation })
    }
  }))

it.scopedLive("forwards the price and the limits of the upstream only if it is configured", () =>
  Effect.gen(function*() {
    const reported = {
      "x-request-weight": "7",
      "x-rate-limit-limit": "40000",
      "x-ratelimit-remaining": "9",
      "x-rate": "1"
    }
    const respond = () => Response.json({}, { headers: { ...reported, "set-cookie": "a=b" } })
    const forwarded = Effect.fnUntraced(function*(forwardHeaders: boolean, weightHeader: string | null) {
      const { send } = yield* setup(respond, {
        upstream: { ...defaults.upstream, forwardHeaders, weightHeader }
      })
      const { headers } = yield* send(netWorth)
      return Object.keys({ ...reported, "set-cookie": "" }).filter((name) => name in headers)
    })
    expect(yield* forwarded(false, "x-request-weight")).toEqual([])
    expect(yield* forwarded(true, "x-request-weight")).toEqual(
      ["x-request-weight", "x-rate-limit-limit", "x-ratelimit-remaining"]
    )
    expect(yield* forwarded(true, null)).toEqual(["x-rate-limit-limit", "x-ratelimit-remaining"])
  }))

it.scopedLive("the path that was checked is the path that is sent", () =>
  Effect.gen(function*() {
    const { lines, send, sent } = yield* setup()
    for (
      const [path, operation, upstream] of [
        ["/%61pi/v2.2/stats/eth", "stats", "/api/v2.2/stats/eth"],
        ["/api/v2%2e2/stat%73/e%74h", "stats", "/api/v2.2/stats/eth"],
        ["/%61pi/v2.2/nft/transfers", "other", "/api/v2.2/nft/transfers"],
        ["/api/v2%2E2/a:b/%3a/%c3%a9/%7e", "other", "/api/v2.2/a:b/%3A/%C3%A9/~"],
        ["/%73treams/evm", "streams", "/streams/evm"],
        [`/%61pi/v2.2/nft/${wallet}/1`, "nftMetadata", `/api/v2.2/nft/${wallet}/1`],
        [`/%61ll/api/v2%2e2/nft/${wallet}/1/owners`, "nftOwners", `/api/v2.2/nft/${wallet}/1/owners`]
      ] as const
    ) {
      yield* send(path)
      expect([path, sent.splice(0).map(({ url }) => url.replace(/\?.*/, ""))]).toEqual([path, [upstream]])
      expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ operation })
    }
  }))

describe("a rule", () => {
  it.scopedLive("forwards a body as it is, once", () =>
    Effect.gen(function*() {
      const { send, sent } = yield* setup(() => Response.json({ message: "down" }, { status: 503 }))
      const body = `{"amount":${2n ** 200n}}`
      const response = yield* send("/api/v2.2/search", "reader", { method: "POST", body })
      expect(response.status).toBe(503)
      expect(sent.map(({ body, method }) => [method, body])).toEqual([["POST", body]])
    }))

  it.scopedLive("retries and caches if it says so, and lets only its clients in", () =>
    Effect.gen(function*() {
      let failures = 1
      const { send, sent } = yield* setup(
        () => failures-- > 0 ? new Response("", { status: 503 }) : Response.json({ n: 1 }),
        { cache: defaults.cache }
      )
      const first = yield* send("/api/v2.2/stats/eth?a=1")
      const second = yield* send("/api/v2.2/stats/eth?a=1")
      expect([first.status, second.status, sent.length]).toEqual([200, 200, 2])
      expect(second.headers["cache-status"]).toContain("hit")
      expect((yield* send("/api/v2.2/stats/eth?a=1", "partial")).status).toBe(403)
      expect((yield* send("/api/v2.2/stats/eth?a=2")).headers["cache-status"]).not.toContain("hit")
      expect((yield* send("/api/v2.2/partner/7/report", "partial")).status).toBe(200)
      expect((yield* send("/streams/evm")).status).toBe(200)
      expect(sent.at(-1)?.url).toBe("/streams/evm")
    }))
})

describe("a response", () => {
  it.scopedLive("need not be JSON", () =>
    Effect.gen(function*() {
      const { send } = yield* setup(() =>
        new Response("a,b\n1,2\n", { headers: { "content-type": "text/csv" } })
      )
      const response = yield* send(netWorth)
      expect([response.status, response.text, response.headers["content-type"]]).toEqual([
        200,
        "a,b\n1,2\n",
        "text/csv"
      ])
    }))

  const withheld: ReadonlyArray<readonly [what: string, respond: () => Response, code: string]> = [
    [
      "that repeats the key of the proxy in text",
      () => new Response(`key ${Sandbox.apiKey}`),
      "upstream-error"
    ],
    [
      "that redirects",
      () => new Response("", { status: 302, headers: { location: "http://evil.test/" } }),
      "upstream-invalid-response"
    ],
    ["that is too large", () => new Response("x".repeat(200_000)), "upstream-invalid-response"],
    // The last, because the key is not used for a while then
    [
      "that rejects the key of the proxy",
      () => Response.json({ message: "no" }, { status: 401 }),
      "upstream-authentication-failed"
    ]
  ]

  it.scopedLive("is withheld if it repeats the key, redirects, rejects the key, or is too large", () =>
    Effect.gen(function*() {
      let respond = (): Response => Response.json({})
      const { send } = yield* setup(() => respond(), {
        limits: { ...defaults.limits, maxResponseBytes: 100_000 },
        upstream: { ...defaults.upstream, retry: { ...defaults.upstream.retry, attempts: 1 } }
      })
      for (const [what, sent, code] of withheld) {
        respond = sent
        const response = yield* send(netWorth)
        expect([what, response.status, codeOf(response.text)]).toEqual([what, 502, code])
        expect(response.text + JSON.stringify(response.headers)).not.toContain(Sandbox.apiKey)
      }
    }))
})
