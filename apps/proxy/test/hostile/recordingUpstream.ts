/** An upstream on a socket that records every byte it receives. */
import * as Effect from "effect/Effect"
import * as Net from "node:net"
import { makeChanges } from "./rawHttp.ts"

/** Returns the raw response to a request; null holds the response back, an empty string closes the connection. */
export type Respond = (request: string) => string | null

export const rawResponse = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {}
): string => {
  const lines = Object.entries({
    "content-type": "application/json",
    ...headers,
    "content-length": String(Buffer.byteLength(body))
  })
  return `HTTP/1.1 ${status} Status\r\n${
    lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  }\r\n${body}`
}

export interface RecordingUpstream {
  readonly port: number
  /** The raw requests in order of arrival. */
  readonly requests: () => ReadonlyArray<string>
  readonly clear: () => void
  readonly respondWith: (respond: Respond) => void
  /** Sends a response to all held requests. */
  readonly releaseHeld: (response: string) => void
  /** Waits until `count` requests have been received. */
  readonly waitForRequests: (count: number) => Effect.Effect<void>
}

const content: Respond = () => rawResponse(200, `{"result":[],"cursor":null,"page":0,"page_size":100}`)

export const make = Effect.acquireRelease(
  Effect.async<RecordingUpstream & { readonly close: Effect.Effect<void> }>((resume) => {
    const state: { requests: Array<string>; respond: Respond } = { requests: [], respond: content }
    const sockets = new Set<Net.Socket>()
    const open: Array<Net.Socket> = []
    const { notify, when } = makeChanges()
    const server = Net.createServer((socket) => {
      sockets.add(socket)
      socket.on("close", () => sockets.delete(socket))
      socket.on("error", () => {})
      let received = ""
      socket.on("data", (piece) => {
        received += piece.toString("latin1")
        for (;;) {
          const length = lengthOf(received)
          if (length === undefined || received.length < length) return
          const request = received.slice(0, length)
          received = received.slice(length)
          state.requests.push(request)
          notify()
          const response = state.respond(request)
          if (response === null) open.push(socket)
          else if (response === "") socket.destroy()
          else socket.write(Buffer.from(response, "utf8"))
        }
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resume(Effect.succeed({
        port: typeof address === "object" && address !== null ? address.port : 0,
        requests: () => state.requests,
        clear: () => {
          state.requests = []
        },
        respondWith: (respond: Respond) => {
          state.respond = respond
        },
        releaseHeld: (response: string) => {
          for (const socket of open.splice(0)) socket.write(response)
        },
        waitForRequests: (count: number) =>
          when(() => state.requests.length < count ? undefined : Effect.void),
        close: Effect.sync(() => {
          server.close()
          for (const socket of sockets) socket.destroy()
        })
      }))
    })
  }),
  ({ close }) => close
)

/** Returns the length of the first request, or undefined until its headers are complete. */
const lengthOf = (received: string): number | undefined => {
  const end = received.indexOf("\r\n\r\n")
  if (end < 0) return undefined
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.slice(0, end))?.[1] ?? "0"
  return end + 4 + Number(length)
}
