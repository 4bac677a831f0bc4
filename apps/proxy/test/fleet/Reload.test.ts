/** The configuration changes under load: clients that stay authorized see no errors. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { sendRequest } from "../support/proxy.ts"
import * as LoadGenerator from "./support/LoadGenerator.ts"
import * as ProxyConfig from "./support/ProxyConfig.ts"
import * as ProxyProcess from "./support/ProxyProcess.ts"

const shop = { name: "shop", token: "token-of-the-shop" }

const another = { name: "another", token: "token-of-another", rateLimit: "1000/s" }

const harness = (first: ProxyConfig.ProxyConfigOptions) =>
  Effect.gen(function*() {
    const { folder, proxyFile, text, upstream } = yield* ProxyConfig.folder(first)
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
    /** Waits until a configuration is active: the log warns about a client without tokens. */
    const apply = (how: "replace" | "write", options: ProxyConfig.ProxyConfigOptions) =>
      Effect.gen(function*() {
        const name = `mark-${++mark}`
        const marked = { ...options, clients: [...options.clients ?? [], { name }] }
        const lines = yield* reload(folder[how]("proxy.yaml", text(marked)))
        yield* proxy.waitForLog(`client ${name} has no token`, lines)
      })
    /** Waits until a configuration is rejected for a reason. */
    const expectRejected = (how: "replace" | "write", text: string, reason: string) =>
      Effect.gen(function*() {
        const lines = yield* reload(folder[how]("proxy.yaml", text))
        expect(yield* proxy.waitForLog(reason, lines))
          .toContain("configuration rejected; the active configuration is unchanged")
      })
    const request = (address: number, token: string) =>
      sendRequest(proxy.port, LoadGenerator.pathOf(address), { headers: { "x-api-key": token } })
    return { upstream, proxy, text, folder, reload, apply, expectRejected, request, proxyFile }
  })

describe.concurrent("a configuration that changes under load", () => {
  it.scopedLive("is applied completely or rejected, and no request fails", () =>
    Effect.gen(function*() {
      const { apply, expectRejected, folder, proxy, proxyFile, reload, request, text, upstream } =
        yield* harness({ clients: [shop] })
      let token = shop.token
      const load = yield* LoadGenerator.start({
        port: () => proxy.port,
        token: () => token,
        clients: { busy: 4, pipelined: 4, pausing: 4 }
      })
      const status = (token: string) => Effect.map(request(1, token), ({ status }) => status)
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
      yield* expectRejected("replace", sound.slice(0, sound.length / 2), `${proxyFile}:`)
      yield* expectRejected("replace", "# nothing", "listen.port 0 → 8650: requires a restart")
      expect(yield* status(another.token)).toBe(200)
      const metrics = yield* Effect.promise(() => fetch(`${proxy.adminOrigin}/metrics`).then((_) => _.text()))
      expect(metrics).toMatch(/quarry_proxy_config_reloads_total\{[^}]*result="failure"[^}]*\} [3-9]/)

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

  it.scopedLive("keeps the usage of each client", () =>
    Effect.gen(function*() {
      const used = { name: "used", token: "token-of-used", dailyQuota: 1000, rateLimit: "30/10m" }
      const { apply, request } = yield* harness({ clients: [used] })
      const left = (address: number) =>
        Effect.map(request(address, used.token), ({ headers, status }) => {
          const [, rate, day] = /"rate";r=(\d+);.*"day";r=(\d+)/.exec(String(headers["ratelimit"])) ?? []
          return [status, Number(rate), Number(day)]
        })
      // A price has the rate cost 3, and the price 50
      expect(yield* left(1)).toEqual([200, 27, 950])
      yield* apply("replace", { clients: [shop, used] })
      expect(yield* left(2)).toEqual([200, 24, 900])
      // A lower daily quota is exhausted earlier
      yield* apply("write", { clients: [shop, { ...used, dailyQuota: 150 }] })
      expect(yield* left(3)).toEqual([200, 21, 0])
      expect(yield* request(4, used.token)).toMatchObject({
        status: 429,
        text: expect.stringContaining("daily quota exceeded")
      })
      yield* apply("replace", { clients: [shop, used] })
      const [status, , day] = yield* left(5)
      expect([status, day]).toEqual([200, 800])
    }))
})
