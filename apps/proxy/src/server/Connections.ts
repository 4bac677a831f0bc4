/** Which connections are open, and which requests of each are being answered. */
import type * as Http from "node:http"
import type * as Net from "node:net"

interface OpenConnection {
  readonly socket: Net.Socket
  /** Answers that have not gone yet, in the order of the requests, and whom to tell when they are over. */
  readonly inFlight: Map<Http.ServerResponse, () => void>
  /** The request that came last, until it is in and answered. */
  latestExchange:
    | { readonly request: Http.IncomingMessage; readonly response: Http.ServerResponse }
    | undefined
  /** The answer that says that there are no more. */
  lastResponse: Http.ServerResponse | undefined
  /** Bytes that had come when it was looked at; undefined where something was being answered then. */
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
      // Node says nothing of an answer that stood behind another one when the connection went.
      for (const response of connection.inFlight.keys()) completeResponse(connection, response)
    })
  }

  /** A request is being answered. `over` is called once: when the answer has gone, or the connection. */
  trackRequest(request: Http.IncomingMessage, response: Http.ServerResponse, onComplete: () => void): void {
    const connection = this.#open.get(request.socket)
    if (connection === undefined) return onComplete()
    connection.inFlight.set(response, onComplete)
    connection.latestExchange = { request, response }
    response.once("close", () => completeResponse(connection, response))
  }

  /**
   * Whether an answer is to say that its connection ends with it. Others may have been asked for behind it: those are
   * given too, and the last of them says it.
   */
  isLastResponse({ socket }: Http.IncomingMessage, response: Http.ServerResponse): boolean {
    const connection = this.#open.get(socket)
    if (connection === undefined) return true
    connection.lastResponse ??= connection.latestExchange?.response ?? response
    return connection.lastResponse === response
  }

  /** Whether it was said that nothing more is answered. What comes all the same was sent before that was read. */
  isClosing(socket: unknown): boolean {
    return this.#open.get(socket)?.lastResponse !== undefined
  }

  /** Whether words of ours would pass for the answer to something else: to a request that is answered, or is coming in. */
  hasPendingExchange(socket: unknown): boolean {
    const connection = this.#open.get(socket)
    return connection !== undefined &&
      (connection.inFlight.size > 0 || connection.latestExchange !== undefined ||
        connection.lastResponse !== undefined)
  }

  /**
   * Closes the connections on which nothing has come or gone since the last look. Node's own way does not know of those
   * on which nothing ever came, and takes one for idle on which an answer is still being sent.
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
