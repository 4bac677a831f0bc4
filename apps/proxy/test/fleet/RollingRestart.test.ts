/** A fleet is restarted one by one under load: clients see no errors. What each signal does to a process. */
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import { get, openConnection, parseResponses } from "../hostile/rawHttp.ts"
import { eventually } from "./support/Eventually.ts"
import * as FakeUpstream from "./support/FakeUpstream.ts"
import * as LoadGenerator from "./support/LoadGenerator.ts"
import * as ProxyConfig from "./support/ProxyConfig.ts"
import * as ProxyProcess from "./support/ProxyProcess.ts"
import { stopped } from "./support/ProxyProcess.ts"

const restarts = isFull ? 6 : 1

/** Requests a whole list. */
const list = (port: number, address: string) =>
  Effect.tap(
    openConnection(port),
    ({ socket }) => socket.write(get(`/all/api/v2.2/erc20/${address}/transfers?limit=3`))
  )

const recordsIn = (stream: string): number => stream.split("transaction_hash").length - 1

const addressOf = (digit: string) => `0x${digit.repeat(40)}`

const priceOf = (digit: string) => `/api/v2.2/erc20/${addressOf(digit)}/price?chain=0x1`

describe.concurrent("a rolling restart", () => {
  it.scopedLive("fails no request", () =>
    Effect.gen(function*() {
      const { proxyFile } = yield* ProxyConfig.folder({ shutdown: { delay: "3s" } })
      const start = ProxyProcess.start(["--config", proxyFile])
      // New connections go to the proxies that are ready, in turn, as through a Service of Kubernetes
      let fleet = yield* Effect.all([start, start], { concurrency: 2 })
      let ready = fleet
      let connections = 0
      const load = yield* LoadGenerator.start({
        port: () => ready[connections++ % ready.length]?.port ?? 0,
        clients: { busy: 2, pipelined: 2, pausing: 3, idle: 3 }
      })
      yield* load.more(100)
      for (let restart = 0; restart < restarts; restart++) {
        const [old, ...others] = fleet
        if (old === undefined) break
        fleet = [...others, yield* start]
        yield* old.signal("SIGTERM")
        yield* ProxyProcess.notReady(old.port)
        ready = fleet
        expect(yield* old.exit).toEqual(stopped)
        expect(old.log()).toEqual([
          expect.stringMatching(/^listening/),
          expect.stringMatching(/^shutting down/),
          "stopped"
        ])
      }
      yield* load.more(100)
      expect(yield* load.stop()).toEqual([])
      expect(load.requests.some(({ closesConnection }) => closesConnection)).toBe(true)
    }))
})

describe.concurrent("SIGTERM", () => {
  it.scopedLive("lets requests in flight complete within the shutdown timeout, and aborts the rest", () =>
    Effect.gen(function*() {
      const { proxyFile, upstream } = yield* ProxyConfig.folder({ shutdown: { delay: "0s", timeout: "3s" } })
      const gate = yield* Deferred.make<null>()
      const large = 8 * 1024 * 1024
      upstream.respond = ({ target }) =>
        target.includes(addressOf("b"))
          ? Effect.succeed({
            status: 200,
            body: FakeUpstream.price(target, { tokenLogo: "x".repeat(large) })
          })
          : !target.includes("cursor=1")
          ? Effect.succeed(null)
          : target.includes(addressOf("e"))
          ? Effect.never
          : Deferred.await(gate)
      const { exit, port, signal } = yield* ProxyProcess.start(["--config", proxyFile])
      const short = yield* list(port, addressOf("c"))
      const endless = yield* list(port, addressOf("e"))
      for (const { until } of [short, endless]) yield* until((read) => recordsIn(read) === 3)
      const slow = yield* openConnection(port)
      slow.socket.write(get(priceOf("b")))
      yield* slow.until((read) => read !== "")
      slow.socket.pause()

      yield* signal("SIGTERM")
      yield* ProxyProcess.notListening(port)
      expect([short.socket.readableEnded, endless.socket.readableEnded]).toEqual([false, false])
      yield* Deferred.succeed(gate, null)
      expect((yield* short.responses(1))[0]?.body).toMatch(/\n\{"end":\{"records":9\}\}\n$/)
      slow.socket.resume()
      yield* slow.until((read) => read.length > large)

      expect(yield* exit).toEqual(stopped)
      const aborted = yield* endless.closed
      expect([parseResponses(aborted).responses, recordsIn(aborted)]).toEqual([[], 3])
      expect(aborted).not.toMatch(/"end"|"failure"/)
    }))
})

/** A proxy with a shutdown delay and timeout that exceed any test, a connection that is idle, and a request in flight. */
const busyProxy = Effect.gen(function*() {
  const { proxyFile, upstream } = yield* ProxyConfig.folder({ shutdown: { delay: "10m", timeout: "10m" } })
  const gate = yield* Deferred.make<null>()
  upstream.respond = () => Deferred.await(gate)
  const proxy = yield* ProxyProcess.start(["--config", proxyFile])
  const idle = yield* openConnection(proxy.port)
  const connection = yield* openConnection(proxy.port)
  connection.socket.write(get(priceOf("1")))
  yield* eventually("the upstream receives the request", () => upstream.received.length === 1)
  return { proxy, idle, connection, release: Deferred.succeed(gate, null) }
})

describe.concurrent("Ctrl-C", () => {
  it.scopedLive("skips the shutdown delay, and waits for requests in flight, also after a SIGHUP", () =>
    Effect.gen(function*() {
      const { connection, idle, proxy, release } = yield* busyProxy
      yield* proxy.signal("SIGINT")
      yield* ProxyProcess.notListening(proxy.port)
      yield* idle.closed
      expect([proxy.hasExited(), connection.socket.readableEnded]).toEqual([false, false])
      yield* proxy.signal("SIGHUP")
      yield* release
      expect((yield* connection.responses(1))[0]?.status).toBe(200)
      expect(yield* proxy.exit).toEqual(stopped)
    }))

  it.scopedLive("exits immediately if pressed again", () =>
    Effect.gen(function*() {
      const { proxy } = yield* busyProxy
      yield* proxy.signal("SIGINT")
      yield* ProxyProcess.notListening(proxy.port)
      yield* proxy.signal("SIGINT")
      expect(yield* proxy.exit).toEqual({ code: 130, signal: null })
    }))
})
