/** Signals other than SIGTERM. */
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { get, openConnection } from "../hostile/rawHttp.ts"
import { eventually } from "./support/Eventually.ts"
import * as ProxyConfig from "./support/ProxyConfig.ts"
import * as ProxyProcess from "./support/ProxyProcess.ts"
import { stopped } from "./support/ProxyProcess.ts"

const price = `/api/v2.2/erc20/0x${"1".repeat(40)}/price`

/** A proxy with a shutdown delay and timeout that exceed any test, a connection that is idle, and a request in flight. */
const busyProxy = Effect.gen(function*() {
  const { proxyFile, upstream } = yield* ProxyConfig.folder({ shutdown: { delay: "10m", timeout: "10m" } })
  const gate = yield* Deferred.make<null>()
  upstream.respond = () => Deferred.await(gate)
  const proxy = yield* ProxyProcess.start(["--config", proxyFile])
  const idle = yield* openConnection(proxy.port)
  const connection = yield* openConnection(proxy.port)
  connection.socket.write(get(price))
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
