/**
 * Clients that ask all the time, over connections that they keep. Each asks hits and misses in turn, and looks whether
 * the answer is the one to its question.
 */
import { type Dispatcher, Pool } from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import * as RawConnection from "./RawConnection.ts"

/**
 * - `pool`: one request after another on each connection.
 * - `pipelined`: several at once on one connection.
 * - `pausing`: on a connection of its own, which it never leaves idle for as long as an announcement takes.
 * - `idle`: the same with longer pauses. Its connection may be closed while its request is on the way, which it sends again.
 */
type ConnectionKind = "pool" | "pipelined" | "pausing" | "idle"

/** Milliseconds between two requests of a client. */
const pauseRanges: { readonly [K in ConnectionKind]: readonly [least: number, most: number] } = {
  pool: [0, 10],
  pipelined: [0, 10],
  pausing: [0, 500],
  idle: [500, 4000]
}

/** A request that was made, and what came of it. */
export interface RecordedRequest {
  readonly kind: ConnectionKind
  readonly path: string
  /** When it was sent, in milliseconds, by a clock that is never set. */
  readonly startedAt: number
  readonly durationMs: number
  /** 0 where no answer came. */
  readonly status: number
  /** What the proxy calls its failure; empty where it is none. */
  readonly code: string
  /** Whether it was said that the connection ends. */
  readonly closesConnection: boolean
  /** Whether the answer was a kept one. */
  readonly hit: boolean
  /** What was wrong; empty where nothing was. */
  readonly error: string
}

export interface LoadOptions {
  readonly port: number
  readonly clients: { readonly [K in ConnectionKind]?: number }
  /** What tells who asks; looked at for each request. */
  readonly headers?: () => Readonly<Record<string, string>>
  /** How many questions are asked again and again. Default: 20. */
  readonly cachedPaths?: number
  /** Tells the questions that nobody asked before from those of other loads. Default: 1. */
  readonly seed?: number
}

export interface RunningLoad {
  readonly requests: ReadonlyArray<RecordedRequest>
  /** Requests of idle clients that were sent again: their connection had gone before a byte of an answer came. */
  readonly resent: () => number
  /** Lets everybody finish, and ends. */
  readonly stop: Effect.Effect<void>
}

export const pathOf = (address: number): string =>
  `/api/v2.2/erc20/0x${address.toString(16).padStart(40, "0")}/price?chain=0x1`

const fieldOf = (body: string, name: string): string => {
  try {
    const parsed: unknown = JSON.parse(body)
    return Predicate.isRecord(parsed) ? String(parsed[name] ?? "") : ""
  } catch {
    return ""
  }
}

/** What is wrong with an answer: that of the service names what was asked. */
const bodyMismatch = (path: string, { body, status }: RawConnection.RawHttpResponse): string => {
  const name = fieldOf(body, "tokenName")
  return status !== 200 || (name !== "" && path.endsWith(name))
    ? ""
    : `asked ${path}, got ${body.slice(0, 200)}`
}

type SendRequest = (
  path: string
) => Effect.Effect<RawConnection.RawHttpResponse, RawConnection.ConnectionLost>

const throughPool =
  (dispatcher: Dispatcher, headers: () => Readonly<Record<string, string>>): SendRequest => (path) =>
    Effect.tryPromise({
      try: async () => {
        const { body, headers: given, statusCode } = await dispatcher.request({
          path,
          method: "GET",
          headers: headers()
        })
        const single = Object.entries(given).map(([name, value]) => [name, String(value)] as const)
        return { status: statusCode, headers: Object.fromEntries(single), body: await body.text() }
      },
      catch: (error) => new RawConnection.ConnectionLost({ message: String(error) })
    })

/** On a connection of its own. Where it is known to have ended, the next request goes on another one. */
const throughOwnConnection = (
  port: number,
  headers: () => Readonly<Record<string, string>>,
  /** Called where a request is to be sent again; undefined where none is. */
  repeated: (() => void) | undefined
) => {
  const held: { connection: RawConnection.RawConnection | undefined } = { connection: undefined }
  const ask: SendRequest = (path) =>
    Effect.gen(function*() {
      const kept = held.connection?.isHalfClosed() === true ? undefined : held.connection
      const connection = kept ?? (yield* RawConnection.open(port))
      if (kept === undefined) held.connection?.socket.destroy()
      held.connection = connection
      connection.send(RawConnection.get(path, headers()))
      const answer = yield* connection.nextResponse
      if (answer?.headers["connection"] === "close") {
        held.connection = undefined
        yield* connection.closed
      }
      if (answer !== undefined) return answer
      if (kept === undefined || repeated === undefined) {
        return yield* new RawConnection.ConnectionLost({
          message: "the connection was closed before an answer came"
        })
      }
      // What changes nothing may be sent again on another connection: RFC 9112, 9.3.1.
      repeated()
      return yield* ask(path)
    })
  return { ask, close: Effect.sync(() => held.connection?.socket.destroy()) }
}

