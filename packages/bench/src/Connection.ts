/**
 * One connection of HTTP/1.1 on which one request is under way at a time. It knows as much of the protocol as the
 * answers need, and costs so little that it does not disturb what it measures.
 */
import { connect as open } from "node:net"

export interface HttpResponse {
  readonly status: number
  /** The status line and the headers. */
  readonly head: string
  /** Put together where it came in chunks. */
  readonly body: Buffer
}

export interface Connection {
  /** Sends a request, as it is written on the wire. Rejects where the connection ends before the answer does. */
  readonly send: (request: string) => Promise<HttpResponse>
  /** Ends it at once, whatever is under way. */
  readonly close: () => void
}

/** A request for a path and query. */
export const formatGet = (target: string, headers: Readonly<Record<string, string>> = {}): string => {
  const lines = Object.entries({ host: "127.0.0.1", accept: "application/json", ...headers })
  return `GET ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`
}

/** The value of an answer's header. */
export const headerOf = ({ head }: HttpResponse, name: string): string | undefined =>
  new RegExp(`\r\n${name}: *([^\r]*)`, "i").exec(head)?.[1]

/** Puts one answer together from the pieces it comes in. */
export class ResponseParser {
  private chunks: Array<Buffer> = []
  private length = 0
  private head: string | null = null
  /** How long head and body are; undefined where the body comes in chunks. */
  private messageLength: number | undefined

  /** Gives the answer with its last piece. */
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

  private readSized(head: string, whole: number): Buffer | undefined {
    if (this.length < whole) return undefined
    if (this.length > whole) throw new Error("more came than one answer")
    return this.concatenated().subarray(head.length)
  }

  private readChunked(head: string): Buffer | undefined {
    // Its end is looked at first: answers in chunks are few, but they come in many pieces.
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
    if (length === undefined) throw new Error(`an answer without content-length: ${this.head}`)
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

/** Statuses whose answers have no body, whatever their headers say. */
const statusesWithoutBody: ReadonlySet<number> = new Set([204, 304])

const statusOf = (head: string): number => Number(head.slice(9, 12))

/** A body that comes in chunks; undefined where there are more to come. */
const decodeChunked = (bytes: Buffer): Buffer | undefined => {
  const parts: Array<Buffer> = []
  let at = 0
  while (true) {
    const end = bytes.indexOf(lineEnd, at)
    if (end === -1) return undefined
    const size = Number.parseInt(bytes.toString("latin1", at, end), 16)
    if (Number.isNaN(size)) throw new Error("a chunk that does not say its length")
    const begin = end + lineEnd.byteLength
    at = begin + size + lineEnd.byteLength
    if (bytes.byteLength < at) return undefined
    if (!bytes.subarray(begin + size, at).equals(lineEnd)) {
      throw new Error("a chunk that is longer than it says")
    }
    if (size === 0) {
      if (bytes.byteLength > at) throw new Error("more came than one answer")
      return Buffer.concat(parts)
    }
    parts.push(bytes.subarray(begin, begin + size))
  }
}

interface PendingRequest {
  readonly resolve: (answer: HttpResponse) => void
  readonly reject: (reason: Error) => void
}

export const openConnection = (port: number): Promise<Connection> =>
  new Promise((resolve, reject) => {
    const socket = open({ port, host: "127.0.0.1", noDelay: true })
    const reader = new ResponseParser()
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
    socket.on("close", () => fail(new Error("the connection was closed")))
    socket.on("data", (chunk) => {
      try {
        const answer = reader.push(chunk)
        if (answer === undefined) return
        if (pending === undefined) throw new Error("an answer that nobody asked for")
        const { resolve } = pending
        pending = undefined
        resolve(answer)
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
        close: () => fail(new Error("hung up"))
      }))
  })
