/** The memory for response bodies: a bound over any sequence of requests, and clients that do not read. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import { defaults } from "../../src/config/Config.ts"
import { ResponseHold } from "../../src/exchange/RequestContext.ts"
import * as ClientLimits from "../../src/quota/ClientLimits.ts"
import { transfers } from "../hostile/corpus/entry.ts"
import * as Harness from "../hostile/harness.ts"
import { bytes, openConnection } from "../hostile/rawHttp.ts"
import { rawResponse } from "../hostile/recordingUpstream.ts"
import { sendRequest, testClient } from "../support/proxy.ts"

const mebibyte = 1024 * 1024

/** With clients, each has its share of the memory. */
const clients = [testClient("one", Harness.token)]

describe("the memory of requests", () => {
  it.prop(
    "never exceeds the limit, leaves some for a client that has none, and is free when all requests are complete",
    [
      fc.array(
        fc.record({
          client: fc.constantFrom("a", "b", "c"),
          request: fc.nat(3),
          action: fc.oneof(
            fc.record({ hold: fc.nat(400) }),
            fc.constant("complete" as const)
          )
        }),
        { maxLength: 60 }
      )
    ],
    ([steps]) => {
      const limits = { ...defaults.limits, maxBufferedBytes: 1000 }
      const responseMemory = ClientLimits.make()
      const requests = new Map<string, ResponseHold>()
      for (const { action, client, request } of steps) {
        const key = `${client} ${request}`
        const hold = requests.get(key) ?? new ResponseHold()
        requests.set(key, hold)
        const memory = responseMemory.memoryOf(client, { clients, limits })
        if (action === "complete") {
          hold.complete()
          requests.delete(key)
          const used = responseMemory.bufferedBytes()
          hold.holdBody(memory, 10)
          expect(responseMemory.bufferedBytes(), "a body after the client has disconnected").toBe(used)
          continue
        }
        const holdsNothing = [...requests].every(([name, { bodyBytes }]) =>
          !name.startsWith(client) || bodyBytes === 0
        )
        const free = 1000 - responseMemory.bufferedBytes()
        const held = hold.holdBody(memory, action.hold)
        if (holdsNothing) expect(held).toBe(action.hold <= free)
        expect(responseMemory.bufferedBytes()).toBeLessThanOrEqual(1000)
        expect(responseMemory.bufferedBytes()).toBe(
          [...requests.values()].reduce((sum, { bodyBytes = 0 }) => sum + bodyBytes, 0)
        )
      }
      for (const hold of requests.values()) hold.complete()
      expect(responseMemory.bufferedBytes()).toBe(0)
    }
  )
})

describe("a client that does not read its large responses", () => {
  const body = `{"result":[],"cursor":null,"junk":"${"x".repeat(12 * mebibyte)}"}`
  const other = { headers: { "x-api-key": "token-of-another-client" } }
  const get = (target: string) =>
    bytes(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${Harness.token}\r\n\r\n`)

  for (const cache of isFull ? [false, true] : [false]) {
    it.scopedLive(
      `is limited to its share, and does not affect other clients, ${cache ? "with" : "without"} a cache`,
      () =>
        Effect.gen(function*() {
          const { ended, lines, port, upstream } = yield* Harness.start({
            config: {
              clients: [testClient("one", Harness.token), testClient("two", "token-of-another-client")],
              cache: { ...defaults.cache, enabled: cache }
            },
            limits: { maxBufferedBytes: 100 * mebibyte, requestTimeout: Duration.seconds(30) }
          })
          upstream.respondWith(() => rawResponse(200, body))
          expect((yield* sendRequest(port, transfers, other)).bytes).toHaveLength(body.length)
          const connections = yield* Effect.forEach(Array.from({ length: 6 }), () => openConnection(port))
          for (const { socket } of connections) {
            socket.once("data", () => socket.pause())
            socket.write(get(transfers))
          }
          // A quarter of 100 MiB is enough for two responses.
          for (const held of connections) yield* held.until((read) => read.includes("\r\n"))
          yield* ended(429, 4)
          const rejected = lines.map((line) => JSON.parse(line)).filter(({ status }) => status === 429)
          expect(rejected.map(({ client, code }) => [client, code]))
            .toEqual(Array.from({ length: 4 }, () => ["one", "client-memory-limited"]))
          for (const target of [transfers, `/all${transfers}`]) {
            const headers = { "x-api-key": Harness.token }
            const response = yield* sendRequest(port, target, { headers })
            expect([response.status, response.headers["retry-after"]]).toEqual([429, "1"])
            expect((yield* sendRequest(port, target, other)).status).toBe(200)
          }
          for (const { socket } of connections) socket.destroy()
          yield* ended(499, 2)
          const headers = { "x-api-key": Harness.token }
          expect((yield* sendRequest(port, transfers, { headers })).status).toBe(200)
        })
    )
  }
})
