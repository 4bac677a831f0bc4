/** Shutdown of the server, and clients that disconnect. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as Net from "node:net"
import * as Clients from "../../src/auth/Clients.ts"
import { defaults } from "../../src/config/Config.ts"
import * as ProxyResponse from "../../src/exchange/ProxyResponse.ts"
import * as Server from "../../src/server/Server.ts"
import * as Harness from "../hostile/harness.ts"
import { bytes, header, openConnection, parseResponses } from "../hostile/rawHttp.ts"
import { rawResponse } from "../hostile/recordingUpstream.ts"
import { examples, openAdmin, sendRequest, start, testConfig } from "../support/proxy.ts"

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

/** Opens a persistent connection, and waits for the first response if it sends a request. */
const connect = (port: number, text?: string) =>
  Effect.async<{ readonly closed: Promise<void> }>((resume) => {
    const socket = Net.connect(port, "127.0.0.1")
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
    socket.once(text === undefined ? "connect" : "data", () => resume(Effect.succeed({ closed })))
    socket.on("error", () => {})
    if (text !== undefined) socket.write(text)
    socket.resume()
  })

describe("shutdown", () => {
  it.live("completes requests in flight, closes idle connections, and refuses new ones", () =>
    Effect.gen(function*() {
      const gate = yield* gatedUpstream
      const scope = yield* Scope.make()
      const { lines, port } = yield* Scope.extend(start({ httpClient: gate.client }), scope)
      const silent = yield* connect(port)
      const idle = yield* connect(port, "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
      const accepted = yield* Effect.fork(sendRequest(port, path, { headers: { connection: "keep-alive" } }))
      yield* Deferred.await(gate.reached)
      const stopping = yield* Effect.fork(Scope.close(scope, Exit.void))
      // Connections without a request in flight are closed only when the server stops listening
      yield* Effect.promise(() => Promise.all([silent.closed, idle.closed]))
      const late = yield* Effect.exit(sendRequest(port, "/livez"))
      expect(Exit.isFailure(late)).toBe(true)
      yield* Deferred.succeed(gate.open, undefined)
      const response = yield* Fiber.join(accepted)
      expect([response.status, response.headers["connection"]]).toEqual([200, "close"])
      yield* Fiber.join(stopping)
      expect(lines).toHaveLength(1)
    }))

  for (
    const { announced, delay } of [
      { delay: "0 millis", announced: undefined },
      { delay: "999 millis", announced: undefined },
      { delay: "5 seconds", announced: "timeout=5" }
    ] as const
  ) {
    it.live(`is announced as far as idle connections survive its delay: ${delay}`, () =>
      Effect.scoped(Effect.gen(function*() {
        const scope = yield* Scope.make()
        const config = { shutdown: { delay: Duration.decode(delay), timeout: Duration.seconds(5) } }
        const { port, upstream } = yield* Scope.extend(Harness.start({ config }), scope)
        const silent = yield* connect(port)
        const connection = yield* openConnection(port)
        const request = (target: string) =>
          bytes(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${Harness.token}\r\n\r\n`)
        connection.socket.write(request("/livez"))
        yield* connection.until((read) => parseResponses(read).responses.length === 1)
        upstream.respondWith(() => null)
        connection.socket.write(request(path))
        yield* upstream.waitForRequests(1)
        const stopping = yield* Effect.fork(Scope.close(scope, Exit.void))
        yield* Effect.promise(() => silent.closed)
        connection.socket.write(request(path))
        yield* upstream.waitForRequests(2)
        upstream.releaseHeld(rawResponse(200, "{}"))
        const { responses } = parseResponses(yield* connection.closed)
        yield* Fiber.join(stopping)
        const announcements = responses.map((response) => ({
          connection: header(response, "connection"),
          keepAlive: header(response, "keep-alive")
        }))
        expect(announcements).toEqual([
          { connection: "keep-alive", keepAlive: announced },
          { connection: "keep-alive", keepAlive: undefined },
          { connection: "close", keepAlive: undefined }
        ])
      })))
  }

  it.live("aborts requests that exceed the timeout", () =>
    Effect.gen(function*() {
      const gate = yield* gatedUpstream
      const scope = yield* Scope.make()
      const { port } = yield* Scope.extend(start({ httpClient: gate.client, shutdownTimeout: 1 }), scope)
      const accepted = yield* Effect.fork(Effect.exit(sendRequest(port, path)))
      yield* Deferred.await(gate.reached)
      yield* Scope.close(scope, Exit.void)
      expect(Exit.isFailure(yield* Fiber.join(accepted))).toBe(true)
      yield* Deferred.await(gate.interrupted)
    }))
})

describe("a disconnected client", () => {
  it.scopedLive("interrupts its request", () =>
    Effect.gen(function*() {
      const gate = yield* gatedUpstream
      const { port } = yield* start({ httpClient: gate.client })
      const request = yield* Effect.fork(sendRequest(port, path))
      yield* Deferred.await(gate.reached)
      yield* Fiber.interrupt(request)
      yield* Deferred.await(gate.interrupted)
      expect((yield* sendRequest(port, "/livez")).status).toBe(200)
    }))
})

describe("a connection above the maximum", () => {
  it.scopedLive("is dropped and counted", () =>
    Effect.gen(function*() {
      const { port, ...proxy } = yield* start({
        config: { admin: openAdmin, limits: { ...defaults.limits, maxConnections: 1 } }
      })
      const dropped = Effect.map(
        sendRequest(proxy.adminPort ?? 0, "/metrics"),
        ({ text }) => /dropped_total\{reason="max-connections"\} (\d+)/.exec(text)?.[1]
      )
      expect(yield* dropped).toBe("0")
      yield* connect(port, "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
      expect(Exit.isFailure(yield* Effect.exit(sendRequest(port, "/livez")))).toBe(true)
      expect(yield* dropped).toBe("1")
    }))
})

describe("a response that cannot be created or sent", () => {
  it.scopedLive("closes the connection instead of leaving the client waiting", () =>
    Effect.gen(function*() {
      const config = testConfig()
      const reply = ProxyResponse.json(200, {})
      const broken = { ...reply, headers: { "x-broken": "a\nb" } }
      const replies: ReadonlyArray<() => Effect.Effect<ProxyResponse.ProxyResponse>> = [
        () => {
          throw new Error("routing failed")
        },
        () => Effect.die(new Error("the handler failed")),
        () => Effect.succeed(broken),
        () => Effect.delay(Effect.succeed(broken), 1)
      ]
      for (const make of replies) {
        const onComplete = () => {}
        const handler = {
          handle: () => ({ response: make(), onComplete }),
          reject: () => ({ response: Effect.succeed(reply), onComplete })
        }
        const options = {
          activeConfig: { current: () => ({ config, clients: Clients.make(config) }) },
          listen: config.listen,
          shutdownDelay: Effect.succeed(0),
          shutdownTimeout: 0,
          handler
        }
        const server = yield* Effect.provide(Server.make(options), Logger.remove(Logger.defaultLogger))
        yield* server.listen
        expect(yield* Effect.flip(sendRequest(server.port() ?? 0, "/"))).toMatchObject({ code: "ECONNRESET" })
      }
    }))
})

describe("a port in use", () => {
  it.scopedLive("fails with an error that names it", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      const second = yield* Effect.flip(start({ config: { listen: { ...defaults.listen, port } } }))
      expect(second).toMatchObject({ _tag: "ListenError", port, reason: "EADDRINUSE" })
    }))
})
