/** Web pages of other origins: the headers of the proxy, and the promise client in a browser. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { type Config, defaults, type PassThroughRule } from "../../src/config/Config.ts"
import * as Chromium from "../support/Chromium.ts"
import * as PageServer from "../support/PageServer.ts"
import { examples, sendRequest, start, testClient, testRule } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"

const app = "https://app.example.com"
const other = "https://other.example.com"

const clientsOf = (origin: string): Config["clients"] => [
  testClient("web", "of-web", { scopes: ["read", "write"], cors: { origins: [origin] } }),
  testClient("poor", "of-poor", { dailyQuota: 50, cors: { origins: [origin] } }),
  testClient("partner", "of-partner", { cors: { origins: [other] } }),
  testClient("server", "of-server")
]

const ruleOf = (path: string, method: PassThroughRule["method"], ...clients: ReadonlyArray<string>) =>
  testRule(`${method} ${path}`, path, {
    method,
    api: path.startsWith("/streams") ? "streams" : "data",
    clients
  })

const rules = [
  ...(["GET", "PUT", "DELETE"] as const).map((method) => ruleOf("/streams/evm", method, "web")),
  ruleOf("/streams/evm/:id", "PATCH", "web", "partner"),
  ruleOf("/api/v2.2/settings", "PUT", "web"),
  ruleOf("/api/v2.2/unassigned", "POST")
]

const price = sampleRequests["tokenPrice"]?.path ?? ""
const update = sampleRequests["updateStreamStatus"]

describe("responses for web pages", () => {
  const startProxy = Effect.map(
    start({
      config: { clients: clientsOf(app), cache: defaults.cache, passthrough: { default: "reads", rules } }
    }),
    ({ port }) => (path: string, method: string, headers: Record<string, string>) =>
      sendRequest(port, path, { method, headers, ...(method === "POST" ? { body: update?.body ?? "" } : {}) })
  )

  const allowed = "access-control-allow-origin"

  it.scopedLive("are allowed for the origins of the client of the token, also errors", () =>
    Effect.gen(function*() {
      const send = yield* startProxy
      for (
        const [token, origin, path, status, allows] of [
          ["of-web", app, price, 200, true],
          ["of-web", app, "/nowhere", 403, true],
          ["of-web", app, `/all/api/v2.2/${examples.wallet}/erc20/transfers?chain=eth`, 200, true],
          ["of-partner", app, price, 200, false],
          ["of-server", app, price, 200, false],
          // Without a client: the page of an allowed origin learns why.
          ["wrong", app, price, 401, true],
          ["wrong", "https://evil.example", price, 401, false],
          ["of-web", "null", price, 200, false]
        ] as const
      ) {
        const { headers, status: actual } = yield* send(path, "GET", { "x-api-key": token, origin })
        expect([token, origin, path, actual, headers[allowed]])
          .toEqual([token, origin, path, status, allows ? origin : undefined])
        expect(headers["vary"]).toMatch(/(^|, )origin$/)
        expect(headers["access-control-allow-credentials"]).toBeUndefined()
        if (allows) {
          expect(headers["access-control-expose-headers"]).toMatch(/ratelimit, .*retry-after, .*x-request-id/)
        }
      }
      expect((yield* send(price, "GET", { "x-api-key": "of-web" })).headers["vary"]).toMatch(/, origin$/)
    }))

  it.scopedLive("to preflights allow the origins of all clients", () =>
    Effect.gen(function*() {
      const send = yield* startProxy
      for (const [origin, allows] of [[app, true], [other, true], ["https://evil.example", false]] as const) {
        for (const path of [price, "/nowhere", "/openapi.json"]) {
          const headers = { origin, "access-control-request-method": "GET" }
          const response = yield* send(path, "OPTIONS", headers)
          expect([
            path,
            response.status,
            response.headers[allowed],
            response.headers["access-control-max-age"]
          ])
            .toEqual(allows ? [path, 204, origin, "7200"] : [path, 204, undefined, undefined])
        }
        // The configured rules are not for every page.
        for (const requester of [{ origin }, {}]) {
          const headers = { ...requester, "access-control-request-method": "PUT" }
          const { allow, ...others } = (yield* send("/streams/evm", "OPTIONS", headers)).headers
          expect([origin, allow]).toEqual([
            origin,
            others[allowed] === origin ? expect.stringMatching(/PUT/) : undefined
          ])
        }
      }
    }))

  const preflights = Effect.map(
    startProxy,
    (send) => (path: string, method: string, requested?: string, origin = app) =>
      Effect.map(
        send(path, "OPTIONS", {
          origin,
          "access-control-request-method": method,
          ...(requested === undefined ? {} : { "access-control-request-headers": requested })
        }),
        ({ headers, status }) => ({
          status,
          methods: headers["access-control-allow-methods"]?.split(", ").toSorted().join(" "),
          headers: headers["access-control-allow-headers"]?.split(", ") ?? []
        })
      )
  )

  it.scopedLive("to preflights allow the methods of the path", () =>
    Effect.gen(function*() {
      const preflight = yield* preflights
      for (
        const [path, methods] of [
          [price, "GET HEAD OPTIONS"],
          [update?.path ?? "", "OPTIONS POST"],
          ["/streams/evm", "DELETE GET HEAD OPTIONS PUT"],
          ["/%73treams/evm", "DELETE GET HEAD OPTIONS PUT"],
          ["/streams/evm/1", "OPTIONS PATCH"],
          ["/api/v2.2/settings", "GET HEAD OPTIONS PUT"],
          ["/api/v2.2/unassigned", "GET HEAD OPTIONS"],
          ["/openapi.json", "GET HEAD OPTIONS"],
          ["/api/v2.2/a/sync", "GET HEAD POST"],
          ["/streams/evm/%253F", "GET HEAD POST"],
          // The page learns from the response of the request what is wrong.
          ["/nowhere", "GET HEAD POST"]
        ] as const
      ) {
        expect([path, yield* preflight(path, "PUT")]).toMatchObject([path, { status: 204, methods }])
        expect([path, yield* preflight(path, "PUT", undefined, "https://evil.example")])
          .toEqual([path, { status: 204, methods: undefined, headers: [] }])
      }
    }))

  it.scopedLive("to preflights allow the headers that are asked for, if they are names of at most 1 KiB", () =>
    Effect.gen(function*() {
      const preflight = yield* preflights
      const { headers: usual } = yield* preflight(price, "GET")
      expect(usual).toContain("x-api-key")
      const sdk = ["baggage", "sentry-trace", "x-aptos-client", "x-moralis-platform"]
      const long = "x-".padEnd(1024, "a")
      for (
        const [requested, added] of [
          ["", []],
          [sdk.join(","), sdk],
          [`X-API-Key , ${sdk.join(" ,\t").toUpperCase()},,`, sdk],
          ["!#$%&'+-.^_`|~09az", ["!#$%&'+-.^_`|~09az"]],
          [long, [long]],
          [`${long}a`, []],
          [`x-a,${long.slice(3)}`, []],
          ...["*", "x-*", "x a", "x:y", "x;y", "x/y", "\"x\"", "x\xe9", "(x)"].map((bad) =>
            [`x-a,${bad}`, []] as const
          )
        ] as const
      ) {
        const { headers, status } = yield* preflight(price, "GET", requested)
        expect([requested, status, headers]).toEqual([requested, 204, [...usual, ...added]])
      }
    }))

  it.scopedLive("to updates are errors, and not 304, for origins that their client does not allow", () =>
    Effect.gen(function*() {
      const send = yield* startProxy
      const statusOf = (path: string, method: string, token: string, headers: Record<string, string>) =>
        Effect.map(send(path, method, { "x-api-key": token, ...headers }), ({ status }) => status)
      const post = (origin: string) =>
        statusOf(update?.path ?? "", "POST", "of-web", { origin, "sec-fetch-site": "cross-site" })
      expect([yield* post(app), yield* post(other)]).toEqual([200, 403])
      const { etag = "" } = (yield* send(price, "GET", { "x-api-key": "of-web" })).headers
      const revalidated = (token: string, headers: Record<string, string>) =>
        statusOf(price, "GET", token, { "if-none-match": etag, ...headers })
      expect(yield* revalidated("of-web", { origin: app })).toBe(304)
      expect(yield* revalidated("of-partner", { origin: app })).toBe(200)
      expect(yield* revalidated("of-partner", {})).toBe(304)
    }))
})

/** By its path: as a dependency, the image of the proxy would need the package. */
const clientModule = fileURLToPath(new URL("../../../../packages/client/src/index.ts", import.meta.url))

