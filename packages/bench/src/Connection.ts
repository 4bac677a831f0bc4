/**
 * An HTTP/1.1 connection with one request in flight at a time. Supports only the features that the responses use, and takes
 * so little CPU time that it does not affect measurements.
 */
import { connect as open } from "node:net"

export interface HttpResponse {
  readonly status: number
  /** The status line and the headers. */
  readonly head: string
  /** The decoded body if it was chunked. */
  readonly body: Buffer
}

export interface Connection {
  /** Sends a raw request. Rejects if the connection closes before the response is complete. */
  readonly send: (request: string) => Promise<HttpResponse>
  /** Closes the connection immediately, also with a request in flight. */
  readonly close: () => void
}

/** Formats a GET request. */
export const formatGet = (target: string, headers: Readonly<Record<string, string>> = {}): string => {
  const lines = Object.entries({ host: "127.0.0.1", accept: "application/json", ...headers })
  return `GET ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`
}

/** Returns the value of a response header. */
export const headerOf = ({ head }: HttpResponse, name: string): string | undefined =>
  new RegExp(`\r\n${name}: *([^\r]*)`, "i").exec(head)?.[1]

/** Parses responses incrementally. */
export class ResponseParser {
  private chunks: Array<Buffer> = []
  private length = 0
  private head: string | null = null
  /** The length of head and body, or undefined if the body is chunked. */
  private messageLength: number | undefined

  /** Adds a chunk. Returns the response when it is complete. */
  push(chunk: Buffer): HttpResponse | undefined {
    this.chunks.push(chunk)
    this.length += chunk.byteLength
    if (this.head === null) this.readHead()
    const { head } = this
    if (head === null) return undefined
    const body = this.messageLength === undefined
      ? this.readChunked(head)
      : this.readSized(head, this.messageLength)
    if (body === undefined) return undefined
    this.chunks = []
    this.length = 0
    this.head = null
    return { status: statusOf(head), head, body }
  }

  private readSized(head: string, messageLength: number): Buffer | undefined {
    if (this.length < messageLength) return undefined
    if (this.length > messageLength) throw new Error("unexpected data after the response")
    return this.concatenated().subarray(head.length)
  }

  private readChunked(head: string): Buffer | undefined {
    // Checks the end first, because chunked responses arrive in many parts
    if (!(this.chunks.at(-1) ?? Buffer.alloc(0)).subarray(-2).equals(lineEnd)) return undefined
    return decodeChunked(this.concatenated().subarray(head.length))
  }

  private readHead(): void {
    const bytes = this.concatenated()
    const end = bytes.indexOf("\r\n\r\n")
    if (end === -1) return
    this.head = bytes.toString("latin1", 0, end + 4)
    const length = statusesWithoutBody.has(statusOf(this.head))
      ? 0
      : /\r\ncontent-length: *(\d+)/i.exec(this.head)?.[1]
    if (length === undefined && /\r\ntransfer-encoding: *chunked/i.test(this.head)) {
      this.messageLength = undefined
      return
    }
    if (length === undefined) throw new Error(`response without content-length: ${this.head}`)
    this.messageLength = this.head.length + Number(length)
  }

  private concatenated(): Buffer {
    const [first] = this.chunks
    const joined = first !== undefined && this.chunks.length === 1 ? first : Buffer.concat(this.chunks)
    this.chunks = [joined]
    return joined
  }
}

const lineEnd = Buffer.from("\r\n")

/** Statuses of responses without a body, independent of their headers. */
const statusesWithoutBody: ReadonlySet<number> = new Set([204, 304])

const statusOf = (head: string): number => Number(head.slice(9, 12))

/** Decodes a chunked body. Returns undefined if it is incomplete. */
const decodeChunked = (bytes: Buffer): Buffer | undefined => {
  const parts: Array<Buffer> = []
  let at = 0
  while (true) {
    const end = bytes.indexOf(lineEnd, at)
    if (end === -1) return undefined
    const size = Number.parseInt(bytes.toString("latin1", at, end), 16)
    if (Number.isNaN(size)) throw new Error("invalid chunk size")
    const begin = end + lineEnd.byteLength
    at = begin + size + lineEnd.byteLength
    if (bytes.byteLength < at) return undefined
    if (!bytes.subarray(begin + size, at).equals(lineEnd)) {
      throw new Error("chunk longer than its declared size")
    }
    if (size === 0) {
      if (bytes.byteLength > at) throw new Error("unexpected data after the response")
      return Buffer.concat(parts)
    }
    parts.push(bytes.subarray(begin, begin + size))
  }
}

interface PendingRequest {
  readonly resolve: (response: HttpResponse) => void
  readonly reject: (reason: Error) => void
}

export const openConnection = (port: number): Promise<Connection> =>
  new Promise((resolve, reject) => {
    const socket = open({ port, host: "127.0.0.1", noDelay: true })
    const parser = new ResponseParser()
    let pending: PendingRequest | undefined
    let closeReason: Error | undefined
    const fail = (reason: Error) => {
      closeReason ??= reason
      reject(closeReason)
      pending?.reject(closeReason)
      pending = undefined
      socket.destroy()
    }
    socket.on("error", fail)
    socket.on("close", () => fail(new Error("connection closed")))
    socket.on("data", (chunk) => {
      try {
        const response = parser.push(chunk)
        if (response === undefined) return
        if (pending === undefined) throw new Error("response without a pending request")
        const { resolve } = pending
        pending = undefined
        resolve(response)
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)))
      }
    })
    socket.once("connect", () =>
      resolve({
        send: (request) =>
          new Promise((resolve, reject) => {
            if (closeReason !== undefined) return reject(closeReason)
            pending = { resolve, reject }
            socket.write(request)
          }),
        close: () => fail(new Error("closed by the client"))
      }))
  })
