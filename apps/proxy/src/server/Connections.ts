/** Tracks open connections and the requests in flight on each of them. */
import type * as Http from "node:http"
import type * as Net from "node:net"

interface OpenConnection {
  readonly socket: Net.Socket
  /** Responses that are not sent yet, in the order of their requests, with their completion callbacks. */
  readonly inFlight: Map<Http.ServerResponse, () => void>
  /** The latest request and its response, until both are complete. */
  latestExchange:
    | { readonly request: Http.IncomingMessage; readonly response: Http.ServerResponse }
    | undefined
  /** The response with `connection: close`, once it is chosen. */
  lastResponse: Http.ServerResponse | undefined
  /** Bytes received at the last call of `closeIdle`, or undefined if requests were in flight then. */
  bytesAtLastCheck: number | undefined
}

export class ConnectionTracker {
  readonly #open = new Map<unknown, OpenConnection>()

  get size(): number {
    return this.#open.size
  }

  add(socket: Net.Socket): void {
    const connection: OpenConnection = {
      socket,
      inFlight: new Map(),
      latestExchange: undefined,
      lastResponse: undefined,
      bytesAtLastCheck: undefined
    }
    this.#open.set(socket, connection)
    socket.once("close", () => {
      this.#open.delete(socket)
      // Node emits no event for a pipelined response that was still queued when the connection closed.
      for (const response of connection.inFlight.keys()) completeResponse(connection, response)
    })
  }

  /** Tracks a request. Calls `onComplete` once, when the response is sent or the connection is closed. */
  trackRequest(request: Http.IncomingMessage, response: Http.ServerResponse, onComplete: () => void): void {
    const connection = this.#open.get(request.socket)
    if (connection === undefined) return onComplete()
    connection.inFlight.set(response, onComplete)
    connection.latestExchange = { request, response }
    response.once("close", () => completeResponse(connection, response))
  }

  /**
   * Whether a response must contain `connection: close`. Requests that are already pipelined behind it are still
   * served, and the last of their responses contains it.
   */
  isLastResponse({ socket }: Http.IncomingMessage, response: Http.ServerResponse): boolean {
    const connection = this.#open.get(socket)
    if (connection === undefined) return true
    connection.lastResponse ??= connection.latestExchange?.response ?? response
    return connection.lastResponse === response
  }

  /**
   * Whether `connection: close` was announced. Later requests are ignored: the client sent them before it read the
   * announcement.
   */
  isClosing(socket: unknown): boolean {
    return this.#open.get(socket)?.lastResponse !== undefined
  }

  /**
   * Whether a raw error response could be mistaken for the response to another request: one in flight, or one that is
   * still being received.
   */
  hasPendingExchange(socket: unknown): boolean {
    const connection = this.#open.get(socket)
    return connection !== undefined &&
      (connection.inFlight.size > 0 || connection.latestExchange !== undefined ||
        connection.lastResponse !== undefined)
  }

  /**
   * Closes connections without activity since the previous call. `closeIdleConnections` of Node misses connections that
   * never received a byte, and closes connections whose response is still being sent.
   */
  closeIdle(): void {
    for (const connection of this.#open.values()) {
      const { bytesAtLastCheck, socket, inFlight } = connection
      const bytes = inFlight.size === 0 ? socket.bytesRead : undefined
      if (bytes !== undefined && bytes === bytesAtLastCheck) socket.destroy()
      connection.bytesAtLastCheck = bytes
    }
  }

  closeAll(): void {
    for (const { socket } of this.#open.values()) socket.destroy()
  }
}

const completeResponse = (connection: OpenConnection, response: Http.ServerResponse): void => {
  const onComplete = connection.inFlight.get(response)
  if (onComplete === undefined) return
  connection.inFlight.delete(response)
  const { latestExchange } = connection
  if (latestExchange?.response === response && latestExchange.request.complete) {
    connection.latestExchange = undefined
  }
  onComplete()
}
