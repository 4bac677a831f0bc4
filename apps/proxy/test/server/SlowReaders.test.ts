/** Clients that read their response slowly or not at all. */
import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Net from "node:net"
import type { Config } from "../../src/config/Config.ts"
import { transfers } from "../hostile/corpus/entry.ts"
import * as Harness from "../hostile/harness.ts"
import { type HeldConnection, openConnection, parseResponses } from "../hostile/rawHttp.ts"
import { rawResponse } from "../hostile/recordingUpstream.ts"
import { sendRequest } from "../support/proxy.ts"

const { authorized } = Harness

type Limits = Partial<Config["limits"]>

const mebibyte = 1024 * 1024

/** Larger than the buffers of the system. */
const large = `{"result":[],"junk":"${"x".repeat(12 * mebibyte)}"}`

/** Less than any client reads, and more. */
const [slow, fast] = [1, 1024 * mebibyte]

/** Reads one chunk of at most 64 KiB every 10 ms. */
const readSlowly = ({ closed, socket }: HeldConnection): Effect.Effect<string> =>
  Effect.suspend(() => {
    const timers = new Set<NodeJS.Timeout>()
    socket.on("data", () => {
      socket.pause()
      timers.add(setTimeout(() => socket.resume(), 10))
    })
    return Effect.ensuring(closed, Effect.sync(() => timers.forEach((timer) => clearTimeout(timer))))
  })

const requestLarge = (limits: Limits) =>
  Effect.gen(function*() {
    const harness = yield* Harness.start({ limits })
    harness.upstream.respondWith(() => rawResponse(200, large))
    const held = yield* openConnection(harness.port)
    held.socket.write(authorized(transfers, "Connection: close"))
    return { ...harness, held }
  })

/** A list of two pages of 6 MiB, then one record. */
const startList = (limits: Limits) =>
  Effect.gen(function*() {
    const harness = yield* Harness.start({ limits })
    const junk = "x".repeat(6 * mebibyte)
    harness.upstream.respondWith(() => {
      const index = harness.upstream.requests().length
      const record = {
        transaction_hash: `0x${index.toString(16).padStart(64, "0")}`,
        block_number: "1",
        junk
      }
      return rawResponse(
        200,
        JSON.stringify({ cursor: index < 3 ? `after-${index}` : null, result: [record] })
      )
    })
    return harness
  })

it.scopedLive("a client that reads at the minimum rate receives the whole response", () =>
  Effect.gen(function*() {
    const { held } = yield* requestLarge({ sendIdleTimeout: Duration.seconds(20), minSendRate: 1024 })
    const { problem, responses } = parseResponses(yield* readSlowly(held))
    expect([problem, responses.map(({ body }) => body.length)]).toEqual([null, [large.length]])
  }))

it.scopedLive.each<readonly [string, Limits]>([
  ["it reads less than the minimum rate", { sendIdleTimeout: Duration.millis(300), minSendRate: fast }],
  [
    "the time to send a response has passed",
    { sendIdleTimeout: Duration.minutes(1), sendTimeout: Duration.millis(300), minSendRate: slow }
  ]
])("a client is disconnected when %s", ([, limits]) =>
  Effect.gen(function*() {
    const { ended, held } = yield* requestLarge(limits)
    expect((yield* readSlowly(held)).length).toBeLessThan(large.length)
    yield* ended(499, 1)
  }))

it.scopedLive("a client receives a whole list that takes longer than the time to send a response", () =>
  Effect.gen(function*() {
    const { ended, port } = yield* startList({ sendTimeout: Duration.millis(200), minSendRate: slow })
    const list = yield* openConnection(port)
    list.socket.pause()
    list.socket.write(authorized(`/all${transfers}`, "Connection: close"))
    const response = yield* openConnection(port)
    response.socket.pause()
    response.socket.write(Buffer.concat([authorized(transfers), authorized(transfers)]))
    yield* ended(499, 1)
    list.socket.resume()
    expect(yield* list.closed).toContain(`{"end":{"records":`)
  }))

it.scopedLive("a client is disconnected that does not close a connection which the proxy has ended", () =>
  Effect.gen(function*() {
    const { port } = yield* Harness.start({
      limits: { maxConnections: 1, sendIdleTimeout: Duration.millis(200) }
    })
    const socket = yield* Effect.acquireRelease(
      Effect.sync(() => Net.connect({ host: "127.0.0.1", port, allowHalfOpen: true })),
      (socket) => Effect.sync(() => socket.destroy())
    )
    socket.resume()
    yield* Effect.promise(() => new Promise((resolve) => socket.once("end", resolve)))
    const response = yield* Effect.retry(sendRequest(port, "/livez"), Schedule.spaced("20 millis"))
    expect(response.status).toBe(200)
  }))
