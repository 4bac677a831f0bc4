/// <reference lib="dom" />
/** The API reference: contents, and behavior in a browser. */
import { describe, expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { defaults } from "../../../src/config/Config.ts"
import * as DocsPage from "../../../src/docs/page/DocsPage.ts"
import * as CostTable from "../../../src/quota/CostTable.ts"
import * as Chromium from "../../support/Chromium.ts"
import * as PageServer from "../../support/PageServer.ts"
import { examples } from "../../support/proxy.ts"

const page = DocsPage.render({
  examples,
  passthrough: defaults.passthrough,
  costs: CostTable.make({
    ...defaults,
    costs: { ...defaults.costs, tokenPrice: { price: 7, rateCost: 7 } }
  })
})

interface ReceivedRequest {
  readonly method: string
  readonly target: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

/** Serves the page, and the given handler for all other paths. */
const serve = (handler: (request: ReceivedRequest, response: ServerResponse) => void = () => {}) =>
  Effect.map(
    PageServer.serve((request, response) => {
      if (request.url === "/docs") return PageServer.send(page, response)
      return void text(request).then((body) =>
        handler(
          { method: request.method ?? "", target: request.url ?? "", headers: request.headers, body },
          response
        )
      )
    }),
    ({ url }) => `${url}docs`
  )

/** In the page: lets `fetch` tell the server at `/read` that a part of a response has been read. */
const reportReads = () => {
  const { fetch } = window
  window.fetch = async (...args) => {
    const response = await fetch(...args)
    const report = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        controller.enqueue(chunk)
        void fetch("/read")
      }
    })
    return new Response(response.body?.pipeThrough(report) ?? null, response)
  }
}

const preciseNumber = "115792089237316195423570985008687907853269984665640564039457584007913129639935"

