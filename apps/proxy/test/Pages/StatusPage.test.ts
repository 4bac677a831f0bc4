/// <reference lib="dom" />
/** The status page shows what the proxy says of itself, keeps up with it, and holds its own when it cannot. */
import { describe, expect, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Status } from "../../src/Operations/Status.ts"
import * as StatusPage from "../../src/Pages/StatusPage.ts"
import * as Chromium from "./support/Chromium.ts"
import * as Site from "./support/Site.ts"
import { busy, quiet } from "./support/statuses.ts"

it.runIf(process.env["QUARRY_CHECK"] === "1")("a full check leaves nothing out: there is a chromium", () => {
  expect(Chromium.program).toBeDefined()
})

const now = Date.UTC(2030, 0, 2, 12)
const reply = StatusPage.reply({ tries: ["curl 'http://127.0.0.1:8650/<first>'"] })

/** The page, with a status that may be another each time. */
const serve = (status: () => Status, seen: Array<string | undefined> = [], token?: string) =>
  Site.serve((request, response) => {
    if (request.url === "/") return Site.send(reply, response)
    const key = request.headers["x-api-key"]
    seen.push(Array.isArray(key) ? key.join() : key)
    const refused = token !== undefined && key !== token
    return void response.writeHead(refused ? 401 : 200, { "content-type": "application/json" })
      .end(refused ? "{}" : JSON.stringify(status()))
  })

const hostile = "<img src=x onerror=\"document.title='in'\">"
const endless = "x".repeat(300)

/** As bad as names can be: markup, and words without an end. */
const withNames = (name: string): Status => {
  const status = busy(now)
  return {
    ...status,
    version: name,
    upstream: status.upstream.map((each) => ({
      ...each,
      host: name,
      keys: each.keys.map((key) => ({ ...key, name }))
    })),
    clients: status.clients.map((each) => ({
      ...each,
      name,
      budgets: each.budgets.map((budget) => ({ ...budget, name }))
    })),
    failures: status.failures.map((each) => ({
      ...each,
      client: name,
      route: name,
      operation: name,
      requestId: name,
      code: name
    }))
  }
}

