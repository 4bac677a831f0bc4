/** Connections on which every byte is the test's own, and a reader of answers that forgives nothing. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Net from "node:net"

/** One byte for each character up to U+00FF. */
export const bytes = (text: string): Buffer => Buffer.from(text, "latin1")

/** Writes, and reads until the connection is closed or breaks: what was read by then. */
export const exchange = (port: number, sent: Buffer | ReadonlyArray<Buffer>): Effect.Effect<string> =>
  Effect.async((resume) => {
    const socket = Net.connect(port, "127.0.0.1", () => {
      for (const piece of Buffer.isBuffer(sent) ? [sent] : sent) socket.write(piece)
    })
    const read: Array<Buffer> = []
    socket.on("data", (piece) => read.push(piece))
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.succeed(Buffer.concat(read).toString("latin1"))))
    return Effect.sync(() => socket.destroy())
  })

/** The connection was closed, or never opened. */
export class ConnectionClosed extends Data.TaggedError("Closed")<{ readonly read: string }> {}

/** A connection that the test holds. */
export interface HeldConnection {
  readonly socket: Net.Socket
  readonly read: () => string
  /** Waits until what was read fits. */
  readonly until: (fits: (read: string) => boolean) => Effect.Effect<string, ConnectionClosed>
  readonly closed: Effect.Effect<string>
}

/** Opens a connection, and reads all the time. */
export const openConnection = (port: number) =>
  Effect.acquireRelease(
    Effect.async<HeldConnection, ConnectionClosed>((resume) => {
      const socket = Net.connect(port, "127.0.0.1", () => resume(Effect.succeed(held)))
      const state = { read: "", closed: false }
      const waiting = new Set<() => void>()
      const look = () => {
        for (const one of waiting) one()
      }
      socket.on("data", (piece) => {
        state.read += piece.toString("latin1")
        look()
      })
      socket.on("error", (error) => resume(new ConnectionClosed({ read: String(error) })))
      socket.on("close", () => {
        state.closed = true
        look()
      })
      const when = <E>(result: () => Effect.Effect<string, E> | undefined): Effect.Effect<string, E> =>
        Effect.async((resume) => {
          const one = () => {
            const found = result()
            if (found === undefined) return
            waiting.delete(one)
            resume(found)
          }
          waiting.add(one)
          one()
          return Effect.sync(() => void waiting.delete(one))
        })
      const held: HeldConnection = {
        socket,
        read: () => state.read,
        until: (fits) =>
          when(() =>
            fits(state.read)
              ? Effect.succeed(state.read)
              : state.closed
              ? Effect.fail(new ConnectionClosed({ read: state.read }))
              : undefined
          ),
        closed: when(() => state.closed ? Effect.succeed(state.read) : undefined)
      }
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

export interface ParsedResponse {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string
}

export const header = ({ headers }: ParsedResponse, name: string): string | undefined =>
  headers.find(([one]) => one.toLowerCase() === name)?.[1]

/** What a stream of answers holds; `problem` where something in it is no answer. Interim answers are left out. */
export interface ParsedStream {
  readonly responses: ReadonlyArray<ParsedResponse>
  readonly problem: string | null
}

/** Reads a stream as RFC 9112 has it, and no other way. `headOnly`: which answers, by their place, have no body. */
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
    if (end < 0) return stop("no end of the headers")
    const [statusLine = "", ...lines] = rest.slice(0, end).split("\r\n")
    const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) [ -~]+$/.exec(statusLine)?.[1] ?? 0)
    if (status === 0) return stop("no status line")
    const headers: Array<readonly [string, string]> = []
    for (const line of lines) {
      const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([ -~]*)$/.exec(line) ?? []
      if (name === undefined || value === undefined) return stop(`no header: ${JSON.stringify(line)}`)
      headers.push([name, value])
    }
    const names = headers.map(([name]) => name.toLowerCase())
    if (new Set(names).size < names.length) return stop("a header twice")
    rest = rest.slice(end + 4)
    if (status < 200) continue
    const response = { status, headers, body: "" }
    const length = header(response, "content-length")
    const coding = header(response, "transfer-encoding")
    if (length !== undefined && (coding !== undefined || !/^\d+$/.test(length))) return stop("two lengths")
    if (status === 204 || status === 304 || headOnly(responses.length)) {
      responses.push(response)
      continue
    }
    const body = length !== undefined
      ? rest.slice(0, Number(length))
      : coding === "chunked"
      ? chunked(rest)
      : undefined
    if (body === undefined) return stop("no length, or a broken one")
    const taken = typeof body === "string" ? body : body.whole
    if (length !== undefined && taken.length < Number(length)) return stop("a short body")
    responses.push({ ...response, body: typeof body === "string" ? body : body.text })
    rest = rest.slice(taken.length)
  }
  return { responses, problem: null }
}

const chunked = (stream: string): { readonly whole: string; readonly text: string } | undefined => {
  let at = 0
  let text = ""
  for (;;) {
    const size = /^([0-9a-f]+)\r\n/i.exec(stream.slice(at, at + 20))
    if (size === null) return undefined
    const length = Number.parseInt(size[1] ?? "", 16)
    at += size[0].length
    if (stream.slice(at + length, at + length + 2) !== "\r\n") return undefined
    text += stream.slice(at, at + length)
    at += length + 2
    if (length === 0) return { whole: stream.slice(0, at), text }
  }
}
