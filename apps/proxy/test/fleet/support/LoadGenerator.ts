/**
 * Clients that send requests continuously over persistent connections. Each alternates cache hits and misses, and checks
 * that the response belongs to its request.
 */
import { type Dispatcher, Pool } from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import { isFull } from "../../../../../packages/core/test/support/sample.ts"
import * as RawConnection from "./RawConnection.ts"

/**
 * - `pool`: one request after another on each connection.
 * - `pipelined`: several at once on one connection.
 * - `pausing`: on its own connection, with pauses shorter than the shutdown delay.
 * - `idle`: the same with longer pauses. Its connection may close while a request is in transit; the client resends it.
 */
type ConnectionKind = "pool" | "pipelined" | "pausing" | "idle"

/** Of clients that send all the time: in `.ci/full` they keep a core busy. */
const longestPause = isFull ? 10 : 100

/** Milliseconds between two requests of a client. */
const pauseRanges: { readonly [K in ConnectionKind]: readonly [least: number, most: number] } = {
  pool: [0, longestPause],
  pipelined: [0, longestPause],
  pausing: [0, 500],
  idle: [500, 4000]
}

/** A request and its result. */
export interface RecordedRequest {
  readonly kind: ConnectionKind
  readonly path: string
  /** The send time in milliseconds, by a monotonic clock. */
  readonly startedAt: number
  readonly durationMs: number
  /** 0 without a response. */
  readonly status: number
  /** The failure code of the proxy; empty without one. */
  readonly code: string
  /** Whether the response announces the end of the connection. */
  readonly closesConnection: boolean
  /** Whether the response was a cache hit. */
  readonly hit: boolean
  /** The error; empty without one. */
  readonly error: string
}

export interface LoadOptions {
  readonly port: number
  readonly clients: { readonly [K in ConnectionKind]?: number }
  /** The credentials, evaluated for each request. */
  readonly headers?: () => Readonly<Record<string, string>>
  /** The number of distinct requests that repeat. Default: 20. */
  readonly cachedPaths?: number
  /** Distinguishes the cache misses of this load from those of other loads. Default: 1. */
  readonly seed?: number
}

