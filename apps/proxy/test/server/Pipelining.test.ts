/** Clients that pipeline more requests than they read responses. */
import { maxPendingResponses } from "@blockquarry/server/Connection"
import { maxWaitingRequests } from "@blockquarry/server/Connections"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { transfers } from "../hostile/corpus/entry.ts"
import * as Harness from "../hostile/harness.ts"
import { get, openConnection } from "../hostile/rawHttp.ts"
import { rawResponse } from "../hostile/recordingUpstream.ts"
import { sendRequest } from "../support/proxy.ts"

const { authorized } = Harness

const repeat = (count: number, request: Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, () => request))

const ok = (count: number): ReadonlyArray<number> => Array.from({ length: count }, () => 200)

/** A proxy whose upstream holds back all responses, and a connection to it. */
const start = Effect.gen(function*() {
  const proxy = yield* Harness.start({ limits: { requestTimeout: Duration.seconds(30) } })
  proxy.upstream.respondWith(() => null)
  const held = yield* openConnection(proxy.port)
  const write = (...requests: ReadonlyArray<Buffer>) => held.socket.write(Buffer.concat(requests))
  const release = (respondsNow: boolean) => {
    if (respondsNow) proxy.upstream.respondWith(() => rawResponse(200, "{}"))
    proxy.upstream.releaseHeld(rawResponse(200, "{}"))
  }
  /** Waits for upstream requests, and a round trip on another connection: then the proxy has sent all that it sends. */
  const sent = (count: number) =>
    Effect.gen(function*() {
      yield* proxy.upstream.waitForRequests(count)
      yield* sendRequest(proxy.port, "/livez")
      expect(proxy.upstream.requests()).toHaveLength(count)
    })
  return { ...proxy, held, release, sent, write }
})

describe("a connection that pipelines requests", () => {
  it.scopedLive("has a limited number of requests in progress", () =>
    Effect.gen(function*() {
      const { held, release, sent, upstream, write } = yield* start
      write(repeat(100, authorized(transfers)))
      yield* sent(maxPendingResponses)
      release(true)
      yield* held.responses(100)
      expect(upstream.requests()).toHaveLength(100)
    }))

  it.scopedLive("is closed instead of others when too many requests wait on all connections", () =>
    Effect.gen(function*() {
      const { held, port, release, upstream, write } = yield* start
      const connections = yield* Effect.forEach(Array.from({ length: 16 }), () => openConnection(port))
      // The other responses wait for the first one. All requests fit into one chunk that Node reads.
      const perConnection = maxPendingResponses + maxWaitingRequests / connections.length
      const requests = Buffer.concat([authorized(transfers), repeat(perConnection - 1, get("/a"))])
      for (const { socket } of connections) socket.write(requests)
      yield* upstream.waitForRequests(connections.length)
      const count = maxPendingResponses + 2
      write(authorized(transfers), repeat(count - 1, get("/livez")))
      yield* Effect.raceAll(connections.map(({ closed }) => closed))
      yield* upstream.waitForRequests(connections.length + 1)
      release(false)
      expect((yield* held.responses(count)).map(({ status }) => status)).toEqual(ok(count))
    }))
})
