/** Web pages of other origins: the headers of the proxy, and the promise client in a browser. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { type Config, defaults } from "../../src/config/Config.ts"
import * as Chromium from "../support/Chromium.ts"
import * as PageServer from "../support/PageServer.ts"
import { examples, sendRequest, start, testClient } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"

const app = "https://app.example.com"
const other = "https://other.example.com"

const clientsOf = (origin: string): Config["clients"] => [
  testClient("web", "of-web", { scopes: ["read", "write"], cors: { origins: [origin] } }),
  testClient("poor", "of-poor", { dailyQuota: 50, cors: { origins: [origin] } }),
  testClient("partner", "of-partner", { cors: { origins: [other] } }),
  testClient("server", "of-server")
]

const price = sampleRequests["tokenPrice"]?.path ?? ""
const update = sampleRequests["updateStreamStatus"]

describe("responses for web pages", () => {
  const startProxy = Effect.map(
    start({ config: { clients: clientsOf(app), cache: defaults.cache } }),
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
        for (const path of [price, "/nowhere", "/docs"]) {
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
        config: { clients: clientsOf(new URL(pageUrl).origin), cache: defaults.cache }
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
        requestId: true
      })
    }).pipe(Effect.provide(Chromium.layer)))
})
