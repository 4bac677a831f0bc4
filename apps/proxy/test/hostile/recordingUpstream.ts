/** A service on a socket that writes down every byte it gets. */
import * as Effect from "effect/Effect"
import * as Net from "node:net"

/** Says what a request is answered with, bytes and all; null: nothing yet. An empty one breaks the connection. */
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
  return `HTTP/1.1 ${status} Said\r\n${
    lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  }\r\n${body}`
}

export interface RecordingUpstream {
  readonly port: number
  /** The whole of each request, in the order in which they came. */
  readonly requests: () => ReadonlyArray<string>
  readonly clear: () => void
  readonly respondWith: (say: Respond) => void
  /** Answers all that were never answered. */
  readonly releaseHeld: (said: string) => void
  /** Waits until so many requests have come. */
  readonly waitForRequests: (count: number) => Effect.Effect<void>
}

const content: Respond = () => rawResponse(200, `{"result":[],"cursor":null,"page":0,"page_size":100}`)

export const make = Effect.acquireRelease(
  Effect.async<RecordingUpstream & { readonly close: Effect.Effect<void> }>((resume) => {
    const state: { requests: Array<string>; say: Respond } = { requests: [], say: content }
    const sockets = new Set<Net.Socket>()
    const open: Array<Net.Socket> = []
    const waiting = new Set<() => void>()
    const server = Net.createServer((socket) => {
      sockets.add(socket)
      socket.on("close", () => sockets.delete(socket))
      socket.on("error", () => {})
      let came = ""
      socket.on("data", (piece) => {
        came += piece.toString("latin1")
        for (;;) {
          const length = lengthOf(came)
          if (length === undefined || came.length < length) return
          const request = came.slice(0, length)
          came = came.slice(length)
          state.requests.push(request)
          for (const one of waiting) one()
          const said = state.say(request)
          if (said === null) open.push(socket)
          else if (said === "") socket.destroy()
          else socket.write(Buffer.from(said, "utf8"))
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
        respondWith: (say: Respond) => {
          state.say = say
        },
        releaseHeld: (said: string) => {
          for (const socket of open.splice(0)) socket.write(said)
        },
        waitForRequests: (count: number) =>
          Effect.async<void>((resume) => {
            const one = () => {
              if (state.requests.length < count) return
              waiting.delete(one)
              resume(Effect.void)
            }
            waiting.add(one)
            one()
            return Effect.sync(() => void waiting.delete(one))
          }),
        close: Effect.sync(() => {
          server.close()
          for (const socket of sockets) socket.destroy()
        })
      }))
    })
  }),
  ({ close }) => close
)

/** Of the first request in what came, if its headers are there. */
const lengthOf = (came: string): number | undefined => {
  const end = came.indexOf("\r\n\r\n")
  if (end < 0) return undefined
  const length = /\r\ncontent-length: *(\d+)/i.exec(came.slice(0, end))?.[1] ?? "0"
  return end + 4 + Number(length)
}
