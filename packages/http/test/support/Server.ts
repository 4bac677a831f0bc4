/** HTTP servers on the loopback interface that follow a handler and record requests. */
import * as UndiciTransport from "@blockquarry/http/UndiciTransport"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import { randomInt } from "node:crypto"
import { createSocket, type Socket } from "node:dgram"
import * as Http from "node:http"
import { createServer } from "node:net"

/** The transports: Undici's dispatcher, and clients of the platform. Network tests run with each. */
export const clients: ReadonlyArray<readonly [name: string, layer: Layer.Layer<HttpClient.HttpClient>]> = [
  ["UndiciTransport", Layer.orDie(UndiciTransport.layer)],
  ["the undici client", NodeHttpClient.layerUndici],
  ["fetch", FetchHttpClient.layer]
]

interface Received {
  readonly method: string
  readonly url: string
  readonly headers: Http.IncomingHttpHeaders
}

export interface Server {
  readonly url: string
  readonly received: Array<Received>
  /** The number of requests whose response has not ended. */
  readonly inFlight: () => number
  /** The number of connections so far. */
  readonly connections: () => number
  /** Completes with the first request. */
  readonly reached: Effect.Effect<void>
  /** Completes when either side closes a connection. */
  readonly closed: Effect.Effect<void>
}

/** Handles a request; `number` counts from 1. */
export type Handler = (response: Http.ServerResponse, number: number) => void

/** Starts a server of Node.js, which stops when the scope closes. Returns its host and port. */
export const listen = (server: Http.Server): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<string>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed(`127.0.0.1:${port}`))
      })
    }),
    () =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

/** Starts a server, which stops when the scope closes. */
export const make = (handler: Handler): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.gen(function*() {
    const run = Runtime.runSync(yield* Effect.runtime<never>())
    const reached = yield* Deferred.make<void>()
    const closed = yield* Deferred.make<void>()
    const received: Array<Received> = []
    let inFlight = 0
    let connections = 0
    const server = Http.createServer((request, response) => {
      inFlight += 1
      response.once("close", () => {
        inFlight -= 1
      })
      received.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers })
      handler(response, received.length)
      run(Deferred.succeed(reached, undefined))
    })
    server.on("connection", (socket) => {
      connections += 1
      socket.on("error", () => {})
      socket.on("close", () => run(Deferred.succeed(closed, undefined)))
    })
    return {
      url: `http://${yield* listen(server)}`,
      received,
      inFlight: () => inFlight,
      connections: () => connections,
      reached: Deferred.await(reached),
      closed: Deferred.await(closed)
    }
  })

/**
 * Ports that no system gives to a client, nor to a server that listens on port 0. The same holds for those 10,000 above, on which a
 * node of a Redis Cluster listens too.
 */
const [firstPort, ports] = [10_000, 10_000]

/** Reserves a port for other processes of these tests that ask here: those of UDP are otherwise unused. Fails if it is taken. */
const reserve = (port: number): Effect.Effect<void, Error, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(
    Effect.async<Socket, Error>((resume) => {
      const socket = createSocket("udp4")
      socket.once("error", (error) => resume(Effect.fail(error)))
      socket.bind({ port, address: "127.0.0.1", exclusive: true }, () => resume(Effect.succeed(socket)))
    }),
    (socket) => Effect.async<void>((resume) => void socket.close(() => resume(Effect.void)))
  ))

/** Fails if a program listens on the port. */
const isUnused = (port: number): Effect.Effect<void, Error> =>
  Effect.async((resume) => {
    const server = createServer().once("error", (error) => resume(Effect.fail(error)))
    server.listen(port, "127.0.0.1", () => server.close(() => resume(Effect.void)))
  })

/** Returns a port without a server, which no other test gets before the scope closes. */
export const reservedPort: Effect.Effect<number, never, Scope.Scope> = Effect.suspend(() => {
  const port = firstPort + randomInt(ports)
  return Effect.as(Effect.zipRight(reserve(port), isUnused(port)), port)
}).pipe(Effect.retry({ times: ports }), Effect.orDie)
