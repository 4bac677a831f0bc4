/** All open connections: hands their requests to the handler in turn, and closes connections that occupy too much. */
import type * as Http from "node:http"
import type * as Net from "node:net"
import { Connection, type Exchange, maxPendingResponses, type PendingResponse } from "./Connection.ts"
import { IdleConnections, type IdleLimits } from "./IdleConnections.ts"
import * as IpRanges from "./IpRanges.ts"
import type { SendLimits } from "./SendProgress.ts"

/**
 * How many pipelined requests may wait on all connections together. Reading stops while requests wait, but Node parses
 * all requests of a chunk, up to 64 KiB. The connection with the most waiting requests is closed if there are more.
 */
export const maxWaitingRequests = 8192

/**
 * No connections that the server closed on its own initiative, by reason: `limits.maxConnections` were open, their client read
 * too slowly, they had the most waiting requests, or their address had too many idle ones.
 */
export const noDrops = { "max-connections": 0, "slow-reader": 0, pipelining: 0, "max-idle-connections": 0 }

export interface ConnectionCounts {
  readonly open: number
  /** Connections with a response that is not sent yet. */
  readonly pending: number
  readonly dropped: Readonly<typeof noDrops>
}

export interface ConnectionLimits extends SendLimits, IdleLimits {
  /** Whether a peer with this IP address is exempt from `maxIdlePerNetwork`. */
  readonly isTrustedPeer: (address: string) => boolean
}

type Handle = (request: Http.IncomingMessage, response: Http.ServerResponse) => void

export class Connections {
  readonly #open = new Map<unknown, Connection>()
  readonly #idle: IdleConnections
  readonly #requests: WaitingRequests
  readonly #limits: ConnectionLimits
  readonly #dropped = { ...noDrops }

