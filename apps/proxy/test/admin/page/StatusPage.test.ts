/// <reference lib="dom" />
/** The status page in a browser: records of its text, refreshing, lost connections and tokens. */
import { describe, expect, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import * as StatusPage from "../../../src/admin/page/StatusPage.ts"
import type { Status } from "../../../src/admin/Status.ts"
import { matches, record } from "../../golden/support/golden.ts"
import * as Chromium from "../../support/Chromium.ts"
import * as PageServer from "../../support/PageServer.ts"

it.runIf(process.env["QUARRY_CHECK"] === "1")("finds Chromium in a full check", () => {
  expect(Chromium.program).toBeDefined()
})

/** The record of the status, with what a large fleet has besides. */
const recorded: Status = JSON.parse(readFileSync(record("status.json"), "utf8"))

const now = Date.parse(recorded.now)

const after = (seconds: number): string => new Date(now + 1000 * seconds).toISOString()

type Key = Status["upstreams"][number]["keys"][number]

const key = (name: string, other: Partial<Key> = {}): Key => ({
  name,
  state: "ready",
  reason: null,
  cooldownUntil: null,
  dailyQuota: null,
  ...other
})

const cooldown = (reason: "quota-exceeded" | "throttled", seconds: number) =>
  ({ state: "cooldown", reason, cooldownUntil: after(seconds) }) as const

const upstreams: Status["upstreams"] = [
  {
    name: "data",
    host: "data.example.com",
    circuitBreaker: "closed",
    retryAt: null,
    keys: [
      key("main", { dailyQuota: { limit: 2_000_000, remaining: 1_236_450 } }),
      key("spare", cooldown("throttled", 14)),
      key("trial", { ...cooldown("quota-exceeded", 9 * 3600), dailyQuota: { limit: 40_000, remaining: 0 } })
    ]
  },
  {
    name: "streams",
    host: "streams.example.com",
    circuitBreaker: "half-open",
    retryAt: null,
    keys: [key("main", { reason: "rejected" })]
  },
  { name: "ledger", host: "ledger.example.com", circuitBreaker: "open", retryAt: after(21), keys: [] },
  { name: "ledgerTestnet", host: null, circuitBreaker: "closed", retryAt: null, keys: [] }
]

/** Returns the status after `extra` further requests. */
const busyStatus = (extra = 0): Status => {
  const { clients: [shop, game, idle, ...others], processes: [process], quotas: [team, all] } = recorded
  const [second, day] = shop!.quotas
  return {
    ...recorded,
    upstreams,
    totals: { ...recorded.totals, requests: 4004 + extra },
    scope: "fleet",
    store: { kind: "redis", available: true, misconfigured: false },
    processes: [
      process!,
      {
        ...process!,
        name: "proxy-2",
        state: "draining",
        problems: ["data.example.com: circuit breaker open"]
      }
    ],
    quotas: [team!, { ...team!, team: "web", soft: 400, warned: true }, { ...all!, remaining: 0 }],
    clients: [
      shop!,
      { ...game!, quotas: [{ ...second!, remaining: 0 }, ...game!.quotas] },
      {
        ...idle!,
        disabled: { operator: "operator alice from 192.0.2.7", at: after(-180) },
        quotas: [{ ...day!, shadow: true }]
      },
      ...others
    ]
  }
}

/** The status of a proxy that has not received any request. */
const idleStatus = (): Status => ({
  ...recorded,
  totals: { ...recorded.totals, requests: 0 },
  clients: recorded.clients.slice(2, 3),
  failures: [],
  quotas: [],
  anonymousAccess: true,
  sandbox: true
})

const reply = StatusPage.render(["curl 'http://127.0.0.1:8650/<first>'"])

/** Serves the page and a status that can differ on each request. */
const serve = (status: () => Status, seen: Array<string | undefined> = [], token?: () => string) =>
  PageServer.serve((request, response) => {
    if (request.url === "/") return PageServer.send(reply, response)
    const key = request.headers["x-api-key"]
    seen.push(Array.isArray(key) ? key.join() : key)
    const rejected = token !== undefined && key !== token()
    return void response.writeHead(rejected ? 401 : 200, { "content-type": "application/json" })
      .end(rejected ? "{}" : JSON.stringify(status()))
  })

const busy = busyStatus()

const hostile = `<img src=x onerror="document.title='in'">${"x".repeat(300)}`

/** 100 clients, 20 processes and an outage of the upstream. The later a client, the more failures it has. */
const largeStatus: Status = (() => {
  const [client, process, failure] = [busy.clients[0]!, busy.processes[0]!, busy.failures[0]!]
  return {
    ...busy,
    clients: Array.from({ length: 100 }, (_, index) => ({
      ...client,
      name: `client-${index}`,
      failures: index
    })),
    processes: Array.from({ length: 20 }, (_, index) => ({ ...process, name: `proxy-${index}` })),
    failures: Array.from({ length: 50 }, (_, index) => ({
      ...failure,
      client: `client-${index}`,
      route: `/${index}`,
      requestId: `id-${index}`
    }))
  }
})()

const named: ReadonlySet<string> = new Set([
  "name",
  "version",
  "host",
  "client",
  "route",
  "operation",
  "requestId",
  "process",
  "operator"
])

/** A status in which every name is the given one. */
const withNames = (name: string): Status =>
  JSON.parse(
    JSON.stringify(busy),
    (key, value) => named.has(key) && typeof value === "string" ? name : value
  )

describe.skipIf(Chromium.program === undefined)(`in a browser${Chromium.skippedSuffix}`, () => {
  layer(Chromium.layer)((it) => {
    it.scoped("shows markup and long names as text, and fits a phone and a desktop", () =>
      Effect.gen(function*() {
        const { url } = yield* serve(() => withNames(hostile))
        const page = yield* Chromium.open(url)
        yield* Effect.promise(async () => {
          await page.locator("#clients").getByText(hostile).first().waitFor()
          await page.locator("#throughput svg path.line").first().waitFor()
          expect(await page.locator("img").count()).toBe(0)
          expect(await Chromium.overflows(page)).toEqual([0, 0, 0])
        })
      }))

    it.scoped.each([["busy", busy], ["quiet", idleStatus()]] as const)(
      "has the text of the record, and fits a phone and a desktop: %s",
      ([name, status]) =>
        Effect.gen(function*() {
          const { url } = yield* serve(() => status)
          const page = yield* Chromium.open(url)
          yield* Effect.promise(async () => {
            await page.waitForFunction(() => document.title.includes("–"))
            await page.locator("#clients").waitFor()
            const text = (await page.locator("body").innerText()).trim().replaceAll(/\n+/g, "\n")
              .replaceAll(/\b\d\d:\d\d:\d\d\b/g, "<time>")
            await matches(`${text}\n`, `status-page-${name}.txt`)
            expect(await Chromium.overflows(page)).toEqual([0, 0, 0])
          })
        })
    )

    it.scoped("refreshes itself, and keeps the last data while the connection is lost", () =>
      Effect.gen(function*() {
        let refreshes = 0
        const site = yield* serve(() => busyStatus(refreshes++))
        const page = yield* Chromium.open(site.url)
        const connection = page.locator("#connection")
        yield* Effect.promise(() => page.locator("#totals").getByText("4,004").waitFor())
        yield* site.stop
        yield* Effect.promise(async () => {
          await connection.getByText("Connection lost. Showing data of").waitFor()
          expect(await page.locator("#totals").getByText("4,004").isVisible()).toBe(true)
        })
        yield* site.restart
        yield* Effect.promise(() => connection.waitFor({ state: "hidden" }))
        yield* Effect.promise(() => page.locator("#totals").getByText("4,006").waitFor())
      }))

    it.scoped("sends no requests while it is hidden", () =>
      Effect.gen(function*() {
        const seen: Array<string | undefined> = []
        const { url } = yield* serve(() => busy, seen)
        const page = yield* Chromium.open(url, { beforeLoad: (page) => page.clock.install({ time: now }) })
        const setHidden = (hidden: boolean) =>
          page.evaluate((hidden) => {
            Object.defineProperty(document, "hidden", { value: hidden, configurable: true })
            document.dispatchEvent(new Event("visibilitychange"))
          }, hidden)
        yield* Effect.promise(async () => {
          await page.locator("#totals").getByText("4,004").waitFor()
          await setHidden(true)
          const before = seen.length
          await page.clock.runFor(60_000)
          expect(seen.length).toBe(before)
          const refreshed = page.waitForResponse(`${url}status.json`)
          await setHidden(false)
          await refreshed
        })
      }))

    it.scoped("filters, sorts and unfolds 100 clients of 20 processes with the keyboard", () =>
      Effect.gen(function*() {
        const { url } = yield* serve(() => largeStatus)
        const page = yield* Chromium.open(url)
        yield* Effect.promise(async () => {
          const names = () => page.locator("#clients tbody td:first-child").allInnerTexts()
          await page.locator("#clients tbody tr").first().waitFor()
          // Failures first
          expect((await names()).slice(0, 2)).toEqual(["client-99", "client-98"])
          expect((await names()).length).toBe(20)
          await page.getByLabel("Sort clients").focus()
          await page.keyboard.type("By client")
          expect((await names()).slice(0, 2)).toEqual(["client-0", "client-1"])
          await page.getByRole("button", { name: "Show all 100" }).focus()
          await page.keyboard.press("Enter")
          expect((await names()).length).toBe(100)
          await page.getByLabel("Filter clients").focus()
          await page.keyboard.type("client-7")
          expect((await names()).length).toBe(11)
          await page.keyboard.type("x")
          expect(await page.locator("#clients").getByText("No row matches the filter.").isVisible()).toBe(
            true
          )
          expect(await page.getByText("fleet of 20 processes").isVisible()).toBe(true)
          expect(await page.locator("#processes tbody tr").count()).toBe(20)
          // An outage of the upstream is one row
          expect(await page.locator("#failures tbody tr").allInnerTexts()).toEqual([
            expect.stringContaining("50 clients")
          ])
          expect(await Chromium.overflows(page)).toEqual([0, 0, 0])
        })
      }))

    it.scoped("reads a chart with the keyboard", () =>
      Effect.gen(function*() {
        const { url } = yield* serve(() => busy)
        const page = yield* Chromium.open(url)
        yield* Effect.promise(async () => {
          const slider = page.locator("#latency input")
          const values = () => slider.evaluate((slider) => slider.ariaValueText)
          await page.locator("#latency path.line").first().waitFor()
          await slider.focus()
          const last = await values()
          await slider.press("ArrowLeft")
          const before = await values()
          expect(last).toMatch(/^\d\d:\d\d:\d\d p50 .+, p95 .+, p99 /)
          expect(before).toMatch(/^\d\d:\d\d:\d\d p50 /)
          expect(before).not.toBe(last)
          expect(await page.locator("#latency .cursor").count()).toBe(1)
          await slider.blur()
          expect(await page.locator("#latency .cursor").count()).toBe(0)
        })
      }))

    it.scoped("takes the token of the link that is printed at startup, for this tab and not in the URL", () =>
      Effect.gen(function*() {
        const { url } = yield* serve(() => busy, [], () => "generated")
        const page = yield* Chromium.open(`${url}#token=generated`)
        yield* Effect.promise(async () => {
          await page.locator("#totals").getByText("4,004").waitFor()
          expect(page.url()).toBe(url)
          expect(await Chromium.browserStorage(page)).toBe(
            JSON.stringify([url, "", {}, { token: "generated" }, null])
          )
          await page.reload()
          await page.locator("#totals").getByText("4,004").waitFor()
        })
      }))

    it.scoped("shows only the form for a token until the proxy accepts one, also after it accepts it no more", () =>
      Effect.gen(function*() {
        const seen: Array<string | undefined> = []
        let accepted = "secret-token"
        const { url } = yield* serve(() => busy, seen, () => accepted)
        const page = yield* Chromium.open(url)
        yield* Effect.promise(async () => {
          const field = page.getByLabel("Admin token")
          await field.waitFor()
          expect(await page.locator("main").innerText()).toMatch(
            /^This page requires a token .+\s+Admin token\s+Show status$/
          )
          const inOrder = await page.locator("a, button, input, select").evaluateAll((all) =>
            all.filter((element) => element.checkVisibility()).map(({ id, textContent }) => id || textContent)
          )
          expect(inOrder).toEqual(["Skip to content", "token", "Show status"])
          // The form has the focus
          await page.keyboard.type("wrong")
          await page.keyboard.press("Enter")
          await page.getByRole("status").getByText("The proxy does not accept this token.").waitFor()
          expect(await Chromium.browserStorage(page)).not.toContain("wrong")
          await field.fill("secret-token")
          await page.keyboard.press("Enter")
          await page.locator("#totals").getByText("4,004").waitFor()
          expect(await field.isVisible()).toBe(false)
          expect(seen).toEqual([undefined, "wrong", "secret-token"])
          accepted = "another-token"
          await field.waitFor()
          expect(await page.locator("#totals").isVisible()).toBe(false)
          expect(await Chromium.browserStorage(page)).not.toContain("secret-token")
        })
      }))
  })
})