describe.skipIf(Chromium.program === undefined)(`in a browser${Chromium.skippedSuffix}`, () => {
  layer(Chromium.layer)((it) => {
    it.scoped("fits a phone and a desktop with everything expanded", () =>
      Effect.gen(function*() {
        const page = yield* Chromium.open(yield* serve())
        yield* Effect.promise(async () => {
          await page.evaluate(() => document.querySelectorAll("details").forEach((each) => each.open = true))
          expect(await Chromium.overflows(page)).toEqual([0, 0, 0])
        })
      }))

    it.scoped("updates the curl command with the form", () =>
      Effect.gen(function*() {
        const url = yield* serve()
        const page = yield* Chromium.open(url)
        const { origin } = new URL(url)
        const article = page.locator("#walletTransfers")
        const command = article.locator(".curl code")
        yield* Effect.promise(async () => {
          expect(await command.textContent()).toBe(
            `curl '${origin}/api/v2.2/${examples.wallet}/erc20/transfers?chain=eth&limit=3' \\\n  -H "X-API-Key: $TOKEN"`
          )
          await article.locator(".try summary").click()
          await article.getByLabel("cursor").fill("it's & more")
          await article.getByLabel("All pages").check()
          expect(await command.textContent()).toContain(
            `'${origin}/all/api/v2.2/${examples.wallet}/erc20/transfers?chain=eth&limit=3&cursor=it'\\''s%20%26%20more'`
          )
        })
      }))

    it.scoped("shows a response unchanged, and stores the token in memory only", () =>
      Effect.gen(function*() {
        const seen: Array<ReceivedRequest> = []
        const url = yield* serve((request, response) => {
          seen.push(request)
          response.writeHead(200, {
            "content-type": "application/json",
            "cache-status": "quarry-proxy; hit; ttl=12",
            ratelimit: "\"rate\";r=31;t=1",
            "x-request-id": "abc"
          }).end(`{"value":${preciseNumber},"name":"<img src=x onerror=alert(1)>"}`)
        })
        const page = yield* Chromium.open(url)
        const article = page.locator("#walletTransfers")
        yield* Effect.promise(async () => {
          await page.locator("#token-field").fill("secret-token")
          await article.locator(".try summary").click()
          await article.getByRole("button", { name: "Send" }).click()
          await article.locator(".result pre").waitFor()
          const shown = await article.locator(".result").innerText()
          for (
            const part of [
              "200 OK",
              "quarry-proxy; hit; ttl=12",
              "\"rate\";r=31;t=1",
              "abc",
              preciseNumber,
              "<img src=x"
            ]
          ) {
            expect(shown).toContain(part)
          }
          expect(await article.locator("img").count()).toBe(0)
          expect(await Chromium.browserStorage(page)).not.toContain("secret-token")
        })
        expect(seen).toHaveLength(1)
        expect(seen[0]?.target).toBe(`/api/v2.2/${examples.wallet}/erc20/transfers?chain=eth&limit=3`)
        expect(seen[0]?.headers["x-api-key"]).toBe("secret-token")
        // Otherwise every request would bypass the proxy's cache
        expect(seen[0]?.headers["cache-control"]).not.toContain("no-cache")
      }))

    it.scoped("sends the form's Cache-Control, and updates as JSON", () =>
      Effect.gen(function*() {
        const seen: Array<ReceivedRequest> = []
        const url = yield* serve((request, response) => {
          seen.push(request)
          response.writeHead(504, { "content-type": "application/json" }).end("{\"code\":\"not-cached\"}")
        })
        const page = yield* Chromium.open(url)
        yield* Effect.promise(async () => {
          const price = page.locator("#tokenPrice")
          await price.locator(".try summary").click()
          await price.getByLabel("Cache-Control").selectOption("only-if-cached")
          await price.getByRole("button", { name: "Send" }).click()
          await price.locator(".result pre", { hasText: "not-cached" }).waitFor()
          const stream = page.locator("#updateStreamStatus")
          await stream.locator(".try summary").click()
          await stream.getByRole("button", { name: "Send" }).click()
          await stream.locator(".result pre").waitFor()
        })
        const [first, second] = seen
        expect(first?.headers["cache-control"]).toBe("only-if-cached")
        expect(first?.headers).not.toHaveProperty("x-api-key")
        expect(second).toMatchObject({
          method: "POST",
          target: `/streams/evm/${examples.stream}/status`,
          body: "{\"status\":\"paused\"}"
        })
        expect(second?.headers["content-type"]).toBe("application/json")
      }))

    it.scoped.each<readonly [last: string, missing: ReadonlyArray<string>]>([
      ["{\"failure\":{}}\n", []],
      ["{\"token_id\":\"2\"}\n", ["The connection closed before the end."]],
      ["{\"failure\":", ["The connection closed before the end."]]
    ])(
      "shows what arrives of a list without an end, and whether it has said that it failed: %j",
      ([last, missing]) =>
        Effect.gen(function*() {
          let list: ServerResponse | undefined
          const url = yield* serve(({ target }, response) => {
            if (target === "/read") {
              // A browser may discard what it has not read when the connection ends
              list?.destroy()
              return void response.end()
            }
            list = response.writeHead(200, { "content-type": "application/x-ndjson" })
            response.write(`{"token_id":"1"}\n${last}`)
          })
          const page = yield* Chromium.open(url)
          yield* Effect.promise(() => page.evaluate(reportReads))
          const article = page.locator("#contractNfts")
          yield* Effect.promise(async () => {
            await article.locator(".try summary").click()
            await article.getByRole("button", { name: "Send" }).click()
            await article.locator(".result pre", { hasText: last.trim() }).waitFor()
            expect(await article.locator(".result pre ~ p").allTextContents()).toEqual(missing)
          })
        })
    )

    it.scoped("truncates a long list, and cancels the response", () =>
      Effect.gen(function*() {
        const connection = { closed: false }
        const url = yield* serve((_, response) => {
          response.writeHead(200, { "content-type": "application/x-ndjson" })
          const record = `${JSON.stringify({ value: "x".repeat(1000) })}\n`
          const more = () => {
            while (!response.destroyed && response.write(record)) { /* until the socket is full */ }
          }
          response.on("drain", more).on("close", () => connection.closed = true)
          more()
        })
        const page = yield* Chromium.open(url)
        yield* Effect.promise(async () => {
          const owners = page.locator("#tokenOwners")
          await owners.locator(".try summary").click()
          await owners.getByLabel("All pages").check()
          await owners.getByRole("button", { name: "Send" }).click()
          await owners.getByText("Truncated.").waitFor()
          expect((await owners.locator(".result pre").innerText()).length).toBeLessThanOrEqual(100_000)
        })
        expect(connection.closed).toBe(true)
      }))
  })
})
