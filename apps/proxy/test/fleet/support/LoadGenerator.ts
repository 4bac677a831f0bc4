/**
 * Clients that send requests continuously over persistent connections. They alternate cache hits and misses, and check
 * that each response belongs to its request.
 */
import { buildConnector, Client } from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import { isFull } from "../../../../../packages/core/test/support/sample.ts"
import { type ConditionTimeout, eventually } from "./Eventually.ts"

/** Milliseconds. In `.ci/full` clients that send all the time keep a core busy. */
const shortPause = [0, isFull ? 10 : 100] as const

/**
 * - `busy`: one request after another on each connection.
 * - `pipelined`: several at once on one connection.
 * - `pausing`: with pauses shorter than the shutdown delay.
 * - `idle`: with longer pauses. Its connection may close while a request is in transit; the client sends it again.
 */
const kinds = {
  busy: { pause: shortPause, repeats: 0 },
  pipelined: { pause: shortPause, repeats: 0 },
  pausing: { pause: [0, 500], repeats: 0 },
  idle: { pause: [500, 4000], repeats: 1 }
} as const

/** A request and its result. */
interface RecordedRequest {
  /** `ok`, the failure code of the proxy, or what is wrong. */
  readonly outcome: string
  /** Whether the response announces the end of the connection. */
  readonly closesConnection: boolean
}

interface LoadOptions {
  /** Evaluated for each connection. */
  readonly port: () => number
  readonly clients: { readonly [K in keyof typeof kinds]?: number }
  /** The API key, evaluated for each request. */
  readonly token?: () => string
  /** Distinguishes the cache misses of this load from those of other loads. Default: 1. */
  readonly seed?: number
}

export interface RunningLoad {
  readonly requests: ReadonlyArray<RecordedRequest>
  /** Waits for `count` more requests. */
  readonly more: (count: number) => Effect.Effect<void, ConditionTimeout>
  /** Stops when the requests in flight have ended, and returns the outcomes that are not `ok`. */
  readonly stop: () => Effect.Effect<ReadonlyArray<string>>
}

export const pathOf = (address: number): string =>
  `/api/v2.2/erc20/0x${address.toString(16).padStart(40, "0")}/price?chain=0x1`

/** Below all addresses that a load with this seed requests, besides those that repeat. */
export const seedOf = (target: string): number =>
  Math.floor(Number(/0x[0-9a-f]{40}/.exec(target)?.[0] ?? 0) / 10_000_000)

/** The number of requests that repeat. */
const cachedPaths = 20

/** Responses of the upstream name their request. */
const outcomeOf = (path: string, status: number, text: string): string => {
  const body: unknown = JSON.parse(text)
  if (status !== 200 && Predicate.hasProperty(body, "code")) return String(body.code)
  return status === 200 && Predicate.hasProperty(body, "tokenName") && body.tokenName === path
    ? "ok"
    : `requested ${path}, got ${status} ${text.slice(0, 200)}`
}

/** Starts the clients. They stop with the scope at the latest. */
export const start = (
  { clients, port, seed = 1, token }: LoadOptions
): Effect.Effect<RunningLoad, never, Scope.Scope> =>
  Effect.gen(function*() {
    const requests: Array<RecordedRequest> = []
    let isRunning = true
    let sequence = 0
    const connector = buildConnector({})
    const open = (pipelining: number) =>
      Effect.acquireRelease(
        Effect.sync(() =>
          new Client("http://127.0.0.1", {
            pipelining,
            connect: (options, callback) => connector({ ...options, port: String(port()) }, callback)
          })
        ),
        (client) => Effect.promise(() => client.destroy())
      )
    const send = (client: Client, path: string) =>
      Effect.tryPromise({
        try: async () => {
          const headers = token === undefined ? {} : { "x-api-key": token() }
          const response = await client.request({ path, method: "GET", headers })
          return {
            outcome: outcomeOf(path, response.statusCode, await response.body.text()),
            closesConnection: response.headers["connection"] === "close"
          }
        },
        catch: (error) => ({ outcome: String(error), closesConnection: false })
      })
    const sendNext = (kind: keyof typeof kinds, client: Client) =>
      Effect.gen(function*() {
        const next = sequence++
        const path = pathOf(next % 2 === 1 ? seed * 10_000_000 + next : 1 + next / 2 % cachedPaths)
        const { pause: [least, most], repeats } = kinds[kind]
        // Idempotent requests may be sent again on another connection: RFC 9112, 9.3.1
        requests.push(yield* Effect.merge(Effect.retry(send(client, path), { times: repeats })))
        yield* Effect.sleep(yield* Random.nextIntBetween(least, most))
      })
    const run = (kind: keyof typeof kinds, client: Client) =>
      Effect.repeat(sendNext(kind, client), { while: () => isRunning })
    const pipelined = yield* open(4)
    const fiber = yield* Effect.forkScoped(Effect.all(
      [
        ...Array.from({ length: clients.pipelined ?? 0 }, () => run("pipelined", pipelined)),
        ...(["busy", "pausing", "idle"] as const).flatMap((kind) =>
          Array.from({ length: clients[kind] ?? 0 }, () =>
            Effect.flatMap(open(1), (client) => run(kind, client)))
        )
      ],
      { concurrency: "unbounded", discard: true }
    ))
    return {
      requests,
      more: (count) =>
        Effect.suspend(() => {
          const before = requests.length
          return eventually("the load sends requests", () =>
            requests.length > before + count)
        }),
      stop: () =>
        Effect.suspend(() => {
          isRunning = false
          return Effect.map(Fiber.join(fiber), () =>
            requests.map(({ outcome }) => outcome)
              .filter((outcome) => outcome !== "ok"))
        })
    }
  })
