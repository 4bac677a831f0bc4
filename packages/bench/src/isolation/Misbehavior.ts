/** The ways in which the noisy client of the soak test and of tests of the proxy behaves badly. */
import { connect, type Socket } from "node:net"

export interface Misbehavior {
  readonly name: string
  readonly connections: number
  /** The rate limit of the noisy client in tests. Default: one that it does not reach. */
  readonly rateLimit?: string
  /** Returns what a connection sends. `sequence` is unique. */
  readonly text: (sequence: number) => string
  /** Whether a connection reads its responses and then sends again. Otherwise it sends once, and reads nothing. */
  readonly reads?: boolean
  /** Whether a connection is closed when it has sent its request, and opened again. */
  readonly reconnects?: boolean
}

/** The token of a client of the proxy. */
export const tokenOf = (client: string): string => `token of the ${client} client`

export const noisyClient = "noisy"

const token = tokenOf(noisyClient)

/** The path of a list of transfers. */
export const pathOf = (digit: string): string => `/api/v2.2/0x${digit.repeat(40)}/erc20/transfers`

/** What the noisy client requests. */
export const noisyPaths = { small: pathOf("a"), large: pathOf("b"), hanging: pathOf("f") }

const small = `${noisyPaths.small}?limit=10&chain=eth`
const large = `${noisyPaths.large}?limit=100&chain=eth`
const hanging = `${noisyPaths.hanging}?limit=10&chain=eth`

const get = (token: string | null, target: string): string =>
  `GET ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\n${token === null ? "" : `x-api-key: ${token}\r\n`}\r\n`

const post = (length: number): string =>
  `POST /streams/evm/a/status HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${token}\r\n` +
  `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`

/** Requests that no cache entry answers. */
const uncached = (target: string) => (sequence: number) => get(token, `${target}&n=${sequence}`)

const list = (target: string) => (sequence: number) => get(token, `/all${target}&from_block=${sequence}`)

export const misbehaviors: ReadonlyArray<Misbehavior> = [
  {
    name: "pipelines pages, reads nothing",
    connections: 4,
    text: () => get(null, "/openapi.json").repeat(700)
  },
  { name: "pipelines 401s, reads nothing", connections: 2, text: () => get(null, small).repeat(20_000) },
  { name: "slow reading", connections: 64, text: uncached(large) },
  { name: "slow sending", connections: 200, text: () => `${post(10_000)}{` },
  { name: "flood of 401", connections: 300, reads: true, text: () => get("unknown", small) },
  { name: "flood of 403", connections: 300, reads: true, text: () => get(token, "/nowhere") },
  {
    name: "flood of 429",
    connections: 300,
    rateLimit: "10/s",
    reads: true,
    text: () => get(token, small)
  },
  { name: "flood of lists", connections: 300, reads: true, text: list(small) },
  { name: "large lists, reads nothing", connections: 64, text: list(large) },
  { name: "large bodies", connections: 16, text: () => post(7 * 2 ** 20) + " ".repeat(7 * 2 ** 20) },
  { name: "random queries", connections: 64, reads: true, text: uncached(small) },
  { name: "many connections", connections: 2000, text: () => "" },
  { name: "reconnect storm", connections: 32, reconnects: true, text: uncached(small) },
  // Last, because the calls take longest to end
  { name: "hanging upstream", connections: 520, text: uncached(hanging) }
]

/** Starts to behave badly, and returns a function that stops it. */
export const start = (
  { connections, reads = false, reconnects = false, text }: Misbehavior,
  port: number
): () => void => {
  const sockets = new Set<Socket>()
  let sequence = 0
  let stopped = false
  const open = (): void => {
    if (stopped) return
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(text(++sequence), () => reconnects && socket.destroy())
    })
    sockets.add(socket)
    // The proxy may close a connection whose client behaves badly
    socket.on("error", () => {})
    socket.on("close", () => {
      sockets.delete(socket)
      if (reads || reconnects) setImmediate(open)
    })
    // A small response arrives in one chunk
    if (reads) socket.on("data", () => socket.write(text(++sequence)))
    else socket.pause()
  }
  for (let count = 0; count < connections; count++) open()
  return () => {
    stopped = true
    for (const socket of sockets) socket.destroy()
  }
}
