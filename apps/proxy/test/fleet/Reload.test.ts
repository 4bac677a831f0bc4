/** The configuration changes under load: clients that stay authorized see no errors. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { sendRequest, start, testClient, testConfig } from "../support/proxy.ts"
import * as LoadGenerator from "./support/LoadGenerator.ts"
import * as ProxyConfig from "./support/ProxyConfig.ts"
import * as ProxyProcess from "./support/ProxyProcess.ts"

const shop = { name: "shop", token: "token-of-the-shop" }

const another = { name: "another", token: "token-of-another", rateLimit: "1000/s" }

it.scopedLive("a configuration that changes under load is applied completely or rejected, and no request fails", () =>
  Effect.gen(function*() {
    const { folder, proxyFile, text, upstream } = yield* ProxyConfig.folder({ clients: [shop] })
    yield* folder.write("second", ProxyConfig.secretOf("second"))
    const proxy = yield* ProxyProcess.start(["--config", proxyFile])
    const reload = (edit: Effect.Effect<unknown>) =>
      Effect.gen(function*() {
        yield* edit
        const lines = proxy.log().length
        yield* proxy.signal("SIGHUP")
        return lines
      })
    let mark = 0
    /** Waits until a configuration is active: the log names a client that it adds. */
    const apply = (how: "replace" | "write", options: ProxyConfig.ProxyConfigOptions) =>
      Effect.gen(function*() {
        const name = `mark-${++mark}`
        const marked = { ...options, clients: [...options.clients ?? [], { name }] }
        const lines = yield* reload(folder[how]("proxy.yaml", text(marked)))
        yield* proxy.waitForLog(`clients.${name} added`, lines)
      })
    /** Waits until a configuration is rejected for a reason. */
    const expectRejected = (how: "replace" | "write", text: string, reason: string) =>
      Effect.gen(function*() {
        const lines = yield* reload(folder[how]("proxy.yaml", text))
        expect(yield* proxy.waitForLog(reason, lines))
          .toContain("configuration rejected; the active configuration is unchanged")
      })
    let token = shop.token
    const load = yield* LoadGenerator.start({
      port: () => proxy.port,
      token: () => token,
      clients: { busy: 2, pipelined: 2, pausing: 2 }
    })
    const status = (token: string) =>
      Effect.map(
        sendRequest(proxy.port, LoadGenerator.pathOf(1), { headers: { "x-api-key": token } }),
        ({ status }) => status
      )
    yield* load.more(50)
    expect(yield* status(another.token)).toBe(401)

    // Adds a client and a limit, by replacing the file
    yield* apply("replace", { clients: [shop, another] })
    expect(yield* status(another.token)).toBe(200)

    // Rejects an invalid file, and reports the position
    const sound = text({ clients: [shop, another] })
    const line = 1 + sound.split("\n").findIndex((line) => line.includes("1000/s"))
    const wrong = sound.replace("1000/s", "many")
    yield* expectRejected("write", wrong, `${proxyFile}:${line}:`)
    expect(yield* status(another.token)).toBe(200)
    const metrics = yield* Effect.promise(() => fetch(`${proxy.adminOrigin}/metrics`).then((_) => _.text()))
    expect(metrics).toMatch(/quarry_proxy_config_reloads_total\{[^}]*result="failure"[^}]*\} [1-9]/)

    // Replaces the key, by overwriting the file
    expect(upstream.received.every(({ key }) => key === ProxyConfig.secretOf("main"))).toBe(true)
    yield* apply("write", { key: { name: "second", rateLimit: "5000/s" }, clients: [shop, another] })
    const before = upstream.received.length
    yield* load.more(100)
    const keys = upstream.received.slice(before).map(({ key }) => key)
    // Calls that started with the first key end with it
    expect(new Set(keys.slice(20))).toEqual(new Set([ProxyConfig.secretOf("second")]))

    // The load switches to another client, and the first client's token is removed
    token = another.token
    yield* load.more(50)
    yield* apply("replace", { clients: [another] })
    expect([yield* status(shop.token), yield* status(another.token)]).toEqual([401, 200])

    // Changes faster than reloads: the last one applies
    for (let index = 0; index < 20; index++) {
      const next = index % 3 === 0 ? wrong : text({ clients: [another, { name: `fast-${index}` }] })
      yield* reload(folder[index % 2 === 0 ? "replace" : "write"]("proxy.yaml", next))
    }
    yield* apply("replace", { clients: [shop, another] })
    expect(yield* status(shop.token)).toBe(200)
    yield* load.more(50)
    expect(yield* load.stop()).toEqual([])
  }))

it.scopedLive("a reload keeps the usage of each client", () =>
  Effect.gen(function*() {
    const used = (dailyQuota: number) =>
      testClient("used", "of-used", { dailyQuota, rateLimit: { limit: 30, window: 600_000 } })
    const { port, reload } = yield* start({
      clock: () => 1_800_000_000_000,
      config: { clients: [used(1000)] }
    })
    const apply = (dailyQuota: number) =>
      reload(testConfig({ config: { clients: [testClient("shop", "of-shop"), used(dailyQuota)] } }))
    const left = Effect.map(
      sendRequest(port, LoadGenerator.pathOf(1), { headers: { "x-api-key": "of-used" } }),
      ({ headers, status, text }) => {
        const [, rate, day] = /"rate";r=(\d+);.*"day";r=(\d+)/.exec(String(headers["ratelimit"])) ?? []
        return status === 429 ? JSON.parse(text).code : [status, Number(rate), Number(day)]
      }
    )
    // A price has the rate cost 3, and the price 50
    expect(yield* left).toEqual([404, 27, 950])
    yield* apply(1000)
    expect(yield* left).toEqual([404, 24, 900])
    // A lower daily quota is exhausted earlier
    yield* apply(150)
    expect(yield* left).toEqual([404, 21, 0])
    expect(yield* left).toBe("client-quota-exceeded")
    yield* apply(1000)
    expect(yield* left).toMatchObject({ 0: 404, 2: 800 })
  }))
