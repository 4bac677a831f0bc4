/** One server for many cells of a matrix, each at a path of its own, and a count of all that it has open. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Http from "node:http"
import type * as Net from "node:net"
import * as Server from "../../support/Server.ts"
import * as TestClients from "../../support/TestClients.ts"
import type { Responder, Row } from "./Row.ts"

/** What one cell of the matrix has of the server. */
export interface Endpoint {
  /** Its base address. */
  readonly url: string
  /** What is done with its requests from now on; null for whole and right answers. */
  responder: Responder | null
  /** Called when a request is left without an answer, or with a part of one. */
  onSilence: () => void
  /** How many requests came. */
  received: number
  /** How many of them are not over: neither answered to the end nor cut off. */
  pending: number
  /** Where the key was seen besides the header that carries it. */
  readonly leaks: Array<string>
}

export interface FaultServer {
  readonly addEndpoint: (text: string) => Endpoint
  /** How many connections there are. */
  readonly connections: () => number
  /** Closes the connections that are idle, and no other. */
  readonly closeIdle: () => void
  /** How many connections were made to the host that redirects point to. */
  readonly otherHostConnections: () => number
  /** Addresses where there is no server. */
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

/** Headers in which a careless service repeats the key. */
const echo = (response: Http.ServerResponse): void => {
  response.setHeader("x-request-id", `for ${TestClients.key}`)
  response.setHeader("set-cookie", `key=${TestClients.key}`)
  response.setHeader("x-ratelimit-key", TestClients.key)
}

/** All that a request holds but for the one header. */
const withoutKeyHeader = ({ rawHeaders, url }: Http.IncomingMessage): string =>
  [url, ...rawHeaders.filter((_, index) => rawHeaders[index - 1]?.toLowerCase() !== "x-api-key")].join("\n")

const correctResponse: Responder = ({ response, text }) => {
  response.writeHead(200, { "content-length": Buffer.byteLength(text), "content-type": "application/json" })
  response.end(text)
}

/** A server for as long as the scope is open. */
export const make: Effect.Effect<FaultServer, never, Scope.Scope> = Effect.gen(function*() {
  const endpoints: Array<{ readonly endpoint: Endpoint; readonly text: string }> = []
  /** The connections, and how many requests each has that are not over. */
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
    const found = endpoints[Number(url.pathname.split("/")[1])]
    if (found === undefined) {
      response.destroy()
      return
    }
    const { endpoint, text } = found
    endpoint.received += 1
    endpoint.pending += 1
    count(request.socket, 1)
    response.once("close", () => {
      endpoint.pending -= 1
      count(request.socket, -1)
    })
    if (withoutKeyHeader(request).includes(TestClients.key)) endpoint.leaks.push("the head of a request")
    if (request.headers["x-api-key"] !== TestClients.key) endpoint.leaks.push("not where it belongs")
    request.on("error", () => {})
    request.on("data", (piece: Buffer) => {
      if (piece.includes(TestClients.key)) endpoint.leaks.push("the body of a request")
    })
    echo(response)
    const responder = endpoint.responder ?? correctResponse
    responder({
      response,
      query: url.searchParams,
      text,
      onSilence: endpoint.onSilence,
      sameHost: `${endpoint.url}/again?key=${TestClients.key}`,
      otherHost: `${otherHostUrl}/?key=${TestClients.key}`
    })
  })
  // Connections end when a client ends them, not when this machine is slow.
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
      // No label of a name is as long: this is known without asking any network.
      unknown: `http://${"x".repeat(64)}.invalid`
    }
  }
})
