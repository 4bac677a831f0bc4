/** A fleet is restarted one by one under load: clients see no errors. */
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Http from "node:http"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import * as OtlpCollector from "../support/OtlpCollector.ts"
import { program } from "../support/program.ts"
import { eventually, eventuallySync } from "./support/Eventually.ts"
import * as FakeUpstream from "./support/FakeUpstream.ts"
import * as LoadBalancer from "./support/LoadBalancer.ts"
import * as LoadGenerator from "./support/LoadGenerator.ts"
import * as ProxyConfig from "./support/ProxyConfig.ts"
import * as ProxyProcess from "./support/ProxyProcess.ts"
import * as RawConnection from "./support/RawConnection.ts"
import * as TempFolder from "./support/TempFolder.ts"

const harness = (
  settings: Partial<ProxyConfig.ProxyConfigOptions> = {},
  env: Readonly<Record<string, string>> = {}
) =>
  Effect.gen(function*() {
    const upstream = yield* FakeUpstream.make
    const folder = yield* TempFolder.make
    yield* folder.write("key", "secret-of-the-service")
    const keys = [{ name: "main", file: "./key" }]
    const file = yield* folder.write(
      "proxy.yaml",
      ProxyConfig.configDocument({ url: upstream.url, keys, ...settings })
    )
    const start = ProxyProcess.start(program, ["--config", file], env)
    return { upstream, start }
  })

const rounds = isFull ? 3 : 1

const stopped = { code: 0, signal: null }

/** Requests a whole list, and collects the lines until it ends or fails. */
const list = (port: number, address: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const state = { text: "", isWhole: false, isOver: false }
      const path = `/all/api/v2.2/erc20/${address}/transfers?limit=3`
      const request = Http.get({ host: "127.0.0.1", port, path, agent: new Http.Agent({ keepAlive: true }) })
      request.on("response", (response) => {
        response.on("data", (text: Buffer) => state.text += text.toString())
        response.on("error", () => {})
        response.on("close", () => {
          state.isWhole = response.complete
          state.isOver = true
        })
      })
      request.on("error", () => {
        state.isOver = true
      })
      return { state, request }
    }),
    ({ request }) => Effect.sync(() => request.destroy())
  )

const addressOf = (digit: string) => `0x${digit.repeat(40)}`

const priceOf = (digit: string) => `/api/v2.2/erc20/${addressOf(digit)}/price?chain=0x1`

describe("a rolling restart", () => {
  it.scopedLive("fails no request", () =>
    Effect.gen(function*() {
      const { start } = yield* harness({ shutdownDelay: "1500ms", shutdownTimeout: "5s" })
      const balancer = yield* LoadBalancer.make
      const instance = Effect.gen(function*() {
        const process = yield* start
        yield* balancer.add(process.port)
        yield* eventuallySync("the proxy is ready", () => balancer.isReady(process.port))
        return process
      })
      const fleet = yield* Effect.all([instance, instance], { concurrency: 2 })
      const load = yield* LoadGenerator.start({
        port: balancer.port,
        clients: { pool: 8, pipelined: 4, pausing: 8, idle: 12 }
      })
      const more = Effect.suspend(() => {
        const before = load.requests.length
        return eventuallySync("the load sends requests", () => load.requests.length > before + 200)
      })
      const renew = (old: ProxyProcess.ProxyProcess) =>
        Effect.gen(function*() {
          const next = yield* instance
          yield* old.signal("SIGTERM")
          expect(yield* old.exit).toEqual(stopped)
          yield* balancer.remove(old.port)
          expect(old.stderr().trim().split("\n").map((line) => JSON.parse(line).message)).toEqual([
            expect.stringMatching(/^listening/),
            expect.stringMatching(/^shutting down/),
            "stopped"
          ])
          return next
        })
      yield* more
      const renewed = yield* Effect.iterate({ round: 0, fleet }, {
        while: ({ round }) => round < rounds,
        body: ({ fleet: [one, other], round }) =>
          Effect.map(
            Effect.all([renew(one), renew(other)]),
            (fleet) => ({ round: round + 1, fleet })
          )
      })
      yield* more
      yield* load.stop
      yield* Effect.log(
        `${rounds} rounds: ${LoadGenerator.summarize(load.requests)}; ${
          load.requests.filter(({ closesConnection }) => closesConnection).length
        } were notified ` +
          `to come back elsewhere; ${load.resent()} of ${
            load.requests.filter(({ kind }) => kind === "idle").length
          } after long pauses sent again`
      )
      expect(LoadGenerator.unexpectedFailures(load.requests).slice(0, 5)).toEqual([])
      expect(balancer.rejected()).toBe(0)
      expect(load.requests.some(({ closesConnection }) => closesConnection)).toBe(true)
      for (const { exit, signal } of renewed.fleet) {
        yield* signal("SIGTERM")
        expect(yield* exit).toEqual(stopped)
      }
    }))
})

