/** Which connections are open, and which requests of each are being answered. */
import type * as Http from "node:http"
import type * as Net from "node:net"

interface Connection {
  readonly socket: Net.Socket
  /** Answers that have not gone yet, in the order of the requests, and whom to tell when they are over. */
  readonly underWay: Map<Http.ServerResponse, () => void>
  /** The request that came last, until it is in and answered. */
  latest: { readonly request: Http.IncomingMessage; readonly response: Http.ServerResponse } | undefined
  /** The answer that says that there are no more. */
  last: Http.ServerResponse | undefined
  /** Bytes that had come when it was looked at; undefined where something was being answered then. */
  silentAt: number | undefined
}

export class Connections {
  readonly #open = new Map<unknown, Connection>()

  get size(): number {
    return this.#open.size
  }

  opened(socket: Net.Socket): void {
    const connection: Connection = {
      socket,
      underWay: new Map(),
      latest: undefined,
      last: undefined,
      silentAt: undefined
    }
    this.#open.set(socket, connection)
    socket.once("close", () => {
      this.#open.delete(socket)
      // Node says nothing of an answer that stood behind another one when the connection went.
      for (const response of connection.underWay.keys()) ended(connection, response)
    })
  }

  /** A request is being answered. `over` is called once: when the answer has gone, or the connection. */
  took(request: Http.IncomingMessage, response: Http.ServerResponse, over: () => void): void {
    const connection = this.#open.get(request.socket)
    if (connection === undefined) return over()
    connection.underWay.set(response, over)
    connection.latest = { request, response }
    response.once("close", () => ended(connection, response))
  }

  /**
   * Whether an answer is to say that its connection ends with it. Others may have been asked for behind it: those are
   * given too, and the last of them says it.
   */
  isLast({ socket }: Http.IncomingMessage, response: Http.ServerResponse): boolean {
    const connection = this.#open.get(socket)
    if (connection === undefined) return true
    connection.last ??= connection.latest?.response ?? response
    return connection.last === response
  }

  /** Whether it was said that nothing more is answered. What comes all the same was sent before that was read. */
  isEnding(socket: unknown): boolean {
    return this.#open.get(socket)?.last !== undefined
  }

  /** Whether words of ours would pass for the answer to something else: to a request that is answered, or is coming in. */
  isSpokenFor(socket: unknown): boolean {
    const connection = this.#open.get(socket)
    return connection !== undefined &&
      (connection.underWay.size > 0 || connection.latest !== undefined || connection.last !== undefined)
  }

  /**
   * Closes the connections on which nothing has come or gone since the last look. Node's own way does not know of those
   * on which nothing ever came, and takes one for idle on which an answer is still being sent.
   */
  closeSilent(): void {
    for (const connection of this.#open.values()) {
      const { silentAt, socket, underWay } = connection
      const bytes = underWay.size === 0 ? socket.bytesRead : undefined
      if (bytes !== undefined && bytes === silentAt) socket.destroy()
      connection.silentAt = bytes
    }
  }

  closeAll(): void {
    for (const { socket } of this.#open.values()) socket.destroy()
  }
}

const ended = (connection: Connection, response: Http.ServerResponse): void => {
  const over = connection.underWay.get(response)
  if (over === undefined) return
  connection.underWay.delete(response)
  const { latest } = connection
  if (latest?.response === response && latest.request.complete) connection.latest = undefined
  over()
}
