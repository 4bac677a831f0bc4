/** Tracks open connections and the requests on each of them, and limits what a client can occupy. */
import * as Arr from "effect/Array"
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
  /** Connections of one network that serve no request of a client. */
  readonly maxIdlePerNetwork: number
  /** The idle time that is announced to clients. 0 if none is. */
  readonly keepAliveHintMs: number
  readonly now: () => number
  /** Whether that applies to a peer with this IP address. */
  readonly isTrustedPeer: (address: string) => boolean
}

interface Exchange {
  readonly request: Http.IncomingMessage
  readonly response: Http.ServerResponse
}

/** Whose request it is, as far as is known. */
export interface RequestOwner {
  readonly client: string | null
  /** Whether the request is rejected because of what the client sent. The response may be delayed. */
  readonly isRejected: boolean
}

/** The owner of a request whose client is not identified. */
export const noOwner: RequestOwner = { client: null, isRejected: false }

/** A response that is not sent yet. */
interface PendingResponse {
  readonly response: Http.ServerResponse
  readonly onComplete: (sent: boolean) => void
  readonly owner: () => RequestOwner
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
  /** The owner of the latest request that was answered. */
  owner: RequestOwner
  /** When that was, or else the connection was opened: the time, and the bytes received before. */
  idleSince: number
  bytesBefore: number
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
  /** Those of them that were opened in this turn of the event loop, above the limit. */
  readonly #added = new Map<string, Set<OpenConnection>>()
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
      owner: noOwner,
      idleSince: this.#limits.now(),
      bytesBefore: 0,
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

  #addToNetwork(network: string, connection: OpenConnection): void {
    const connections = this.#byNetwork.get(network) ?? new Set()
    this.#byNetwork.set(network, connections.add(connection))
    if (connections.size <= this.#limits.maxIdlePerNetwork) return
    const added = this.#added.get(network) ?? new Set()
    this.#added.set(network, added.add(connection))
    if (added.size > 1) return
    // After the next poll phase of the event loop, which reads the requests that have arrived on any of them.
    setImmediate(() => {
      this.#added.delete(network)
      setImmediate(() => this.#limitIdle(network, added))
    })
  }

  /** Closes connections of a network if too many serve no request of a client. */
  #limitIdle(network: string, added: ReadonlySet<OpenConnection>): void {
    const { keepAliveHintMs, maxIdlePerNetwork, now } = this.#limits
    // Those that were added count although they may: nothing closes one when its request is complete.
    const idle = [...this.#byNetwork.get(network) ?? []]
      .filter((each) => added.has(each) || !each.inFlight.some(isServed))
    if (idle.length <= maxIdlePerNetwork) return
    // The announcement and the next request are on their way for a while.
    const unusedSince = keepAliveHintMs === 0 ? Number.NEGATIVE_INFINITY : now() - keepAliveHintMs - 1000
    const { rejected = [], stale = [], unidentified = [], ...byClient } = Arr.groupBy(
      idle.sort((a, b) => a.idleSince - b.idleSince),
      (each) => {
        if (each.idleSince < unusedSince && isUnused(each)) return "stale"
        const { client, isRejected } = ownerOf(each)
        return client !== null ? `client ${client}` : isRejected ? "rejected" : "unidentified"
      }
    )
    const unneeded = [...stale, ...rejected]
    const clients = Object.values(byClient).map((each) => Arr.partition(each, (one) => !isUnused(one)).flat())
    for (let count = idle.length; count > maxIdlePerNetwork; count--) {
      // New connections have time for their first request, but many of them do not replace those of clients.
      const closed = unneeded.shift() ?? (unidentified.length > count / 2
        ? unidentified
        : clients.reduce((a, b) => b.length > a.length ? b : a)).shift()
      if (closed === undefined) return
      this.countDropped("max-idle-connections")
      abort(closed.socket, closed.inFlight[0]?.response)
      this.#removeFromNetwork(network, closed)
    }
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
    owner: PendingResponse["owner"]
  ): void {
    const connection = this.#open.get(socket)
    if (connection === undefined) return onComplete(false)
    const pending = { response, onComplete, owner }
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
    connection.owner = pending.owner()
    connection.idleSince = this.#limits.now()
    connection.bytesBefore = socket.bytesRead
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
   * Whether bytes were received, and a raw error response cannot be mistaken for the response to another request: one in
   * flight, or one that is still being received.
   */
  allowsRawError(socket: unknown): boolean {
    const connection = this.#open.get(socket)
    return connection === undefined ||
      connection.inFlight.length === 0 && connection.latestExchange === undefined &&
        connection.lastResponse === undefined && connection.socket.bytesRead > 0
  }

  /**
   * Whether a handler reads the body of a request, for which it has a timeout of its own, and has not responded. Its response then
   * ends the connection, because Node looks for each late request once.
   */
  endsAfterBody(socket: unknown): boolean {
    const connection = this.#open.get(socket)
    const response = connection?.inFlight.at(-1)?.response
    const receivesBody = response?.req.complete === false && response.req.readableFlowing === true &&
      !response.writableEnded
    if (receivesBody && connection !== undefined) connection.lastResponse ??= response
    return receivesBody
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

  #closeSlow({ inFlight, socket }: OpenConnection): void {
    if (!socket.destroyed) this.countDropped("slow-reader")
    abort(socket, inFlight[0]?.response)
  }

  closeAll(): void {
    for (const { inFlight, socket } of this.#open.values()) abort(socket, inFlight[0]?.response)
  }
}

/** Whether a request is being processed: its client is identified, and has sent all of it. */
const isServed = ({ owner, response }: PendingResponse): boolean =>
  response.req.complete && owner().client !== null && !owner().isRejected

const ownerOf = ({ inFlight, owner }: OpenConnection): RequestOwner => inFlight.at(-1)?.owner() ?? owner

/** Whether not even a part of a request has arrived since the latest response. */
const isUnused = ({ bytesBefore, inFlight, socket }: OpenConnection): boolean =>
  inFlight.length === 0 && socket.bytesRead === bytesBefore

/** Closes a connection within a response. The close would be the end of a body of HTTP/1.0, so the connection is reset then. */
export const abort = (socket: Net.Socket, response: Http.ServerResponse | undefined): void => {
  if (response?.headersSent === true && response.req.httpVersion === "1.0") socket.resetAndDestroy()
  else socket.destroy()
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
