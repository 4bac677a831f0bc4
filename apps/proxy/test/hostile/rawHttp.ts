/** Raw connections, and a strict parser of responses. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Net from "node:net"

/** One byte for each character up to U+00FF. */
export const bytes = (text: string): Buffer => Buffer.from(text, "latin1")

/** A GET request with header lines. */
export const get = (target: string, ...headers: ReadonlyArray<string>): Buffer =>
  bytes(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`)

/** Lets tests wait for what a socket or a log brings. */
export const makeChanges = () => {
  const waiting = new Set<() => void>()
  return {
    notify: (): void => waiting.forEach((check) => check()),
    /** Waits until `result` is defined. It is evaluated now and after every change. */
    when: <A, E>(result: () => Effect.Effect<A, E> | undefined): Effect.Effect<A, E> =>
      Effect.async((resume) => {
        const check = () => {
          const found = result()
          if (found === undefined) return
          waiting.delete(check)
          resume(found)
        }
        waiting.add(check)
        check()
        return Effect.sync(() => void waiting.delete(check))
      })
  }
}

/** The connection was closed or could not be opened. */
export class ConnectionClosed extends Data.TaggedError("Closed")<{ readonly read: string }> {}

/** An open connection. */
export interface HeldConnection {
  readonly socket: Net.Socket
  readonly read: () => string
  /** Waits until the received text matches a condition. */
  readonly until: (fits: (read: string) => boolean) => Effect.Effect<string, ConnectionClosed>
  /** Waits for a number of responses, and returns those that were received. */
  readonly responses: (count: number) => Effect.Effect<ReadonlyArray<ParsedResponse>, ConnectionClosed>
  readonly closed: Effect.Effect<string>
}

/** Opens a connection and reads from it continuously. `localAddress` is the address of the client. */
export const openConnection = (port: number, localAddress = "127.0.0.1") =>
  Effect.acquireRelease(
    Effect.async<HeldConnection, ConnectionClosed>((resume) => {
      const socket = Net.connect(
        { port, host: "127.0.0.1", localAddress },
        () => resume(Effect.succeed({ socket, read: () => read, until, responses, closed }))
      )
      const { notify, when } = makeChanges()
      let read = ""
      let isClosed = false
      socket.on("data", (piece) => {
        read += piece.toString("latin1")
        notify()
      })
      socket.on("error", (error) => resume(new ConnectionClosed({ read: String(error) })))
      socket.on("close", () => {
        isClosed = true
        notify()
      })
      const closed = when(() => isClosed ? Effect.succeed(read) : undefined)
      const until: HeldConnection["until"] = (fits) =>
        when(() =>
          fits(read)
            ? Effect.succeed(read)
            : isClosed
            ? Effect.fail(new ConnectionClosed({ read }))
            : undefined
        )
      const responses: HeldConnection["responses"] = (count) =>
        Effect.map(
          until((read) => parseResponses(read).responses.length === count),
          (read) => parseResponses(read).responses
        )
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

/** Writes bytes and returns everything received until the connection ends. */
export const exchange = (port: number, sent: Buffer): Effect.Effect<string> =>
  openConnection(port).pipe(
    Effect.tap(({ socket }) => socket.write(sent)),
    Effect.flatMap(({ closed }) => closed),
    Effect.catchAll(({ read }) => Effect.succeed(read)),
    Effect.scoped
  )

export interface ParsedResponse {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string
}

export const header = ({ headers }: ParsedResponse, name: string): string | undefined =>
  headers.find(([one]) => one.toLowerCase() === name)?.[1]

export const statuses = (stream: string): ReadonlyArray<number> =>
  parseResponses(stream).responses.map(({ status }) => status)

/** The final responses of a stream. `problem` describes the first part that is not a valid response. */
export interface ParsedStream {
  readonly responses: ReadonlyArray<ParsedResponse>
  readonly problem: string | null
  /** The response without its last chunk, if that is the problem. */
  readonly incomplete?: ParsedResponse
}

/** Parses a stream strictly according to RFC 9112. `headOnly` returns whether the response at an index has no body. */
export const parseResponses = (
  stream: string,
  headOnly: (index: number) => boolean = () => false
): ParsedStream => {
  const responses: Array<ParsedResponse> = []
  let rest = stream
  const stop = (problem: string): ParsedStream => ({
    responses,
    problem: `${problem}: ${JSON.stringify(rest.slice(0, 200))}`
  })
  while (rest !== "") {
    const end = rest.indexOf("\r\n\r\n")
    if (end < 0) return stop("unterminated headers")
    const [statusLine = "", ...lines] = rest.slice(0, end).split("\r\n")
    const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) [ -~]+$/.exec(statusLine)?.[1] ?? 0)
    if (status === 0) return stop("invalid status line")
    const headers: Array<readonly [string, string]> = []
    for (const line of lines) {
      const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([ -~]*)$/.exec(line) ?? []
      if (name === undefined || value === undefined) return stop(`invalid header: ${JSON.stringify(line)}`)
      headers.push([name, value])
    }
    const names = headers.map(([name]) => name.toLowerCase())
    if (new Set(names).size < names.length) return stop("duplicate header")
    rest = rest.slice(end + 4)
    if (status < 200) continue
    const response = { status, headers, body: "" }
    const length = header(response, "content-length")
    const coding = header(response, "transfer-encoding")
    if (length !== undefined && (coding !== undefined || !/^\d+$/.test(length))) {
      return stop("conflicting lengths")
    }
    if (status === 204 || status === 304 || headOnly(responses.length)) {
      responses.push(response)
      continue
    }
    const body = length !== undefined
      ? rest.slice(0, Number(length))
      : coding === "chunked"
      ? chunked(rest)
      : undefined
    if (body === undefined) return stop("missing or invalid length")
    if (typeof body !== "string" && !body.complete) {
      return { ...stop("no last chunk"), incomplete: { ...response, body: body.text } }
    }
    const prefix = typeof body === "string" ? body : body.whole
    if (length !== undefined && prefix.length < Number(length)) return stop("truncated body")
    responses.push({ ...response, body: typeof body === "string" ? body : body.text })
    rest = rest.slice(prefix.length)
  }
  return { responses, problem: null }
}

interface Chunks {
  readonly whole: string
  readonly text: string
  readonly complete: boolean
}

const chunked = (stream: string): Chunks | undefined => {
  let at = 0
  let text = ""
  for (;;) {
    if (at === stream.length) return { whole: stream, text, complete: false }
    const size = /^([0-9a-f]+)\r\n/i.exec(stream.slice(at, at + 20))
    if (size === null) return undefined
    const length = Number.parseInt(size[1] ?? "", 16)
    at += size[0].length
    if (stream.slice(at + length, at + length + 2) !== "\r\n") return undefined
    text += stream.slice(at, at + length)
    at += length + 2
    if (length === 0) return { whole: stream.slice(0, at), text, complete: true }
  }
}
