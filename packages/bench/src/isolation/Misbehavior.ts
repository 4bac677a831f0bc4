/** The ways in which the noisy client of the isolation benchmark behaves badly. */
import { connect, type Socket } from "node:net"

/** Requests of the noisy client. Paths have a query. */
export interface NoisyRequests {
  readonly token: string
  readonly path: string
  readonly largePath: string
  readonly hangingPath: string
}

export interface Misbehavior {
  readonly name: string
  readonly connections: number
  /** The rate limit of the noisy client in the benchmark. Default: one that it does not reach. */
  readonly rateLimit?: string
  /** Returns what connection `index` sends. `sequence` is unique. */
  readonly text: (requests: NoisyRequests, sequence: number) => string
  /** Whether a connection reads its responses and then sends again. Otherwise it sends once, and reads nothing. */
  readonly reads?: boolean
  /** Whether a connection is closed when it has sent its request, and opened again. */
  readonly reconnects?: boolean
}

const get = (token: string | null, target: string): string =>
  `GET ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\n${token === null ? "" : `x-api-key: ${token}\r\n`}\r\n`

const post = (token: string, length: number): string =>
  `POST /streams/evm/a/status HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${token}\r\n` +
  `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`

export const misbehaviors: ReadonlyArray<Misbehavior> = [
  { name: "pipelines pages, reads nothing", connections: 4, text: () => get(null, "/docs").repeat(700) },
  {
    name: "pipelines 401s, reads nothing",
    connections: 2,
    text: ({ path }) => get(null, path).repeat(20_000)
  },
  {
    name: "hanging upstream",
    connections: 520,
    text: ({ hangingPath, token }, sequence) => get(token, `${hangingPath}&n=${sequence}`)
  },
  {
    name: "slow reading",
    connections: 64,
    text: ({ largePath, token }, sequence) => get(token, `${largePath}&n=${sequence}`)
  },
  { name: "slow sending", connections: 200, text: ({ token }) => `${post(token, 10_000)}{` },
  { name: "flood of 401", connections: 300, reads: true, text: ({ path }) => get("unknown", path) },
  { name: "flood of 404", connections: 300, reads: true, text: ({ token }) => get(token, "/nowhere") },
  {
    name: "flood of 429",
    connections: 300,
    rateLimit: "10/s",
    reads: true,
    text: ({ path, token }) => get(token, path)
  },
  {
    name: "flood of lists",
    connections: 300,
    reads: true,
    text: ({ path, token }, sequence) => get(token, `/all${path}&from_block=${sequence}`)
  },
  {
    name: "large lists, reads nothing",
    connections: 64,
    text: ({ largePath, token }, sequence) => get(token, `/all${largePath}&from_block=${sequence}`)
  },
  {
    name: "large bodies",
    connections: 16,
    text: ({ token }) => post(token, 7 * 2 ** 20) + " ".repeat(7 * 2 ** 20)
  },
  {
    name: "random queries",
    connections: 64,
    reads: true,
    text: ({ path, token }, sequence) => get(token, `${path}&n=${sequence}`)
  },
  { name: "many connections", connections: 2000, text: () => "" },
  {
    name: "reconnect storm",
    connections: 32,
    reconnects: true,
    text: ({ path, token }, sequence) => get(token, `${path}&n=${sequence}`)
  }
]

/** Starts to behave badly, and returns a function that stops it. */
export const start = (
  { connections, reads = false, reconnects = false, text }: Misbehavior,
  port: number,
  requests: NoisyRequests
): () => void => {
  const sockets = new Set<Socket>()
  let sequence = 0
  let stopped = false
  const open = (): void => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(text(requests, ++sequence), () => reconnects && socket.destroy())
    })
    sockets.add(socket)
    // The proxy may close a connection whose client behaves badly
    socket.on("error", () => {})
    socket.on("close", () => {
      sockets.delete(socket)
      if (!stopped && (reads || reconnects)) setImmediate(open)
    })
    // A small response arrives in one chunk
    if (reads) socket.on("data", () => socket.write(text(requests, ++sequence)))
    else socket.pause()
  }
  for (let count = 0; count < connections; count++) open()
  return () => {
    stopped = true
    for (const socket of sockets) socket.destroy()
  }
}
