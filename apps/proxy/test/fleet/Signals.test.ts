/** Less common signals, and startup failures. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { program } from "../support/program.ts"
import { eventually, eventuallySync } from "./support/Eventually.ts"
import * as FakeUpstream from "./support/FakeUpstream.ts"
import * as LoadBalancer from "./support/LoadBalancer.ts"
import * as ProxyConfig from "./support/ProxyConfig.ts"
import * as ProxyProcess from "./support/ProxyProcess.ts"
import * as RawConnection from "./support/RawConnection.ts"
import * as TempFolder from "./support/TempFolder.ts"

const priceOf = (digit: string) => `/api/v2.2/erc20/0x${digit.repeat(40)}/price`

/** A shutdown delay and timeout that exceed any test. */
const patient = Effect.gen(function*() {
  const upstream = yield* FakeUpstream.make
  const folder = yield* TempFolder.make
  yield* folder.write("key", "secret-of-the-service")
  const file = yield* folder.write(
    "proxy.yaml",
    ProxyConfig.configDocument({
      url: upstream.url,
      keys: [{ name: "main", file: "./key" }],
      shutdownDelay: "10m",
      shutdownTimeout: "10m"
    })
  )
  const proxy = yield* ProxyProcess.start(program, ["--config", file])
  return { upstream, proxy }
})

describe("Ctrl-C", () => {
  it.scopedLive("exits immediately, without the shutdown delay", () =>
    Effect.gen(function*() {
      const { proxy } = yield* patient
      const idle = yield* RawConnection.connect(proxy.port)
      idle.send(RawConnection.get(priceOf("1")))
      expect((yield* idle.nextResponse)?.status).toBe(200)
      const unused = yield* RawConnection.connect(proxy.port)
      yield* proxy.signal("SIGINT")
      expect(yield* proxy.exit).toEqual({ code: 0, signal: null })
      yield* Effect.all([idle.closed, unused.closed])
    }))

  it.scopedLive(
    "waits for requests in flight, and exits immediately if pressed again",
    () =>
      Effect.gen(function*() {
        const { proxy, upstream } = yield* patient
        upstream.respond = () => Effect.never
        const connection = yield* RawConnection.connect(proxy.port)
        connection.send(RawConnection.get(priceOf("1")))
        yield* eventuallySync("the upstream receives the request", () => upstream.received.length === 1)
        yield* proxy.signal("SIGINT")
        yield* eventually("the port is closed", RawConnection.isNotListening(proxy.port))
        expect([proxy.hasExited(), connection.isHalfClosed()]).toEqual([false, false])
        yield* proxy.signal("SIGINT")
        expect(yield* proxy.exit).toEqual({ code: 130, signal: null })
      })
  )
})

describe("SIGHUP", () => {
  it.scopedLive("is ignored without a configuration file", () =>
    Effect.gen(function*() {
      const { exit, port, waitForLog, signal } = yield* ProxyProcess.start(program, [
        "--sandbox",
        "--port",
        "0",
        "--admin",
        "off"
      ])
      yield* signal("SIGHUP")
      yield* waitForLog("configuration reloaded: no changes")
      expect(yield* LoadBalancer.isReady(port)).toBe(true)
      yield* signal("SIGTERM")
      yield* eventually(
        "the readiness probe fails",
        Effect.map(LoadBalancer.isReady(port), (ready) => !ready)
      )
      yield* signal("SIGHUP")
      // The default shutdown delay applies, and the process exits by itself
      expect(yield* exit).toEqual({ code: 0, signal: null })
    }))

  it.scopedLive("does not abort a shutdown in progress", () =>
    Effect.gen(function*() {
      const { proxy, upstream } = yield* patient
      upstream.respond = () => Effect.as(Effect.promise(() => released), null)
      const gate: { open: () => void } = { open: () => {} }
      const released = new Promise<void>((resolve) => {
        gate.open = resolve
      })
      const connection = yield* RawConnection.connect(proxy.port)
      connection.send(RawConnection.get(priceOf("1")))
      yield* eventuallySync("the upstream receives the request", () => upstream.received.length === 1)
      yield* proxy.signal("SIGINT")
      yield* eventually("the port is closed", RawConnection.isNotListening(proxy.port))
      yield* proxy.signal("SIGHUP")
      gate.open()
      expect((yield* connection.nextResponse)?.status).toBe(200)
      expect(yield* proxy.exit).toEqual({ code: 0, signal: null })
    }))
})

describe("a second process on the same port", () => {
  it.scopedLive("fails with a hint, and the first process keeps serving", () =>
    Effect.gen(function*() {
      const { proxy } = yield* patient
      const start = ProxyProcess.start(program, [
        "--sandbox",
        "--port",
        String(proxy.port),
        "--admin",
        "off"
      ])
      const { code, stderr, stdout } = yield* Effect.flip(start).pipe(
        Effect.filterOrDieMessage((failure) => failure._tag === "NotUp", "it came up")
      )
      expect([code, stdout]).toEqual([1, ""])
      expect(stderr).toMatch(
        /cannot listen on 127\.0\.0\.1:\d+: address already in use; choose another port .* --port/
      )
      expect(stderr.trim().split("\n")).toHaveLength(1)
      expect(yield* LoadBalancer.isReady(proxy.port)).toBe(true)
    }))
})
