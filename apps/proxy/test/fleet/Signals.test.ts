/** Signals and starts that are no everyday matter. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Balancer from "./support/Balancer.ts"
import * as Built from "./support/Built.ts"
import * as Folder from "./support/Folder.ts"
import * as Program from "./support/Program.ts"
import * as Raw from "./support/Raw.ts"
import * as Settings from "./support/Settings.ts"
import { until, untilSync } from "./support/Until.ts"
import * as Upstream from "./support/Upstream.ts"

const program = Built.program()

const priceOf = (digit: string) => `/api/v2.2/erc20/0x${digit.repeat(40)}/price`

/** One that announces and waits for longer than any test. */
const patient = Effect.gen(function*() {
  const upstream = yield* Upstream.make
  const folder = yield* Folder.make
  yield* folder.write("key", "secret-of-the-service")
  const file = yield* folder.write(
    "proxy.yaml",
    Settings.document({
      url: upstream.url,
      keys: [{ name: "main", file: "./key" }],
      announce: "10m",
      grace: "10m"
    })
  )
  const proxy = yield* Program.start(program(), ["--config", file])
  return { upstream, proxy }
})

describe("Ctrl-C", () => {
  it.scopedLive("stops at once, without an announcement", () =>
    Effect.gen(function*() {
      const { proxy } = yield* patient
      const idle = yield* Raw.connect(proxy.port)
      idle.send(Raw.get(priceOf("1")))
      expect((yield* idle.next)?.status).toBe(200)
      const unused = yield* Raw.connect(proxy.port)
      yield* proxy.signal("SIGINT")
      expect(yield* proxy.ended).toEqual({ code: 0, signal: null })
      yield* Effect.all([idle.closed, unused.closed])
    }), 30_000)

  it.scopedLive(
    "waits for what was taken, and no longer where it is pressed again",
    () =>
      Effect.gen(function*() {
        const { proxy, upstream } = yield* patient
        upstream.answer = () => Effect.never
        const asking = yield* Raw.connect(proxy.port)
        asking.send(Raw.get(priceOf("1")))
        yield* untilSync("the service is asked", () => upstream.asked.length === 1)
        yield* proxy.signal("SIGINT")
        yield* until("nobody listens", Raw.isDeaf(proxy.port))
        expect([proxy.hasEnded(), asking.isOver()]).toEqual([false, false])
        yield* proxy.signal("SIGINT")
        expect(yield* proxy.ended).toEqual({ code: 130, signal: null })
      }),
    30_000
  )
})

describe("SIGHUP", () => {
  it.scopedLive("is harmless where there is no file", () =>
    Effect.gen(function*() {
      const { ended, port, says, signal } = yield* Program.start(program(), [
        "--sandbox",
        "--port",
        "0",
        "--operations",
        "off"
      ])
      yield* signal("SIGHUP")
      yield* says("is in force")
      expect(yield* Balancer.isReady(port)).toBe(true)
      yield* signal("SIGTERM")
      yield* until("it says so", Effect.map(Balancer.isReady(port), (ready) => !ready))
      yield* signal("SIGHUP")
      // It announces for as long as it does where nothing is said, and ends in its own time
      expect(yield* ended).toEqual({ code: 0, signal: null })
    }), 30_000)

  it.scopedLive("does not end one that finishes what it took", () =>
    Effect.gen(function*() {
      const { proxy, upstream } = yield* patient
      upstream.answer = () => Effect.as(Effect.promise(() => released), null)
      const gate: { open: () => void } = { open: () => {} }
      const released = new Promise<void>((resolve) => {
        gate.open = resolve
      })
      const asking = yield* Raw.connect(proxy.port)
      asking.send(Raw.get(priceOf("1")))
      yield* untilSync("the service is asked", () => upstream.asked.length === 1)
      yield* proxy.signal("SIGINT")
      yield* until("nobody listens", Raw.isDeaf(proxy.port))
      yield* proxy.signal("SIGHUP")
      gate.open()
      expect((yield* asking.next)?.status).toBe(200)
      expect(yield* proxy.ended).toEqual({ code: 0, signal: null })
    }), 30_000)
})

describe("a second one on the same port", () => {
  it.scopedLive("says what to do, and the first one goes on", () =>
    Effect.gen(function*() {
      const { proxy } = yield* patient
      const start = Program.start(program(), [
        "--sandbox",
        "--port",
        String(proxy.port),
        "--operations",
        "off"
      ])
      const { code, stderr, stdout } = yield* Effect.flip(start).pipe(
        Effect.filterOrDieMessage((failure) => failure._tag === "NotUp", "it came up")
      )
      expect([code, stdout]).toEqual([1, ""])
      expect(stderr).toMatch(/port \d+ of 127\.0\.0\.1: it is in use; choose another one .* with --port/)
      expect(stderr.trim().split("\n")).toHaveLength(1)
      expect(yield* Balancer.isReady(proxy.port)).toBe(true)
    }), 30_000)
})
