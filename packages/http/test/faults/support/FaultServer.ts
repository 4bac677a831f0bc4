/** A server with one endpoint per cell of the matrix, which counts connections and detects leaks of the API key. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Http from "node:http"
import type * as Net from "node:net"
import * as Server from "../../support/Server.ts"
import * as TestClients from "../../support/TestClients.ts"
import type { Responder, Row } from "./Row.ts"

/** The endpoint of a cell. */
export interface Endpoint {
  /** Its base URL. */
  readonly url: string
  /** Responds to requests from now on. Null for valid responses. */
  responder: Responder | null
  /** The time of the client. */
  now: () => number
  /** Called when a request hangs, with or without a part of the response. */
  onSilence: () => void
  /** Number of requests. */
  received: number
  /** Number of requests in flight. */
  pending: number
  /** Where the API key occurred outside its header. */
  readonly leaks: Array<string>
}

export interface FaultServer {
  readonly addEndpoint: (text: string) => Endpoint
  /** Number of open connections. */
  readonly connections: () => number
  /** Closes idle connections. */
  readonly closeIdle: () => void
  /** Number of connections to the other host that redirects point to. */
  readonly otherHostConnections: () => number
  /** URLs without a server. */
  readonly unreachableUrls: Readonly<Record<NonNullable<Row["unreachableHost"]>, string>>
}

const listen = (server: Http.Server): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<string>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed(`http://127.0.0.1:${port}`))
      })
    }),
    () =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

/** Sets headers that contain the API key. */
const echoApiKey = (response: Http.ServerResponse): void => {
  response.setHeader("x-request-id", `for ${TestClients.key}`)
  response.setHeader("set-cookie", `key=${TestClients.key}`)
  response.setHeader("x-ratelimit-key", TestClients.key)
}

/** Returns the head of a request without the header of the API key. */
const withoutKeyHeader = ({ rawHeaders, url }: Http.IncomingMessage): string =>
  [url, ...rawHeaders.filter((_, index) => rawHeaders[index - 1]?.toLowerCase() !== "x-api-key")].join("\n")

const correctResponse: Responder = ({ response, text }) => {
  response.writeHead(200, { "content-length": Buffer.byteLength(text), "content-type": "application/json" })
  response.end(text)
}

/** Starts a server, which stops when the scope closes. */
export const make: Effect.Effect<FaultServer, never, Scope.Scope> = Effect.gen(function*() {
  const endpoints: Array<{ readonly endpoint: Endpoint; readonly text: string }> = []
  /** Open connections, with their numbers of requests in flight. */
  const sockets = new Map<Net.Socket, number>()
  const count = (socket: Net.Socket, step: number): void => {
    const before = sockets.get(socket)
    if (before !== undefined) sockets.set(socket, before + step)
  }
  let otherHostConnections = 0
  const otherHost = Http.createServer((_, response) => response.end("{}"))
  otherHost.on("connection", () => {
    otherHostConnections += 1
  })
  const otherHostUrl = yield* listen(otherHost)

  const server = Http.createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://here")
    const target = endpoints[Number(url.pathname.split("/")[1])]
    if (target === undefined) {
      response.destroy()
      return
    }
    const { endpoint, text } = target
    endpoint.received += 1
    endpoint.pending += 1
    count(request.socket, 1)
    response.once("close", () => {
      endpoint.pending -= 1
      count(request.socket, -1)
    })
    if (withoutKeyHeader(request).includes(TestClients.key)) endpoint.leaks.push("the head of a request")
    if (request.headers["x-api-key"] !== TestClients.key) endpoint.leaks.push("missing from its header")
    request.on("error", () => {})
    request.on("data", (chunk: Buffer) => {
      if (chunk.includes(TestClients.key)) endpoint.leaks.push("the body of a request")
    })
    echoApiKey(response)
    const responder = endpoint.responder ?? correctResponse
    responder({
      response,
      query: url.searchParams,
      text,
      now: endpoint.now(),
      onSilence: endpoint.onSilence,
      sameHost: `${endpoint.url}/again?key=${TestClients.key}`,
      otherHost: `${otherHostUrl}/?key=${TestClients.key}`
    })
  })
  // So long that only clients close connections, even on a slow machine.
  server.keepAliveTimeout = 60_000
  server.on("connection", (socket) => {
    sockets.set(socket, 0)
    socket.on("error", () => {})
    socket.once("close", () => sockets.delete(socket))
  })
  const url = yield* listen(server)
  return {
    addEndpoint: (text) => {
      const endpoint: Endpoint = {
        url: `${url}/${endpoints.length}`,
        responder: null,
        now: Date.now,
        onSilence: () => {},
        received: 0,
        pending: 0,
        leaks: []
      }
      endpoints.push({ endpoint, text })
      return endpoint
    },
    connections: () => sockets.size,
    closeIdle: () => {
      for (const [socket, requests] of sockets) if (requests === 0) socket.end()
    },
    otherHostConnections: () => otherHostConnections,
    unreachableUrls: {
      refused: `http://127.0.0.1:${yield* Server.freePort}`,
      // Labels of host names have at most 63 characters, so no DNS query is sent.
      unknown: `http://${"x".repeat(64)}.invalid`
    }
  }
})