  constructor(limits: ConnectionLimits, handle: Handle) {
    this.#limits = limits
    this.#requests = new WaitingRequests(handle)
    this.#idle = new IdleConnections(limits, (connection) => {
      this.countDropped("max-idle-connections")
      connection.abort()
    })
  }

  count(): ConnectionCounts {
    let pending = 0
    for (const { inFlight } of this.#open.values()) {
      if (inFlight.length > 0) pending += 1
    }
    return { open: this.#open.size, pending, dropped: this.#dropped }
  }

  countDropped(reason: keyof typeof noDrops): void {
    this.#dropped[reason] += 1
  }

  add(socket: Net.Socket): void {
    const connection = new Connection(socket, this.#limits.now())
    this.#open.set(socket, connection)
    const { remoteAddress = "" } = socket
    const network = this.#limits.isTrustedPeer(remoteAddress) ? undefined : IpRanges.networkOf(remoteAddress)
    if (network !== undefined) this.#idle.add(network, connection)
    // Node resumes reading after each request, and when it has paused itself. It ignores `resume` while it pauses itself.
    socket.on("resume", () => {
      if (connection.waiting.length > 0) socket.pause()
    })
    socket.once("close", () => {
      this.#open.delete(socket)
      if (network !== undefined) this.#idle.remove(network, connection)
      this.#requests.drop(connection)
      // Node emits no event for a pipelined response that was still queued when the connection closed.
      for (const pending of connection.inFlight.slice()) this.#complete(connection, pending, false)
    })
  }

  receive(request: Http.IncomingMessage, response: Http.ServerResponse): void {
    const connection = this.#open.get(request.socket)
    // After `connection: close` was announced: the client sent the request before it read the announcement.
    if (connection === undefined || connection.lastResponse !== undefined || connection.socket.destroyed) {
      return
    }
    this.#requests.receive(connection, { request, response })
    if (!this.#requests.isFull()) return
    const longer = (a: Connection, b: Connection) => b.waiting.length > a.waiting.length ? b : a
    const most = [...this.#open.values()].reduce(longer, connection)
    most.socket.destroy()
    this.countDropped("pipelining")
    this.#requests.drop(most)
  }

  /** Tracks a request that is handled until its response is sent. */
  track({ socket }: Http.IncomingMessage, pending: PendingResponse): void {
    const connection = this.#open.get(socket)
    if (connection === undefined) return pending.onComplete(false)
    connection.inFlight.push(pending)
    // `writableFinished` is also true after the connection was destroyed. The listener of Node may destroy it.
    let sent = false
    pending.response.prependOnceListener("finish", () => {
      sent = !socket.destroyed
    })
    pending.response.once("close", () => this.#complete(connection, pending, sent))
  }

  #complete(connection: Connection, pending: PendingResponse, sent: boolean): void {
    if (!connection.complete(pending, this.#limits.now())) return
    pending.onComplete(sent)
    this.#requests.continue(connection)
  }

  /** Returns the connection of a socket, if it is open. */
  of(socket: unknown): Connection | undefined {
    return this.#open.get(socket)
  }

  /**
   * Closes connections without activity since the previous call. `closeIdleConnections` of Node misses connections that
   * never received a byte, and closes connections whose response is still being sent.
   */
  closeIdle(): void {
    for (const connection of this.#open.values()) {
      if (connection.isUnusedSinceCheck()) connection.socket.destroy()
    }
  }

  closeSlowReaders(elapsedMs: number): void {
    for (const connection of this.#open.values()) {
      const { inFlight, sending, socket } = connection
      if (sending.isTooSlow(socket, inFlight[0]?.response, elapsedMs, this.#limits)) {
        this.#closeSlow(connection)
      }
    }
  }

  /** Closes a connection whose timeout has passed without activity, unless its client waits for a response. */
  closeInactive(socket: Net.Socket): void {
    const connection = this.#open.get(socket)
    if (connection !== undefined && socket.writableLength > 0) this.#closeSlow(connection)
    else if ((connection?.inFlight.length ?? 0) === 0) socket.destroy()
  }

  #closeSlow(connection: Connection): void {
    if (!connection.socket.destroyed) this.countDropped("slow-reader")
    connection.abort()
  }

  closeAll(): void {
    for (const connection of this.#open.values()) connection.abort()
  }
}

/** Hands requests to the handler in their order; pipelined ones wait for earlier responses. */
class WaitingRequests {
  readonly #handle: Handle
  /** Connections whose waiting requests are handled in the next turn of the event loop. */
  readonly #continued = new Set<Connection>()
  #count = 0

  constructor(handle: Handle) {
    this.#handle = handle
  }

  isFull(): boolean {
    return this.#count > maxWaitingRequests
  }

  receive(connection: Connection, exchange: Exchange): void {
    const { request, response } = exchange
    connection.latestExchange = exchange
    if (connection.waiting.length === 0 && connection.mayHandle(request)) {
      return this.#handle(request, response)
    }
    this.#count += 1
    connection.waiting.push(exchange)
    connection.socket.pause()
  }

  drop({ waiting }: Connection): void {
    this.#count -= waiting.length
    waiting.length = 0
  }

  /** A response of the connection is complete. */
  continue(connection: Connection): void {
    const { socket, waiting } = connection
    if (waiting.length === 0 || this.#continued.has(connection) || socket.destroyed) return
    // In the next turn of the event loop, so that other connections come in between.
    this.#continued.add(connection)
    setImmediate(() => {
      this.#continued.delete(connection)
      if (!socket.destroyed) this.#handleWaiting(connection)
    })
  }

  #handleWaiting(connection: Connection): void {
    const { socket, waiting } = connection
    let count = 0
    for (const { request, response } of waiting) {
      if (count === maxPendingResponses || !connection.mayHandle(request)) break
      count += 1
      this.#handle(request, response)
    }
    waiting.splice(0, count)
    this.#count -= count
    if (waiting.length === 0) socket.resume()
  }
}