export interface RunningLoad {
  readonly requests: ReadonlyArray<RecordedRequest>
  /** Requests that idle clients resent, because the connection closed before the first byte of a response. */
  readonly resent: () => number
  /** Waits until all clients finish, and stops. */
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

/** Returns the error of a response. Responses of the upstream name their request. */
const bodyMismatch = (path: string, { body, status }: RawConnection.RawHttpResponse): string => {
  const name = fieldOf(body, "tokenName")
  return status !== 200 || (name !== "" && path.endsWith(name))
    ? ""
    : `requested ${path}, got ${body.slice(0, 200)}`
}

type SendRequest = (
  path: string
) => Effect.Effect<RawConnection.RawHttpResponse, RawConnection.ConnectionLost>

const throughPool =
  (dispatcher: Dispatcher, headers: () => Readonly<Record<string, string>>): SendRequest => (path) =>
    Effect.tryPromise({
      try: async () => {
        const { body, headers: responseHeaders, statusCode } = await dispatcher.request({
          path,
          method: "GET",
          headers: headers()
        })
        const single = Object.entries(responseHeaders).map(([name, value]) => [name, String(value)] as const)
        return { status: statusCode, headers: Object.fromEntries(single), body: await body.text() }
      },
      catch: (error) => new RawConnection.ConnectionLost({ message: String(error) })
    })

/** Sends requests on its own connection, and opens a new one once that has ended. */
const throughOwnConnection = (
  port: number,
  headers: () => Readonly<Record<string, string>>,
  /** Called before a request is resent; undefined disables resending. */
  repeated: (() => void) | undefined
) => {
  const held: { connection: RawConnection.RawConnection | undefined } = { connection: undefined }
  const send: SendRequest = (path) =>
    Effect.gen(function*() {
      const idle = held.connection?.isHalfClosed() === true ? undefined : held.connection
      const connection = idle ?? (yield* RawConnection.open(port))
      if (idle === undefined) held.connection?.socket.destroy()
      held.connection = connection
      connection.send(RawConnection.get(path, headers()))
      const response = yield* connection.nextResponse
      if (response?.headers["connection"] === "close") {
        held.connection = undefined
        yield* connection.closed
      }
      if (response !== undefined) return response
      if (idle === undefined || repeated === undefined) {
        return yield* new RawConnection.ConnectionLost({
          message: "the connection was closed before a response"
        })
      }
      // Idempotent requests may be resent on another connection: RFC 9112, 9.3.1
      repeated()
      return yield* send(path)
    })
  return { send, close: Effect.sync(() => held.connection?.socket.destroy()) }
}

/** Starts the clients. They stop with the scope at the latest. */
export const start = ({
  clients,
  headers = () => ({}),
  cachedPaths = 20,
  seed = 1,
  port
}: LoadOptions): Effect.Effect<RunningLoad, never, Scope.Scope> =>
  Effect.gen(function*() {
    const made: Array<RecordedRequest> = []
    const state = { running: true, repeated: 0, requests: 0 }
    const nextPath = (): string => {
      const next = state.requests++
      return pathOf(next % 2 === 1 ? seed * 10_000_000 + next : 1 + next / 2 % cachedPaths)
    }
    const one = (kind: ConnectionKind, send: SendRequest) =>
      Effect.gen(function*() {
        const path = nextPath()
        const at = performance.now()
        const response = yield* Effect.either(send(path))
        const millis = performance.now() - at
        const of = { kind, path, startedAt: at, durationMs: millis }
        if (response._tag === "Left") {
          made.push({
            ...of,
            status: 0,
            code: "",
            closesConnection: false,
            hit: false,
            error: response.left.message
          })
        } else {
          const { body, headers, status } = response.right
          made.push({
            ...of,
            status,
            code: status === 200 ? "" : fieldOf(body, "code"),
            closesConnection: headers["connection"] === "close",
            hit: headers["cache-status"]?.includes("; hit") === true,
            error: bodyMismatch(path, response.right)
          })
        }
        const [least, most] = pauseRanges[kind]
        yield* Effect.sleep(yield* Random.nextIntBetween(least, most))
      })
    const client = (kind: ConnectionKind, send: SendRequest) =>
      Effect.repeat(one(kind, send), { while: () => state.running })

    const pools: Array<Pool> = []
    /** Each has one connection: of several, some would be idle for longer than a pause. */
    const open = (pipelining: number): SendRequest => {
      const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1, pipelining })
      pools.push(pool)
      return throughPool(pool, headers)
    }
    yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all(pools.map((pool) => pool.destroy()))))
    const pipelined = open(4)
    const several = (count: number | undefined, of: () => Effect.Effect<unknown>) =>
      Array.from({ length: count ?? 0 }, of)
    const alone = (kind: "pausing" | "idle") => {
      const { send, close } = throughOwnConnection(
        port,
        headers,
        kind === "idle"
          ? () => state.repeated++
          : undefined
      )
      return Effect.ensuring(client(kind, send), close)
    }
    const fiber = yield* Effect.forkScoped(Effect.all([
      ...several(clients.pool, () => client("pool", open(1))),
      ...several(clients.pipelined, () => client("pipelined", pipelined)),
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

/** Returns the unexpected results: no response, a response to another request, or an unexpected failure. */
export const unexpectedFailures = (
  made: ReadonlyArray<RecordedRequest>,
  expected: ReadonlyArray<string> = []
): ReadonlyArray<RecordedRequest> =>
  made.filter(({ code, error, status }) => error !== "" || (status !== 200 && !expected.includes(code)))

/** Formats a summary. */
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
