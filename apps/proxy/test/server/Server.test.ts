/** Shutdown of the server, and clients that disconnect. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { defaults } from "../../src/config/Config.ts"
import * as Harness from "../hostile/harness.ts"
import { get, header, openConnection, parseResponses } from "../hostile/rawHttp.ts"
import { rawResponse } from "../hostile/recordingUpstream.ts"
import { examples, openAdmin, sendRequest, start } from "../support/proxy.ts"

const path = `/api/v2.2/${examples.wallet}/erc20/transfers?limit=1`

/** The sandbox behind a gate: reports when a request arrives, and responds when the gate opens. */
const gatedUpstream = Effect.gen(function*() {
  const sandbox = yield* Sandbox.make()
  const reached = yield* Deferred.make<void>()
  const open = yield* Deferred.make<void>()
  const interrupted = yield* Deferred.make<void>()
  const inner = Sandbox.httpClient(sandbox)
  const client = HttpClient.make((request) =>
    Deferred.succeed(reached, undefined).pipe(
      Effect.zipRight(Deferred.await(open)),
      Effect.zipRight(inner.execute(request)),
      Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
    )
  )
  return { client, reached, open, interrupted }
})

/** A proxy that the test stops, and a request in flight behind the gate. */
const startGated = (options: Parameters<typeof start>[0] = {}) =>
  Effect.gen(function*() {
    const gate = yield* gatedUpstream
    const scope = yield* Scope.make()
    const proxy = yield* Scope.extend(start({ httpClient: gate.client, ...options }), scope)
    const accepted = yield* Effect.fork(
      Effect.exit(sendRequest(proxy.port, path, { headers: { connection: "keep-alive" } }))
    )
    yield* Deferred.await(gate.reached)
    return { ...proxy, ...gate, accepted, stop: Scope.close(scope, Exit.void) }
  })

/** An open connection that has had a response. */
const openIdle = (port: number) =>
  Effect.tap(openConnection(port), ({ responses, socket }) => {
    socket.write(get("/livez"))
    return responses(1)
  })

describe("shutdown", () => {
  it.scopedLive("completes requests in flight, closes idle connections, and refuses new ones", () =>
    Effect.gen(function*() {
      const { accepted, lines, open, port, stop } = yield* startGated()
      const silent = yield* openConnection(port)
      const idle = yield* openIdle(port)
      const stopping = yield* Effect.fork(stop)
      // Connections without a request in flight are closed only when the server stops listening
      yield* Effect.all([silent.closed, idle.closed])
      expect(Exit.isFailure(yield* Effect.exit(sendRequest(port, "/livez")))).toBe(true)
      yield* Deferred.succeed(open, undefined)
      expect(yield* Effect.flatten(Fiber.join(accepted)))
        .toMatchObject({ status: 200, headers: { connection: "close" } })
      yield* Fiber.join(stopping)
      expect(lines).toHaveLength(1)
    }))

  it.scopedLive.each(
    [["0 millis", undefined], ["999 millis", undefined], ["5 seconds", "timeout=5"]] as const
  )("with a delay of %s announces %s", ([delay, announced]) =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const config = { shutdown: { delay: Duration.decode(delay), timeout: Duration.seconds(5) } }
      const { port, upstream } = yield* Scope.extend(Harness.start({ config }), scope)
      upstream.respondWith(() => null)
      const silent = yield* openConnection(port)
      const connection = yield* openIdle(port)
      connection.socket.write(Harness.authorized(path))
      yield* upstream.waitForRequests(1)
      const stopping = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* silent.closed
      connection.socket.write(Harness.authorized(path))
      yield* upstream.waitForRequests(2)
      upstream.releaseHeld(rawResponse(200, "{}"))
      const { responses } = parseResponses(yield* connection.closed)
      yield* Fiber.join(stopping)
      expect(responses.map((response) => [header(response, "connection"), header(response, "keep-alive")]))
        .toEqual([["keep-alive", announced], ["keep-alive", undefined], ["close", undefined]])
    }))

  it.live("aborts requests that exceed the timeout", () =>
    Effect.gen(function*() {
      const { accepted, interrupted, stop } = yield* startGated({ shutdownTimeout: 1 })
      yield* stop
      expect(Exit.isFailure(yield* Fiber.join(accepted))).toBe(true)
      yield* Deferred.await(interrupted)
    }))
})

it.live("a client that disconnects interrupts its request", () =>
  Effect.gen(function*() {
    const { accepted, interrupted, port, stop } = yield* startGated()
    yield* Fiber.interrupt(accepted)
    yield* Deferred.await(interrupted)
    expect((yield* sendRequest(port, "/livez")).status).toBe(200)
    yield* stop
  }))

it.scopedLive("a connection above the maximum is dropped and counted", () =>
  Effect.gen(function*() {
    const { port, ...proxy } = yield* start({
      config: { admin: openAdmin, limits: { ...defaults.limits, maxConnections: 1 } }
    })
    const dropped = Effect.map(
      sendRequest(proxy.adminPort ?? 0, "/metrics"),
      ({ text }) => /dropped_total\{reason="max-connections"\} (\d+)/.exec(text)?.[1]
    )
    expect(yield* dropped).toBe("0")
    yield* openIdle(port)
    expect(Exit.isFailure(yield* Effect.exit(sendRequest(port, "/livez")))).toBe(true)
    expect(yield* dropped).toBe("1")
  }))
