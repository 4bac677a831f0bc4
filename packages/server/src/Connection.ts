/**
 * One connection: its requests in their order, and who sent the latest one. It does not know of other connections, and closes
 * nothing by itself.
 */
import type * as Http from "node:http"
import type * as Net from "node:net"
import { SendProgress } from "./SendProgress.ts"

/** Further pipelined requests wait until earlier responses of the connection are sent. */
export const maxPendingResponses = 16

export interface Exchange {
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
export interface PendingResponse {
  readonly response: Http.ServerResponse
  readonly onComplete: (sent: boolean) => void
  readonly owner: () => RequestOwner
}

export class Connection {
  readonly socket: Net.Socket
  /**
   * Responses that are not sent yet, in the order of their requests. An array, because the table that a `Map` replaces
   * refers to the next one: a table that has become old keeps all later ones with what they contained until a full
   * garbage collection.
   */
  readonly inFlight: Array<PendingResponse> = []
  /** Pipelined requests that are not handled yet. Reading is paused while there are any. */
  readonly waiting: Array<Exchange> = []
  readonly sending = new SendProgress()
  /** When the latest request was answered, or else the connection was opened. */
  idleSince: number
  /** The latest request and its response, until both are complete. */
  latestExchange: Exchange | undefined
  /** The response with `connection: close`, once it is chosen. */
  lastResponse: Http.ServerResponse | undefined
  /** The owner of the latest request that was answered, and the bytes that were received until then. */
  #owner = noOwner
  #bytesBefore = 0
  /** Bytes received at the last call of `isUnusedSinceCheck`, or undefined if requests were in flight then. */
  #bytesAtLastCheck: number | undefined

  constructor(socket: Net.Socket, now: number) {
    this.socket = socket
    this.idleSince = now
  }

  /** Removes a response that was sent, or cannot be sent any more. Returns false if it was removed already. */
  complete({ owner, response }: PendingResponse, now: number): boolean {
    const index = this.inFlight.findIndex((pending) => pending.response === response)
    if (index === -1) return false
    this.inFlight.splice(index, 1)
    this.#owner = owner()
    this.idleSince = now
    this.#bytesBefore = this.socket.bytesRead
    if (this.latestExchange?.response === response && this.latestExchange.request.complete) {
      this.latestExchange = undefined
    }
    return true
  }

  /** Who sent the latest request. */
  owner(): RequestOwner {
    return this.inFlight.at(-1)?.owner() ?? this.#owner
  }

  /** Whether a request is being processed: its client is identified, and has sent all of it. */
  isServing(): boolean {
    return this.inFlight.some(({ owner, response }) =>
      response.req.complete && owner().client !== null && !owner().isRejected
    )
  }

  /** Whether not even a part of a request has arrived since the latest response. */
  isUnused(): boolean {
    return this.inFlight.length === 0 && this.socket.bytesRead === this.#bytesBefore
  }

  /** Whether nothing has happened since the previous call. */
  isUnusedSinceCheck(): boolean {
    const bytes = this.inFlight.length === 0 ? this.socket.bytesRead : undefined
    const isUnused = bytes !== undefined && bytes === this.#bytesAtLastCheck
    this.#bytesAtLastCheck = bytes
    return isUnused
  }

  /**
   * Whether a request may be handled before earlier responses are sent. Updates are applied in the order in which the client
   * sent them, so only safe requests are handled at the same time (RFC 9112, section 9.3.2).
   */
  mayHandle(request: Http.IncomingMessage): boolean {
    const [first] = this.inFlight
    return first === undefined ||
      this.inFlight.length < maxPendingResponses && isSafe(request) && isSafe(first.response.req)
  }

  /**
   * Whether a response must contain `connection: close`. `shouldClose` announces the end of the connection: requests that
   * are already pipelined behind this one are still served, and the last of their responses contains it.
   */
  isLastResponse(response: Http.ServerResponse, shouldClose: boolean): boolean {
    if (shouldClose) this.lastResponse ??= this.latestExchange?.response ?? response
    return this.lastResponse === response
  }

  /**
   * Whether bytes were received, and a raw error response cannot be mistaken for the response to another request: one in
   * flight, or one that is still being received.
   */
  allowsRawError(): boolean {
    return this.inFlight.length === 0 && this.latestExchange === undefined &&
      this.lastResponse === undefined &&
      this.socket.bytesRead > 0
  }

  /**
   * Whether a handler reads the body of a request, for which it has a timeout of its own, and has not responded. Its response
   * then ends the connection, because Node looks for each late request once.
   */
  endsAfterBody(): boolean {
    const response = this.inFlight.at(-1)?.response
    const receivesBody = response?.req.complete === false && response.req.readableFlowing === true &&
      !response.writableEnded
    if (receivesBody) this.lastResponse ??= response
    return receivesBody
  }

  /** Closes the connection, perhaps within a response. */
  abort(): void {
    abort(this.socket, this.inFlight[0]?.response)
  }
}

/** Closes a connection within a response. The close would be the end of a body of HTTP/1.0, so the connection is reset then. */
export const abort = (socket: Net.Socket, response: Http.ServerResponse | undefined): void => {
  if (response?.headersSent === true && response.req.httpVersion === "1.0") socket.resetAndDestroy()
  else socket.destroy()
}

/** Whether a request only reads (RFC 9110, section 9.2.1). */
const isSafe = ({ method }: Http.IncomingMessage): boolean =>
  method === "GET" || method === "HEAD" || method === "OPTIONS"