/** Calls the proxy with several tokens, and returns what the page learns of each call. */
const program = `
import { createClient } from ${JSON.stringify(clientModule)}

const settled = async (call) => {
  try {
    return await call()
  } catch ({ name, retryAfter, status }) {
    return { name, retryAfter: typeof retryAfter, status }
  }
}

globalThis.run = async (baseUrl, { token, wallet, stream }) => {
  const clientOf = (apiKey) => createClient({ apiKey, baseUrl, retry: { attempts: 1 } })
  const priceOf = (apiKey) => settled(async () => (await clientOf(apiKey).tokenPrice({ address: token })).tokenName)
  const web = clientOf("of-web")
  const items = []
  for await (const { block_number } of web.walletTransfers.items({ address: wallet }, { maxItems: 3 })) {
    items.push(block_number)
  }
  return {
    web: await priceOf("of-web"),
    items: items.length,
    update: await settled(async () => (await web.updateStreamStatus({ id: stream, status: "paused" })).status),
    wrong: await priceOf("wrong"),
    server: await priceOf("of-server"),
    poor: [await priceOf("of-poor"), await priceOf("of-poor")],
    put: (await fetch(baseUrl + "/streams/evm", {
      method: "PUT",
      headers: { "x-api-key": "of-web", "content-type": "application/json", "x-moralis-platform": "js", baggage: "a=b" },
      body: "{}"
    })).status,
    requestId: (await fetch(baseUrl + "/nowhere", { headers: { "x-api-key": "of-web" } })).headers.has("x-request-id")
  }
}
`

