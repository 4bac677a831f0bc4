/** The configuration changes under load: clients that stay authorized see no errors. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { program } from "../support/program.ts"
import { eventuallySync } from "./support/Eventually.ts"
import * as FakeUpstream from "./support/FakeUpstream.ts"
import * as LoadGenerator from "./support/LoadGenerator.ts"
import * as ProxyConfig from "./support/ProxyConfig.ts"
import * as ProxyProcess from "./support/ProxyProcess.ts"
import * as RawConnection from "./support/RawConnection.ts"
import * as TempFolder from "./support/TempFolder.ts"

const shop: ProxyConfig.ClientOptions = { name: "shop", token: "token-of-the-shop" }

/** A client without tokens. The log warns about it when the configuration that names it becomes active. */
const mark = (name: string): ProxyConfig.ClientOptions => ({ name })

const request = (port: number, path: string, token: string) =>
  RawConnection.request(port, path, { "x-api-key": token })

const harness = (first: Partial<ProxyConfig.ProxyConfigOptions>) =>
  Effect.gen(function*() {
    const upstream = yield* FakeUpstream.make
    const folder = yield* TempFolder.make
    yield* folder.write("first", "first-key-of-the-service")
    yield* folder.write("second", "second-key-of-the-service")
    const text = (settings: Partial<ProxyConfig.ProxyConfigOptions>) =>
      ProxyConfig.configDocument({
        url: upstream.url,
        keys: [{ name: "first", file: "./first" }],
        ...settings
      })
    const file = yield* folder.write("proxy.yaml", text(first))
    const proxy = yield* ProxyProcess.start(program, ["--config", file])
    const change = (how: "replace" | "write", text: string) =>
      Effect.gen(function*() {
        yield* folder[how]("proxy.yaml", text)
        const lines = proxy.log().length
        yield* proxy.signal("SIGHUP")
        return lines
      })
    /** Waits until a configuration is active. */
    const applyConfig = (
      how: "replace" | "write",
      name: string,
      settings: Partial<ProxyConfig.ProxyConfigOptions>
    ) =>
      Effect.flatMap(
        change(how, text({ ...settings, clients: [...settings.clients ?? [], mark(name)] })),
        (lines) => proxy.waitForLog(`client ${name} has no token`, lines)
      )
    /** Waits until a configuration is rejected for a reason. */
    const expectRejected = (how: "replace" | "write", text: string, reason: string) =>
      Effect.map(
        Effect.flatMap(change(how, text), (lines) => proxy.waitForLog(reason, lines)),
        (text) => expect(text).toContain("configuration rejected; the active configuration is unchanged")
      )
    return { upstream, proxy, text, change, applyConfig, expectRejected, file }
  })

const refusals = (proxy: ProxyProcess.ProxyProcess) =>
  Effect.map(
    Effect.promise(() => fetch(`${proxy.adminOrigin}/metrics`).then((response) => response.text())),
    (text) => Number(/quarry_proxy_config_reloads_total\{[^}]*result="failure"[^}]*\} (\d+)/.exec(text)?.[1])
  )

