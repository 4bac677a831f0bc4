/** Clients that read their response slowly or not at all. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Net from "node:net"
import { transfers } from "../hostile/corpus/entry.ts"
import * as Harness from "../hostile/harness.ts"
import { bytes, type HeldConnection, openConnection, parseResponses } from "../hostile/rawHttp.ts"
import { rawResponse } from "../hostile/recordingUpstream.ts"
import { sendRequest, start } from "../support/proxy.ts"

const mebibyte = 1024 * 1024

const get = (target: string, ...headers: ReadonlyArray<string>): Buffer =>
  bytes(
    `GET ${target} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${Harness.token}\r\n${
      headers.map((line) => `${line}\r\n`).join("")
    }\r\n`
  )

/** Larger than the buffers of the system. */
const large = `{"result":[],"junk":"${"x".repeat(12 * mebibyte)}"}`

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

const requestLarge = (limits: Parameters<typeof Harness.start>[0]) =>
  Effect.gen(function*() {
    const harness = yield* Harness.start(limits)
    harness.upstream.respondWith(() => rawResponse(200, large))
    const held = yield* openConnection(harness.port)
    held.socket.write(get(transfers, "Connection: close"))
    return { ...harness, held }
  })

/** A list of two pages of 6 MiB, then one record. */
const startList = (limits: NonNullable<Parameters<typeof Harness.start>[0]>["limits"]) =>
  Effect.gen(function*() {
    const sandbox = yield* start()
    const page = JSON.parse((yield* sendRequest(sandbox.port, `${transfers}?limit=1`)).text)
    const harness = yield* Harness.start(limits === undefined ? {} : { limits })
    const junk = "x".repeat(6 * mebibyte)
    harness.upstream.respondWith(() => {
      const index = harness.upstream.requests().length
      const transaction_hash = `0x${index.toString(16).padStart(64, "0")}`
      const cursor = index < 3 ? `after-${index}` : null
      return rawResponse(
        200,
        JSON.stringify({ ...page, cursor, result: [{ ...page.result[0], transaction_hash, junk }] })
      )
    })
    return harness
  })

describe("a client that reads slowly", () => {
  it.scopedLive("receives the whole response if it reads at the minimum rate", () =>
    Effect.gen(function*() {
      const { held } = yield* requestLarge({
        limits: { sendIdleTimeout: Duration.seconds(20), minSendRate: 1024 }
      })
      const { problem, responses } = parseResponses(yield* readSlowly(held))
      expect([problem, responses.map(({ body }) => body.length)]).toEqual([null, [large.length]])
    }))

  it.scopedLive("is disconnected if it reads less than the minimum rate", () =>
    Effect.gen(function*() {
      const { ended, held } = yield* requestLarge({
        limits: { sendIdleTimeout: Duration.millis(300), minSendRate: 1024 * mebibyte }
      })
      expect((yield* readSlowly(held)).length).toBeLessThan(large.length)
      yield* ended(499, 1)
    }))

  it.scopedLive("is disconnected when the time to send a response has passed", () =>
    Effect.gen(function*() {
      const { ended, held } = yield* requestLarge({
        limits: { sendIdleTimeout: Duration.minutes(1), sendTimeout: Duration.millis(300), minSendRate: 1 }
      })
      expect((yield* readSlowly(held)).length).toBeLessThan(large.length)
      yield* ended(499, 1)
    }))

  it.scopedLive(
    "is disconnected in the middle of a list if it reads less than the minimum rate",
    () =>
      Effect.gen(function*() {
        const { ended, port, upstream } = yield* startList({
          sendIdleTimeout: Duration.millis(300),
          minSendRate: 1024 * mebibyte
        })
        const held = yield* openConnection(port)
        held.socket.write(get(`/all${transfers}`))
        yield* readSlowly(held)
        yield* ended(499, 1)
        expect(upstream.requests().length).toBeLessThan(3)
      })
  )

  it.scopedLive(
    "receives a whole list that takes longer than the time to send a response",
    () =>
      Effect.gen(function*() {
        const { ended, port } = yield* startList({ sendTimeout: Duration.millis(200), minSendRate: 1 })
        const list = yield* openConnection(port)
        list.socket.pause()
        list.socket.write(get(`/all${transfers}`, "Connection: close"))
        const response = yield* openConnection(port)
        response.socket.pause()
        response.socket.write(Buffer.concat([get(transfers), get(transfers)]))
        yield* ended(499, 1)
        list.socket.resume()
        expect(yield* list.closed).toContain(`{"end":{"records":`)
      })
  )
})

describe("a client that stops reading", () => {
  it.scopedLive("is disconnected, no matter how much it has read before", () =>
    Effect.gen(function*() {
      const { ended, held } = yield* requestLarge({
        limits: { sendIdleTimeout: Duration.millis(300), minSendRate: 1 }
      })
      yield* held.until((read) => read.length > mebibyte)
      held.socket.pause()
      yield* ended(499, 1)
    }))
})

describe("a client that does not close a connection that the proxy has ended", () => {
  it.scopedLive("is disconnected", () =>
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
})