describe.skipIf(Chromium.program === undefined)(`in a browser${Chromium.unless}`, () => {
  layer(Chromium.layer)((it) => {
    it.scoped.each(Chromium.views)("fits $width in $scheme", (view) =>
      Effect.gen(function*() {
        const { url } = yield* serve(() => busy(now))
        const { page, wrong } = yield* Chromium.open(url, view)
        yield* Effect.promise(async () => {
          await page.locator("#totals").getByText("4,004").waitFor()
          await page.locator("#throughput svg path.line").first().waitFor()
          expect(await page.title()).toBe("ready – quarry-proxy")
          for (
            const text of [
              "wallet-app",
              "shared store: redis",
              "left alone for 21 s",
              "tokenPrice",
              "48,210 / 500K"
            ]
          ) {
            expect(await page.getByText(text).first().isVisible(), text).toBe(true)
          }
          expect(await Chromium.overflow(page)).toBe(0)
        })
        expect(wrong).toEqual([])
      }))

    it.scoped.each([hostile, endless])(
      "shows names as text, and fits them in: %s",
      (name) =>
        Effect.gen(function*() {
          const { url } = yield* serve(() => withNames(name))
          for (const view of Chromium.views.filter(({ scheme }) => scheme === "light")) {
            const { page, wrong } = yield* Chromium.open(url, view)
            yield* Effect.promise(async () => {
              await page.locator("#clients").getByText(name).first().waitFor()
              await page.locator("#failures").getByText(name).first().waitFor()
              await page.locator("#upstream").getByText(name).first().waitFor()
              expect(await page.locator("img").count()).toBe(0)
              expect(await Chromium.overflow(page)).toBe(0)
            })
            expect(wrong).toEqual([])
          }
        })
    )

    it.scoped("keeps up", () =>
      Effect.gen(function*() {
        let extra = 0
        const { url } = yield* serve(() => busy(now, extra++))
        const { page, wrong } = yield* Chromium.open(url)
        yield* Effect.promise(async () => {
          await page.locator("#totals").getByText("4,004").waitFor()
          await page.locator("#totals").getByText("4,006").waitFor()
        })
        expect(wrong).toEqual([])
      }))

    it.scoped("says when the connection is lost, keeps what it knew, and finds back", () =>
      Effect.gen(function*() {
        const site = yield* serve(() => busy(now))
        const { page, wrong } = yield* Chromium.open(site.url)
        const connection = page.locator("#connection")
        yield* Effect.promise(() => page.locator("#totals").getByText("4,004").waitFor())
        yield* site.stop
        yield* Effect.promise(async () => {
          await connection.getByText("Connection lost. This is how things were at").waitFor()
          expect(await page.locator("#totals").getByText("4,004").isVisible()).toBe(true)
        })
        yield* site.again
        yield* Effect.promise(() => connection.waitFor({ state: "hidden" }))
        expect(wrong).toEqual([])
      }))

    it.scoped("asks nothing while nobody looks", () =>
      Effect.gen(function*() {
        const seen: Array<string | undefined> = []
        const { url } = yield* serve(() => busy(now), seen)
        const { page } = yield* Chromium.open(url, undefined, (page) => page.clock.install({ time: now }))
        const look = (hidden: boolean) =>
          page.evaluate((hidden) => {
            Object.defineProperty(document, "hidden", { value: hidden, configurable: true })
            document.dispatchEvent(new Event("visibilitychange"))
          }, hidden)
        yield* Effect.promise(async () => {
          await page.locator("#totals").getByText("4,004").waitFor()
          await look(true)
          const before = seen.length
          await page.clock.runFor(60_000)
          expect(seen.length).toBe(before)
          const asked = page.waitForResponse(`${url}status.json`)
          await look(false)
          await asked
        })
      }))

    it.scoped("says what to try where nobody has asked yet", () =>
      Effect.gen(function*() {
        const { url } = yield* serve(() => quiet(now))
        const { page, wrong } = yield* Chromium.open(url)
        yield* Effect.promise(async () => {
          await page.getByText("No requests yet").waitFor()
          expect(await page.locator("#quiet pre").innerText()).toBe("curl 'http://127.0.0.1:8650/<first>'")
          expect(await page.locator("#charts").isVisible()).toBe(false)
        })
        expect(wrong).toEqual([])
      }))

    it.scoped("reads a chart with the keyboard", () =>
      Effect.gen(function*() {
        const { url } = yield* serve(() => busy(now))
        const { page, wrong } = yield* Chromium.open(url)
        yield* Effect.promise(async () => {
          const chart = page.locator("#latency svg")
          await page.locator("#latency path.line").first().waitFor()
          await chart.focus()
          await chart.press("End")
          const last = await page.locator("#latency output").textContent()
          await chart.press("ArrowLeft")
          const before = await page.locator("#latency output").textContent()
          expect(last).toMatch(/^\d\d:\d\d:\d\d half within .+, 95 % .+, 99 % /)
          expect(before).toMatch(/^\d\d:\d\d:\d\d half within /)
          expect(before).not.toBe(last)
          await chart.press("Escape")
          expect(await page.locator("#latency .cursor").count()).toBe(0)
        })
        expect(wrong).toEqual([])
      }))

    it.scoped("asks for a token where one is wanted, and keeps it to itself", () =>
      Effect.gen(function*() {
        const seen: Array<string | undefined> = []
        const { url } = yield* serve(() => busy(now), seen, "secret-token")
        const { page, wrong } = yield* Chromium.open(url)
        yield* Effect.promise(async () => {
          await page.getByText("The proxy wants a token for its status").waitFor()
          await page.getByLabel("Token of the operations' address").fill("secret-token")
          await page.keyboard.press("Enter")
          await page.locator("#totals").getByText("4,004").waitFor()
          expect(await page.locator("#token-panel").isVisible()).toBe(false)
          expect(await Chromium.kept(page)).not.toContain("secret-token")
        })
        expect(seen.at(0)).toBeUndefined()
        expect(seen.at(-1)).toBe("secret-token")
        expect(wrong).toEqual([])
      }))
  })
})
