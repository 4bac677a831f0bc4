/** The configuration changes while the proxy is asked: whoever may ask before and after notices nothing. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Built from "./support/Built.ts"
import * as Folder from "./support/Folder.ts"
import * as Load from "./support/Load.ts"
import * as Program from "./support/Program.ts"
import * as Raw from "./support/Raw.ts"
import * as Settings from "./support/Settings.ts"
import { untilSync } from "./support/Until.ts"
import * as Upstream from "./support/Upstream.ts"

const program = Built.program()

const shop: Settings.Client = { name: "shop", token: "token-of-the-shop" }

/** A client that nobody can be. The log says so as soon as the configuration that names it is in force. */
const mark = (name: string): Settings.Client => ({ name })

const ask = (port: number, path: string, token: string) => Raw.ask(port, path, { "x-api-key": token })

const stand = (first: Partial<Settings.Settings>) =>
  Effect.gen(function*() {
    const upstream = yield* Upstream.make
    const folder = yield* Folder.make
    yield* folder.write("first", "first-key-of-the-service")
    yield* folder.write("second", "second-key-of-the-service")
    const text = (settings: Partial<Settings.Settings>) =>
      Settings.document({ url: upstream.url, keys: [{ name: "first", file: "./first" }], ...settings })
    const file = yield* folder.write("proxy.yaml", text(first))
    const proxy = yield* Program.start(program(), ["--config", file])
    const change = (how: "swap" | "write", text: string) =>
      Effect.gen(function*() {
        yield* folder[how]("proxy.yaml", text)
        const lines = proxy.log().length
        yield* proxy.signal("SIGHUP")
        return lines
      })
    /** Waits until a configuration is in force. */
    const take = (how: "swap" | "write", name: string, settings: Partial<Settings.Settings>) =>
      Effect.flatMap(
        change(how, text({ ...settings, clients: [...settings.clients ?? [], mark(name)] })),
        (lines) => proxy.says(`nobody can be ${name} without a token`, lines)
      )
    /** Waits until one is refused for a reason. */
    const refuse = (how: "swap" | "write", text: string, reason: string) =>
      Effect.map(
        Effect.flatMap(change(how, text), (lines) => proxy.says(reason, lines)),
        (said) => expect(said).toContain("the configuration was refused; the one before stays in force")
      )
    return { upstream, proxy, text, change, take, refuse, file }
  })

const refusals = (proxy: Program.Process) =>
  Effect.map(
    Effect.promise(() => fetch(`${proxy.operations}/metrics`).then((answer) => answer.text())),
    (text) => Number(/quarry_proxy_config_reloads_total\{[^}]*result="refused"[^}]*\} (\d+)/.exec(text)?.[1])
  )