/** Starts the clients. They stop with the scope, if not before. */
export const start = ({
  clients,
  headers = () => ({}),
  cachedPaths = 20,
  seed = 1,
  port
}: LoadOptions): Effect.Effect<RunningLoad, never, Scope.Scope> =>
  Effect.gen(function*() {
    const made: Array<RecordedRequest> = []
    const state = { running: true, repeated: 0, questions: 0 }
    const question = (): string => {
      const next = state.questions++
      return pathOf(next % 2 === 1 ? seed * 10_000_000 + next : 1 + next / 2 % cachedPaths)
    }
    const one = (kind: ConnectionKind, ask: SendRequest) =>
      Effect.gen(function*() {
        const path = question()
        const at = performance.now()
        const answer = yield* Effect.either(ask(path))
        const millis = performance.now() - at
        const of = { kind, path, startedAt: at, durationMs: millis }
        if (answer._tag === "Left") {
          made.push({
            ...of,
            status: 0,
            code: "",
            closesConnection: false,
            hit: false,
            error: answer.left.message
          })
        } else {
          const { body, headers, status } = answer.right
          made.push({
            ...of,
            status,
            code: status === 200 ? "" : fieldOf(body, "code"),
            closesConnection: headers["connection"] === "close",
            hit: headers["cache-status"]?.includes("; hit") === true,
            error: bodyMismatch(path, answer.right)
          })
        }
        const [least, most] = pauseRanges[kind]
        yield* Effect.sleep(yield* Random.nextIntBetween(least, most))
      })
    const client = (kind: ConnectionKind, ask: SendRequest) =>
      Effect.repeat(one(kind, ask), { while: () => state.running })

    const connections = clients.pool ?? 0
    const pool = new Pool(`http://127.0.0.1:${port}`, { connections: Math.max(1, connections) })
    const pipeline = new Pool(`http://127.0.0.1:${port}`, { connections: 1, pipelining: 4 })
    yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all([pool.destroy(), pipeline.destroy()])))
    const several = (count: number | undefined, of: () => Effect.Effect<unknown>) =>
      Array.from({ length: count ?? 0 }, of)
    const alone = (kind: "pausing" | "idle") => {
      const { ask, close } = throughOwnConnection(
        port,
        headers,
        kind === "idle"
          ? () => state.repeated++
          : undefined
      )
      return Effect.ensuring(client(kind, ask), close)
    }
    const fiber = yield* Effect.forkScoped(Effect.all([
      ...several(clients.pool, () => client("pool", throughPool(pool, headers))),
      ...several(clients.pipelined, () => client("pipelined", throughPool(pipeline, headers))),
      ...several(clients.pausing, () => alone("pausing")),
      ...several(clients.idle, () => alone("idle"))
    ], { concurrency: "unbounded", discard: true }))
    return {
      requests: made,
      resent: () => state.repeated,
      stop: Effect.suspend(() => {
        state.running = false
        return Effect.orDie(Fiber.join(fiber))
      })
    }
  })

/** What did not go as it should: no answer, the answer to something else, or a failure that is not looked for. */
export const unexpectedFailures = (
  made: ReadonlyArray<RecordedRequest>,
  expected: ReadonlyArray<string> = []
): ReadonlyArray<RecordedRequest> =>
  made.filter(({ code, error, status }) => error !== "" || (status !== 200 && !expected.includes(code)))

/** Figures, for people. */
export const summarize = (made: ReadonlyArray<RecordedRequest>): string => {
  const times = made.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b)
  const at = (part: number) =>
    (times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0).toFixed(1)
  const statuses = new Map<string, number>()
  for (const { code, status } of made) {
    const key = code === "" ? String(status) : `${status} ${code}`
    statuses.set(key, (statuses.get(key) ?? 0) + 1)
  }
  return [
    `${made.length} requests`,
    [...statuses].map(([status, count]) => `${count} x ${status}`).join(", "),
    `${made.filter(({ hit }) => hit).length} hits`,
    `median ${at(0.5)} ms, 99 % ${at(0.99)} ms, slowest ${at(1)} ms`
  ].join("; ")
}
