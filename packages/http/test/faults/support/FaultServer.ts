/** One server for many cells of a matrix, each at a path of its own, and a count of all that it has open. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Http from "node:http"
import type * as Net from "node:net"
import * as Clients from "../../support/Clients.ts"
import * as Server from "../../support/Server.ts"
import type { Answerer, Row } from "./Row.ts"

/** What one cell of the matrix has of the server. */
export interface Place {
  /** Its base address. */
  readonly url: string
  /** What is done with its requests from now on; null for whole and right answers. */
  answer: Answerer | null
  /** Called when a request is left without an answer, or with a part of one. */
  silent: () => void
  /** How many requests came. */
  received: number
  /** How many of them are not over: neither answered to the end nor cut off. */
  pending: number
  /** Where the key was seen besides the header that carries it. */
  readonly strays: Array<string>
}

export interface FaultServer {
  readonly place: (text: string) => Place
  /** How many connections there are. */
  readonly connections: () => number
  /** Closes the connections that are idle, and no other. */
  readonly closeIdle: () => void
  /** How many connections were made to the host that redirects point to. */
  readonly elsewhere: () => number
  /** Addresses where there is no server. */
  readonly nowhere: Readonly<Record<NonNullable<Row["nowhere"]>, string>>
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
  response.setHeader("x-request-id", `for ${Clients.key}`)
  response.setHeader("set-cookie", `key=${Clients.key}`)
  response.setHeader("x-ratelimit-key", Clients.key)
}

/** All that a request holds but for the one header. */
const besides = ({ rawHeaders, url }: Http.IncomingMessage): string =>
  [url, ...rawHeaders.filter((_, index) => rawHeaders[index - 1]?.toLowerCase() !== "x-api-key")].join("\n")

const right: Answerer = ({ response, text }) => {
  response.writeHead(200, { "content-length": Buffer.byteLength(text), "content-type": "application/json" })
  response.end(text)
}

/** A server for as long as the scope is open. */
export const make: Effect.Effect<FaultServer, never, Scope.Scope> = Effect.gen(function*() {
  const places: Array<{ readonly place: Place; readonly text: string }> = []
  /** The connections, and how many requests each has that are not over. */
  const sockets = new Map<Net.Socket, number>()
  const count = (socket: Net.Socket, step: number): void => {
    const before = sockets.get(socket)
    if (before !== undefined) sockets.set(socket, before + step)
  }
  let strangers = 0
  const stranger = Http.createServer((_, response) => response.end("{}"))
  stranger.on("connection", () => {
    strangers += 1
  })
  const elsewhere = yield* listen(stranger)

  const server = Http.createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://here")
    const found = places[Number(url.pathname.split("/")[1])]
    if (found === undefined) {
      response.destroy()
      return
    }
    const { place, text } = found
    place.received += 1
    place.pending += 1
    count(request.socket, 1)
    response.once("close", () => {
      place.pending -= 1
      count(request.socket, -1)
    })
    if (besides(request).includes(Clients.key)) place.strays.push("the head of a request")
    if (request.headers["x-api-key"] !== Clients.key) place.strays.push("not where it belongs")
    request.on("error", () => {})
    request.on("data", (piece: Buffer) => {
      if (piece.includes(Clients.key)) place.strays.push("the body of a request")
    })
    echo(response)
    const answer = place.answer ?? right
    answer({
      response,
      query: url.searchParams,
      text,
      silent: place.silent,
      here: `${place.url}/again?key=${Clients.key}`,
      elsewhere: `${elsewhere}/?key=${Clients.key}`
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
    place: (text) => {
      const place: Place = {
        url: `${url}/${places.length}`,
        answer: null,
        silent: () => {},
        received: 0,
        pending: 0,
        strays: []
      }
      places.push({ place, text })
      return place
    },
    connections: () => sockets.size,
    closeIdle: () => {
      for (const [socket, requests] of sockets) if (requests === 0) socket.end()
    },
    elsewhere: () => strangers,
    nowhere: {
      refused: `http://127.0.0.1:${yield* Server.freePort}`,
      // No label of a name is as long: this is known without asking any network.
      unknown: `http://${"x".repeat(64)}.invalid`
    }
  }
})
