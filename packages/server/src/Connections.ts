/** Tracks open connections and the requests on each of them, and limits what a client can occupy. */
import type * as Http from "node:http"
import type * as Net from "node:net"
import * as IpRanges from "./IpRanges.ts"

/** Further pipelined requests wait until earlier responses of the connection are sent. */
export const maxPendingResponses = 16

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

export interface ConnectionLimits {
  /** How long a client may read nothing, and the time over which `minSendRate` is measured, in milliseconds. */
  readonly sendIdleTimeoutMs: number
  readonly sendTimeoutMs: number
  /** In bytes per second. */
  readonly minSendRate: number
  /** Connections of one network that serve no accepted request. */
  readonly maxIdlePerNetwork: number
  /** Whether that applies to a peer with this IP address. */
  readonly isTrustedPeer: (address: string) => boolean
}

interface Exchange {
  readonly request: Http.IncomingMessage
  readonly response: Http.ServerResponse
}

/** A response that is not sent yet. */
interface PendingResponse {
  readonly response: Http.ServerResponse
  readonly onComplete: (sent: boolean) => void
  /** Returns the client of its request, or null if the request has none or is rejected. */
  readonly acceptedClient: () => string | null
}

interface OpenConnection {
  readonly socket: Net.Socket
  /**
   * Responses that are not sent yet, in the order of their requests. An array, because the table that a `Map` replaces
   * refers to the next one: a table that has become old keeps all later ones with what they contained until a full
   * garbage collection.
   */
  readonly inFlight: Array<PendingResponse>
  /** Pipelined requests that are not handled yet. Reading is paused while there are any. */
  readonly waiting: Array<Exchange>
  /** Whether some of them are handled in the next turn of the event loop. */
  handlesWaiting: boolean
  /** The latest request and its response, until both are complete. */
  latestExchange: Exchange | undefined
  /** The response with `connection: close`, once it is chosen. */
  lastResponse: Http.ServerResponse | undefined
  /** Bytes received at the last call of `closeIdle`, or undefined if requests were in flight then. */
  bytesAtLastCheck: number | undefined
  /** The client of the latest request that was answered, if it was accepted. */
  client: string | null
  sending: SendProgress | undefined
}

interface SendProgress {
  /** The writes that the system had accepted completely at the last call of `closeSlowReaders`, in bytes. */
  sent: number
  /** By how many bytes the client may fall behind the minimum rate before its connection is closed. */
  allowance: number
  /** The response that data waits for, and for how long its body has been complete, in milliseconds. */
  response: Http.ServerResponse | undefined
  responseMs: number
}

export class ConnectionTracker {
  readonly #open = new Map<unknown, OpenConnection>()
  /** Open connections of peers that are not trusted, in the order in which they were opened. */
  readonly #byNetwork = new Map<string, Set<OpenConnection>>()
  readonly #limits: ConnectionLimits
  readonly #handle: (request: Http.IncomingMessage, response: Http.ServerResponse) => void
  readonly #dropped = { ...noDrops }
  #waiting = 0

  constructor(
    limits: ConnectionLimits,
    handle: (request: Http.IncomingMessage, response: Http.ServerResponse) => void
  ) {
    this.#limits = limits
    this.#handle = handle
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
    const connection: OpenConnection = {
      socket,
      inFlight: [],
      waiting: [],
      handlesWaiting: false,
      latestExchange: undefined,
      lastResponse: undefined,
      bytesAtLastCheck: undefined,
      client: null,
      sending: undefined
    }
    this.#open.set(socket, connection)
    const { remoteAddress = "" } = socket
    const network = this.#limits.isTrustedPeer(remoteAddress) ? undefined : IpRanges.networkOf(remoteAddress)
    if (network !== undefined) this.#addToNetwork(network, connection)
    // Node resumes reading after each request, and when it has paused itself. It ignores `resume` while it pauses itself.
    socket.on("resume", () => {
      if (connection.waiting.length > 0) socket.pause()
    })
    socket.once("close", () => {
      this.#open.delete(socket)
      if (network !== undefined) this.#removeFromNetwork(network, connection)
      this.#dropWaiting(connection)
      // Node emits no event for a pipelined response that was still queued when the connection closed.
      for (const pending of connection.inFlight.slice()) this.#complete(connection, pending, false)
    })
  }