describe("SIGTERM", () => {
  it.scopedLive(
    "is announced on every open connection, after all responses to pending requests",
    () =>
      Effect.gen(function*() {
        const { start, upstream } = yield* harness({ shutdownDelay: "2s" })
        const gate = yield* Deferred.make<null>()
        upstream.respond = ({ target }) =>
          ["a", "b", "c"].some((digit) => target.includes(addressOf(digit)))
            ? Deferred.await(gate)
            : Effect.succeed(null)
        const { exit, port, signal } = yield* start
        const idle = yield* RawConnection.connect(port)
        const queued = yield* RawConnection.connect(port)
        const unused = yield* RawConnection.connect(port)
        const request = (connection: RawConnection.RawConnection, path: string) => {
          connection.send(RawConnection.get(path))
          return Effect.map(
            connection.nextResponse,
            (response) => [response?.status, response?.headers["connection"]]
          )
        }
        expect(yield* request(idle, priceOf("1"))).toEqual([200, "keep-alive"])
        queued.send(["a", "b", "c"].map((digit) => RawConnection.get(priceOf(digit))).join(""))
        yield* eventuallySync("the upstream receives all requests", () => upstream.received.length === 4)

        yield* signal("SIGTERM")
        yield* eventually(
          "the readiness probe fails",
          Effect.map(LoadBalancer.isReady(port), (ready) => !ready)
        )
        expect(yield* request(idle, priceOf("3"))).toEqual([200, "close"])
        yield* idle.closed
        expect(yield* request(unused, "/livez")).toEqual([200, "close"])
        expect(yield* request(yield* RawConnection.connect(port), "/readyz")).toEqual([503, "close"])
        yield* Deferred.succeed(gate, null)
        const [first, second, third] = yield* Effect.all([
          queued.nextResponse,
          queued.nextResponse,
          queued.nextResponse
        ])
        expect([first, second, third].map((response) => response?.status)).toEqual([200, 200, 200])
        expect([first, second, third].map((response) => response?.headers["connection"]))
          .toEqual(["keep-alive", "keep-alive", "close"])
        expect(first?.body).toContain(addressOf("a"))
        expect(third?.body).toContain(addressOf("c"))
        yield* queued.closed
        expect(yield* exit).toEqual(stopped)
      })
  )

  it.scopedLive(
    "lets requests in flight complete within the shutdown timeout, and aborts the rest",
    () =>
      Effect.gen(function*() {
        const { start, upstream } = yield* harness({ shutdownDelay: "0s", shutdownTimeout: "3s" })
        const gate = yield* Deferred.make<null>()
        const large = 8 * 1024 * 1024
        upstream.respond = ({ target }) => {
          if (target.includes(addressOf("b"))) {
            return Effect.succeed({
              status: 200,
              body: FakeUpstream.price(target, { tokenLogo: "x".repeat(large) })
            })
          }
          if (!target.includes("cursor=1")) return Effect.succeed(null)
          return target.includes(addressOf("e")) ? Effect.never : Deferred.await(gate)
        }
        const { exit, port, signal } = yield* start
        const { state: short } = yield* list(port, addressOf("c"))
        const { state: endless } = yield* list(port, addressOf("e"))
        yield* eventuallySync(
          "both requests are in flight",
          () => [short, endless].every(({ text }) => text.split("\n").length === 4)
        )
        const slow = yield* RawConnection.connect(port)
        const begun = yield* Effect.fork(slow.nextResponse)
        slow.send(RawConnection.get(priceOf("b")))
        yield* Effect.async<void>((resume) => {
          slow.socket.once("data", () => {
            slow.socket.pause()
            resume(Effect.void)
          })
        })

        yield* signal("SIGTERM")
        yield* eventually("the port is closed", RawConnection.isNotListening(port))
        expect([short.isOver, endless.isOver]).toEqual([false, false])
        yield* Deferred.succeed(gate, null)
        yield* eventuallySync("the short list has ended", () => short.isOver)
        expect(short.isWhole).toBe(true)
        expect(JSON.parse(short.text.trimEnd().split("\n").at(-1) ?? "")).toEqual({ end: { records: 9 } })
        slow.socket.resume()
        expect((yield* Fiber.join(begun))?.body.length).toBeGreaterThan(large)

        expect(yield* exit).toEqual(stopped)
        yield* eventuallySync("the endless list has ended", () => endless.isOver)
        expect(endless.isWhole).toBe(false)
        expect(endless.text.trimEnd().split("\n").map((line) => Object.keys(JSON.parse(line)))).toEqual(
          Array.from({ length: 3 }, () => ["transaction_hash", "block_number", "token_name"])
        )
      })
  )

  it.scopedLive(
    "exports the span of the last request before exit",
    () =>
      Effect.gen(function*() {
        const collector = yield* OtlpCollector.make
        const { start } = yield* harness({ shutdownDelay: "2s" }, {
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url
        })
        const { exit, port, signal } = yield* start
        yield* signal("SIGTERM")
        yield* eventually(
          "the readiness probe fails",
          Effect.map(LoadBalancer.isReady(port), (ready) => !ready)
        )
        const trace = "0af7651916cd43dd8448eb211c80319c"
        const { status } = yield* RawConnection.request(port, priceOf("1"), {
          traceparent: `00-${trace}-b7ad6b7169203331-01`
        })
        expect(status).toBe(200)
        expect(yield* exit).toEqual(stopped)
        expect(collector.received.map(({ body }) => body).join()).toContain(trace)
      })
  )
})