describe("a configuration that changes under load", () => {
  it.scopedLive("is taken whole or refused, and no request fails", () =>
    Effect.gen(function*() {
      const { change, file, proxy, refuse, take, text, upstream } = yield* stand({ clients: [shop] })
      const { port } = proxy
      const token = { of: shop.token ?? "" }
      const load = yield* Load.start({
        port,
        headers: () => ({ "x-api-key": token.of }),
        clients: { pool: 6, pipelined: 4, pausing: 4 }
      })
      const more = Effect.suspend(() => {
        const before = load.made.length
        return untilSync("requests are made", () => load.made.length > before + 50)
      })
      const status = (token: string) => Effect.map(ask(port, Load.pathOf(1), token), ({ status }) => status)
      yield* more
      expect(yield* status("token-of-another")).toBe(401)

      // A client and a limit come, by a file that takes the place of the other
      const another: Settings.Client = { name: "another", token: "token-of-another", limit: "1000/s" }
      yield* take("swap", "mark-1", { clients: [shop, another] })
      expect(yield* status("token-of-another")).toBe(200)
      yield* more

      // What is broken is refused, and it is said where
      const sound = text({ clients: [shop, another] })
      const line = 1 + sound.split("\n").findIndex((line) => line.includes("1000/s"))
      const wrong = sound.replace("1000/s", "many")
      yield* refuse("write", wrong, `${file}:${line}:`)
      yield* refuse("swap", wrong.replace("another", "one more"), "clients[1].name")
      yield* refuse("swap", sound.slice(0, sound.length / 2), `${file}:`)
      yield* refuse("swap", "", "it is empty")
      yield* refuse("swap", "# nothing", "listen.port: this cannot change while the proxy runs")
      yield* refuse(
        "write",
        sound.replace("\"announce\": \"1s\"", "\"announce\": \"2s\""),
        "drain.announce: this cannot"
      )
      expect(yield* status("token-of-another")).toBe(200)
      // What is seen in the folder is refused once more, where that is slower than the signal
      expect(yield* refusals(proxy)).toBeGreaterThanOrEqual(5)
      yield* more

      // Another key, by writing over the file
      expect(upstream.asked.every(({ key }) => key === "first-key-of-the-service")).toBe(true)
      yield* take("write", "mark-2", {
        keys: [{ name: "second", file: "./second", limit: "5000/s" }],
        clients: [shop, another]
      })
      const taken = performance.now()
      yield* more
      yield* more
      const asked = upstream.asked.filter(({ at }) => at > taken)
      expect(asked.filter(({ key }) => key === "second-key-of-the-service").length).toBeGreaterThan(20)
      // Whoever had begun with the first one ended with it
      expect(asked.slice(20).filter(({ key }) => key !== "second-key-of-the-service")).toEqual([])

      // The load goes over to another client, and the first one's token goes
      token.of = "token-of-another"
      const since = performance.now()
      yield* untilSync("nobody asks as the first", () => load.made.filter(({ at }) => at > since).length > 50)
      yield* take("swap", "mark-3", { clients: [another] })
      expect(yield* status(shop.token ?? "")).toBe(401)
      expect(yield* status("token-of-another")).toBe(200)

      // Faster than they can be taken: the last one counts
      yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => index),
        (index) =>
          change(
            index % 2 === 0 ? "swap" : "write",
            index % 3 === 0 ? wrong : text({ clients: [another, mark(`fast-${index}`)] })
          )
      )
      yield* take("swap", "mark-4", { clients: [shop, another] })
      expect(yield* status(shop.token ?? "")).toBe(200)
      yield* more

      yield* load.stop
      yield* Effect.log(`reloads: ${Load.figures(load.made)}`)
      expect(Load.failed(load.made).slice(0, 5)).toEqual([])
      yield* proxy.signal("SIGTERM")
      expect(yield* proxy.ended).toEqual({ code: 0, signal: null })
    }), 120_000)

  it.scopedLive("forgets nothing of what a client has used", () =>
    Effect.gen(function*() {
      const used: Settings.Client = { name: "used", token: "token-of-used", perDay: 60, limit: "30/10m" }
      const { proxy, take } = yield* stand({ clients: [used] })
      const left = (address: number) =>
        Effect.map(ask(proxy.port, Load.pathOf(address), "token-of-used"), ({ headers, status }) => {
          const [, rate, day] = /"rate";r=(\d+);.*"day";r=(\d+)/.exec(headers["ratelimit"] ?? "") ?? []
          return [status, Number(rate), Number(day)]
        })
      // A price costs three units
      expect(yield* left(1)).toEqual([200, 27, 57])
      expect(yield* left(2)).toEqual([200, 24, 54])
      yield* take("swap", "mark-1", { clients: [shop, used] })
      expect(yield* left(3)).toEqual([200, 21, 51])
      // A day of less is a day that is used up sooner
      yield* take("write", "mark-2", { clients: [shop, { ...used, perDay: 12 }] })
      expect(yield* left(4)).toEqual([200, 18, 0])
      const over = yield* ask(proxy.port, Load.pathOf(5), "token-of-used")
      expect([over.status, over.body]).toEqual([429, expect.stringContaining("used up")])
      yield* take("swap", "mark-3", { clients: [shop, used] })
      const [status, , day] = yield* left(6)
      expect([status, day]).toEqual([200, 45])
    }), 60_000)
})