  /**
   * Closes the oldest connection of a network that serves no accepted request, if there are too many of them: one whose
   * latest request was not accepted, or else one of the client with the most of them.
   */
  #addToNetwork(network: string, connection: OpenConnection): void {
    const connections = this.#byNetwork.get(network) ?? new Set()
    this.#byNetwork.set(network, connections.add(connection))
    const { maxIdlePerNetwork } = this.#limits
    if (connections.size <= maxIdlePerNetwork) return
    const idle = [...connections].filter(({ inFlight }) =>
      inFlight.every(({ acceptedClient }) => acceptedClient() === null)
    )
    if (idle.length <= maxIdlePerNetwork) return
    const closed = idle.find((each) => each.client === null && each !== connection) ??
      oldestOfLargestClient(idle) ?? connection
    this.countDropped("max-idle-connections")
    closed.socket.destroy()
    this.#removeFromNetwork(network, closed)
  }

  #removeFromNetwork(network: string, connection: OpenConnection): void {
    const connections = this.#byNetwork.get(network)
    connections?.delete(connection)
    if (connections?.size === 0) this.#byNetwork.delete(network)
  }

  receive(request: Http.IncomingMessage, response: Http.ServerResponse): void {
    const connection = this.#open.get(request.socket)
    // After `connection: close` was announced: the client sent the request before it read the announcement.
    if (connection === undefined || connection.lastResponse !== undefined || connection.socket.destroyed) {
      return
    }
    connection.latestExchange = { request, response }
    if (connection.waiting.length === 0 && mayHandle(connection, request)) {
      return this.#handle(request, response)
    }
    this.#waiting += 1
    connection.waiting.push({ request, response })
    connection.socket.pause()
    if (this.#waiting > maxWaitingRequests) this.#closeConnectionWithMostWaiting(connection)
  }

  #closeConnectionWithMostWaiting(current: OpenConnection): void {
    let most = current
    for (const connection of this.#open.values()) {
      if (connection.waiting.length > most.waiting.length) most = connection
    }
    most.socket.destroy()
    this.countDropped("pipelining")
    this.#dropWaiting(most)
  }

  #dropWaiting({ waiting }: OpenConnection): void {
    this.#waiting -= waiting.length
    waiting.length = 0
  }

  trackRequest(
    { socket }: Http.IncomingMessage,
    response: Http.ServerResponse,
    onComplete: PendingResponse["onComplete"],
    acceptedClient: PendingResponse["acceptedClient"]
  ): void {
    const connection = this.#open.get(socket)
    if (connection === undefined) return onComplete(false)
    const pending = { response, onComplete, acceptedClient }
    connection.inFlight.push(pending)
    // `writableFinished` is also true after the connection was destroyed. The listener of Node may destroy it.
    let sent = false
    response.prependOnceListener("finish", () => {
      sent = !socket.destroyed
    })
    response.once("close", () => this.#complete(connection, pending, sent))
  }

  #complete(connection: OpenConnection, pending: PendingResponse, sent: boolean): void {
    const { inFlight, latestExchange, socket, waiting } = connection
    const index = inFlight.indexOf(pending)
    if (index === -1) return
    inFlight.splice(index, 1)
    connection.client = pending.acceptedClient()
    if (latestExchange?.response === pending.response && latestExchange.request.complete) {
      connection.latestExchange = undefined
    }
    pending.onComplete(sent)
    if (waiting.length === 0 || connection.handlesWaiting || socket.destroyed) return
    // In the next turn of the event loop, so that other connections come in between.
    connection.handlesWaiting = true
    setImmediate(() => this.#handleWaiting(connection))
  }

  #handleWaiting(connection: OpenConnection): void {
    const { socket, waiting } = connection
    connection.handlesWaiting = false
    if (socket.destroyed) return
    let count = 0
    for (const { request, response } of waiting) {
      if (count === maxPendingResponses || !mayHandle(connection, request)) break
      count += 1
      this.#handle(request, response)
    }
    waiting.splice(0, count)
    this.#waiting -= count
    if (waiting.length === 0) socket.resume()
  }

  /**
   * Whether a response must contain `connection: close`. `shouldClose` announces the end of the connection: requests that
   * are already pipelined behind this one are still served, and the last of their responses contains it.
   */
  isLastResponse(
    { socket }: Http.IncomingMessage,
    response: Http.ServerResponse,
    shouldClose: boolean
  ): boolean {
    const connection = this.#open.get(socket)
    if (connection === undefined) return true
    if (shouldClose) connection.lastResponse ??= connection.latestExchange?.response ?? response
    return connection.lastResponse === response
  }

  /**
   * Whether a raw error response could be mistaken for the response to another request: one in flight, or one that is
   * still being received.
   */
  hasPendingExchange(socket: unknown): boolean {
    const connection = this.#open.get(socket)
    return connection !== undefined &&
      (connection.inFlight.length > 0 || connection.latestExchange !== undefined ||
        connection.lastResponse !== undefined)
  }

  /**
   * Closes connections without activity since the previous call. `closeIdleConnections` of Node misses connections that
   * never received a byte, and closes connections whose response is still being sent.
   */
  closeIdle(): void {
    for (const connection of this.#open.values()) {
      const { bytesAtLastCheck, socket, inFlight } = connection
      const bytes = inFlight.length === 0 ? socket.bytesRead : undefined
      if (bytes !== undefined && bytes === bytesAtLastCheck) socket.destroy()
      connection.bytesAtLastCheck = bytes
    }
  }

  /**
   * Closes connections whose client reads too slowly, or does not close a connection that the server has ended.
   * `elapsedMs` is the time since the previous call.
   *
   * What the system has accepted of a write is not known until it has accepted all of it, so a client has the time that the rest
   * takes at the minimum rate. One that reads nothing is found by the timeout of its socket, which is set here: it begins again
   * whenever the system accepts bytes.
   */
  closeSlowReaders(elapsedMs: number): void {
    const { minSendRate, sendIdleTimeoutMs, sendTimeoutMs } = this.#limits
    const fullAllowance = minSendRate * sendIdleTimeoutMs / 1000
    for (const connection of this.#open.values()) {
      const { inFlight, sending, socket } = connection
      const { bytesWritten, writableEnded, writableLength } = socket
      if (writableLength === 0 && !writableEnded) {
        // Between two chunks of a stream the time continues.
        if (inFlight.length === 0) connection.sending = undefined
        continue
      }
      const response = inFlight[0]?.response
      const sent = bytesWritten - writableLength
      if (sending?.response !== response) socket.setTimeout(sendIdleTimeoutMs)
      if (sending === undefined) {
        connection.sending = { sent, allowance: fullAllowance, response, responseMs: 0 }
        continue
      }
      if (sending.response !== response || response?.writableEnded !== true) {
        sending.response = response
        sending.responseMs = 0
      } else {
        sending.responseMs += elapsedMs
      }
      const change = sent - sending.sent - minSendRate * elapsedMs / 1000
      sending.allowance = Math.min(fullAllowance, sending.allowance + change)
      sending.sent = sent
      if (sending.allowance + writableLength <= 0 || sending.responseMs >= sendTimeoutMs) {
        this.#closeSlow(socket)
      }
    }
  }

  /** Closes a connection whose timeout has passed without activity, unless its client waits for a response. */
  closeInactive(socket: Net.Socket): void {
    if (socket.writableLength > 0) this.#closeSlow(socket)
    else if ((this.#open.get(socket)?.inFlight.length ?? 0) === 0) socket.destroy()
  }

  #closeSlow(socket: Net.Socket): void {
    if (!socket.destroyed) this.countDropped("slow-reader")
    socket.destroy()
  }

  closeAll(): void {
    for (const { socket } of this.#open.values()) socket.destroy()
  }
}

const oldestOfLargestClient = (connections: ReadonlyArray<OpenConnection>): OpenConnection | undefined => {
  const counts = new Map<string | null, number>()
  for (const { client } of connections) counts.set(client, (counts.get(client) ?? 0) + 1)
  const most = Math.max(...counts.values())
  return connections.find(({ client }) => counts.get(client) === most)
}

/**
 * Whether a request may be handled before earlier responses of its connection are sent. Updates are applied in the order in
 * which the client sent them, so only safe requests are handled at the same time (RFC 9112, section 9.3.2).
 */
const mayHandle = ({ inFlight }: OpenConnection, request: Http.IncomingMessage): boolean =>
  inFlight[0] === undefined ||
  inFlight.length < maxPendingResponses && isSafe(request) && isSafe(inFlight[0].response.req)

/** Whether a request only reads (RFC 9110, section 9.2.1). */
const isSafe = ({ method }: Http.IncomingMessage): boolean =>
  method === "GET" || method === "HEAD" || method === "OPTIONS"