describe("a configuration that changes under load", () => {
  it.scopedLive("is applied completely or rejected, and no request fails", () =>
    Effect.gen(function*() {
      const {
        change,
        file,
        proxy,
        expectRejected,
        applyConfig,
        text,
        upstream
      } = yield* harness({ clients: [shop] })
      const { port } = proxy
      const token = { of: shop.token ?? "" }
      const load = yield* LoadGenerator.start({
        port,
        headers: () => ({ "x-api-key": token.of }),
        clients: { pool: 6, pipelined: 4, pausing: 4 }
      })
      const more = Effect.suspend(() => {
        const before = load.requests.length
        return eventuallySync("the load sends requests", () => load.requests.length > before + 50)
      })
      const status = (token: string) =>
        Effect.map(request(port, LoadGenerator.pathOf(1), token), ({ status }) => status)
      yield* more
      expect(yield* status("token-of-another")).toBe(401)

      // Adds a client and a limit, by replacing the file
      const another: ProxyConfig.ClientOptions = {
        name: "another",
        token: "token-of-another",
        rateLimit: "1000/s"
      }
      yield* applyConfig("replace", "mark-1", { clients: [shop, another] })
      expect(yield* status("token-of-another")).toBe(200)
      yield* more

      // Rejects an invalid file, and reports the position
      const sound = text({ clients: [shop, another] })
      const line = 1 + sound.split("\n").findIndex((line) => line.includes("1000/s"))
      const wrong = sound.replace("1000/s", "many")
      yield* expectRejected("write", wrong, `${file}:${line}:`)
      yield* expectRejected("replace", wrong.replace("another", "one more"), "clients[1].name")
      yield* expectRejected("replace", sound.slice(0, sound.length / 2), `${file}:`)
      yield* expectRejected("replace", "", "the file is empty")
      yield* expectRejected("replace", "# nothing", "listen.port 0 → 8650: requires a restart")
      yield* expectRejected(
        "write",
        sound.replace("\"delay\": \"1s\"", "\"delay\": \"2s\""),
        "shutdown.delay 1s → 2s: requires a restart"
      )
      expect(yield* status("token-of-another")).toBe(200)
      // The directory watcher may be slower than the signal, and then rejects the file again
      expect(yield* refusals(proxy)).toBeGreaterThanOrEqual(5)
      yield* more

      // Replaces the key, by overwriting the file
      expect(upstream.received.every(({ key }) => key === "first-key-of-the-service")).toBe(true)
      yield* applyConfig("write", "mark-2", {
        keys: [{ name: "second", file: "./second", rateLimit: "5000/s" }],
        clients: [shop, another]
      })
      const appliedAt = performance.now()
      yield* more
      yield* more
      const requests = upstream.received.filter(({ receivedAt }) => receivedAt > appliedAt)
      expect(requests.filter(({ key }) => key === "second-key-of-the-service").length).toBeGreaterThan(20)
      // Calls that started with the first key end with it
      expect(requests.slice(20).filter(({ key }) => key !== "second-key-of-the-service")).toEqual([])

      // The load switches to another client, and the first client's token is removed
      token.of = "token-of-another"
      const since = performance.now()
      yield* eventuallySync(
        "the load uses the second client",
        () => load.requests.filter(({ startedAt }) => startedAt > since).length > 50
      )
      yield* applyConfig("replace", "mark-3", { clients: [another] })
      expect(yield* status(shop.token ?? "")).toBe(401)
      expect(yield* status("token-of-another")).toBe(200)

      // Changes faster than reloads: the last one applies
      yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => index),
        (index) =>
          change(
            index % 2 === 0 ? "replace" : "write",
            index % 3 === 0 ? wrong : text({ clients: [another, mark(`fast-${index}`)] })
          )
      )
      yield* applyConfig("replace", "mark-4", { clients: [shop, another] })
      expect(yield* status(shop.token ?? "")).toBe(200)
      yield* more

      yield* load.stop
      yield* Effect.log(`reloads: ${LoadGenerator.summarize(load.requests)}`)
      expect(LoadGenerator.unexpectedFailures(load.requests).slice(0, 5)).toEqual([])
      yield* proxy.signal("SIGTERM")
      expect(yield* proxy.exit).toEqual({ code: 0, signal: null })
    }))

  it.scopedLive("keeps the usage of each client", () =>
    Effect.gen(function*() {
      const used: ProxyConfig.ClientOptions = {
        name: "used",
        token: "token-of-used",
        dailyQuota: 60,
        rateLimit: "30/10m"
      }
      const { proxy, applyConfig } = yield* harness({ clients: [used] })
      const left = (address: number) =>
        Effect.map(
          request(proxy.port, LoadGenerator.pathOf(address), "token-of-used"),
          ({ headers, status }) => {
            const [, rate, day] = /"rate";r=(\d+);.*"day";r=(\d+)/.exec(headers["ratelimit"] ?? "") ?? []
            return [status, Number(rate), Number(day)]
          }
        )
      // A price costs 3 units
      expect(yield* left(1)).toEqual([200, 27, 57])
      expect(yield* left(2)).toEqual([200, 24, 54])
      yield* applyConfig("replace", "mark-1", { clients: [shop, used] })
      expect(yield* left(3)).toEqual([200, 21, 51])
      // A lower daily quota is exhausted earlier
      yield* applyConfig("write", "mark-2", { clients: [shop, { ...used, dailyQuota: 12 }] })
      expect(yield* left(4)).toEqual([200, 18, 0])
      const over = yield* request(proxy.port, LoadGenerator.pathOf(5), "token-of-used")
      expect([over.status, over.body]).toEqual([429, expect.stringContaining("daily quota exceeded")])
      yield* applyConfig("replace", "mark-3", { clients: [shop, used] })
      const [status, , day] = yield* left(6)
      expect([status, day]).toEqual([200, 45])
    }))
})