const bundled = Effect.promise(async () => {
  const entry = fileURLToPath(new URL("Cors.program.js", import.meta.url))
  const bundle = await rolldown({
    input: entry,
    platform: "browser",
    resolve: { conditionNames: ["@blockquarry/source", "browser", "import", "default"] },
    plugins: [{
      name: "program",
      resolveId: (id) => id === entry ? id : null,
      load: (id) => id === entry ? program : null
    }]
  })
  const { output: [{ code }] } = await bundle.generate({ format: "iife" })
  await bundle.close()
  return code
})

describe.skipIf(Chromium.program === undefined)(`in a browser${Chromium.skippedSuffix}`, () => {
  it.scopedLive("the promise client works on a page of an allowed origin of another site", () =>
    Effect.gen(function*() {
      const { stream, token, wallet } = examples
      const ids = { stream, token, wallet }
      const code = yield* bundled
      const { url } = yield* PageServer.serve((_, response) =>
        void response.end("<!doctype html><title>page</title>")
      )
      // Another site than 127.0.0.1, the host of the proxy.
      const pageUrl = url.replace("127.0.0.1", "localhost")
      const { origin } = yield* start({
        config: {
          clients: clientsOf(new URL(pageUrl).origin),
          cache: defaults.cache,
          passthrough: { default: "reads", rules }
        }
      })
      const page = yield* Chromium.open(pageUrl, { allowed: /^request to another origin|CORS policy/ })
      const learned = yield* Effect.promise(async () => {
        await page.addScriptTag({ content: code })
        return page.evaluate(`run(${JSON.stringify(origin)}, ${JSON.stringify(ids)})`)
      })
      expect(learned).toEqual({
        web: expect.any(String),
        items: 3,
        update: "paused",
        wrong: { name: "AuthenticationError", retryAfter: "undefined", status: 401 },
        // The browser hides the response: this client has no origins.
        server: { name: "NetworkError", retryAfter: "undefined" },
        poor: [expect.any(String), { name: "RateLimitError", retryAfter: "number" }],
        // The sandbox does not have the path.
        put: 404,
        requestId: true
      })
    }).pipe(Effect.provide(Chromium.layer)))
})
