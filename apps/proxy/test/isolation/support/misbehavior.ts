/** The ways in which the noisy client behaves badly. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Net from "node:net"
import { maxPendingResponses } from "../../../src/server/Connections.ts"
import { type HttpResult, sendRequest } from "../../support/proxy.ts"
import {
  connect,
  get,
  limits,
  noisySlots,
  paths,
  type SharedProxy,
  type SharedProxyOptions,
  tokens
} from "./sharedProxy.ts"

/** How many requests of the noisy client come before a request of another client, whenever they arrive. */
interface Overtaking {
  /** Requests of the noisy client that end while another client waits for a cached response. */
  readonly cached: number
  /** Upstream requests of the noisy client that are sent while one of another client waits to be sent. */
  readonly uncached: number
}

export interface Misbehavior {
  readonly name: string
  readonly options?: SharedProxyOptions
  /** Starts to behave badly, and returns when that has had an effect. It continues until the scope closes. */
  readonly start: (proxy: SharedProxy, scale: number) => Effect.Effect<void, Error, Scope.Scope>
  readonly maxOvertaking: (scale: number) => Overtaking
}

/** Turns of the event loop in which a request is received and answered. All clients and the upstream share the loop. */
const turns = 12

/** Requests of pipelining connections that end in this time. */
const pipelined = (connections: number): number => connections * maxPendingResponses * turns

/** Large pages of a list that are sent before the buffers of its connection are full. */
const pagesInBuffers = 16

/** Connections that the system accepts before the proxy does. */
const backlog = 511

/** Opens connections that send a text and read nothing. */
const sendWithoutReading = ({ port }: SharedProxy, connections: number, text: (index: number) => string) =>
  Effect.forEach(
    Array.from({ length: connections }, (_, index) => index),
    (index) => Effect.map(connect(port), (socket) => socket.write(text(index))),
    { concurrency: 64 }
  )

const repeat = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join("")

/** Sends requests over and over on several connections until the scope closes. Returns after the first responses. */
const flood = (
  { port }: SharedProxy,
  connections: number,
  request: (index: number) => readonly [path: string, options?: Parameters<typeof sendRequest>[2]],
  expected: (response: HttpResult) => boolean
) =>
  Effect.gen(function*() {
    let sent = 0
    let unexpected: HttpResult | undefined
    const send = Effect.suspend(() => sendRequest(port, ...request(sent++))).pipe(
      Effect.tap((response) =>
        Effect.sync(() => {
          if (!expected(response)) unexpected = response
        })
      )
    )
    yield* Effect.forEach(Array.from({ length: connections }), () => Effect.ignore(send), {
      concurrency: "unbounded"
    })
    if (unexpected !== undefined) {
      return yield* Effect.dieMessage(`unexpected response: ${unexpected.status} ${unexpected.text}`)
    }
    yield* Effect.forEach(
      Array.from({ length: connections }),
      () => Effect.forkScoped(Effect.forever(Effect.ignore(send))),
      { discard: true }
    )
  })

const withToken = (token: string) => ({ headers: { "x-api-key": token } })

const noisy = withToken(tokens.noisy)

/** Large responses would evict the cache entries of all clients. */
const noStore = ["Cache-Control: no-store"]

const post = (length: number): string =>
  [
    "POST /streams/evm/a/status HTTP/1.1",
    "Host: localhost",
    `X-API-Key: ${tokens.noisy}`,
    "Content-Type: application/json",
    `Content-Length: ${length}`
  ].map((line) => `${line}\r\n`).join("") + "\r\n"

export const misbehaviors: ReadonlyArray<Misbehavior> = [
  {
    name: "pipelines requests for a page without reading",
    start: (proxy, scale) => sendWithoutReading(proxy, scale, () => repeat(700, () => get("/docs", null))),
    maxOvertaking: (scale) => ({ cached: pipelined(scale), uncached: 0 })
  },
  {
    name: "reads large responses slowly",
    start: (proxy, scale) =>
      Effect.zipRight(
        sendWithoutReading(proxy, 40 * scale, (index) => get(paths.large(index), tokens.noisy, noStore)),
        proxy.upstream.waitForRequests(noisySlots)
      ),
    maxOvertaking: (scale) => ({ cached: 40 * scale, uncached: 40 * scale })
  },
  {
    name: "sends requests slowly",
    start: (proxy, scale) =>
      sendWithoutReading(
        proxy,
        100 * scale,
        (index) => index % 2 === 0 ? `${post(10_000)}{` : get(paths.noisy(index), tokens.noisy).slice(0, -2)
      ),
    maxOvertaking: (scale) => ({ cached: 100 * scale, uncached: 0 })
  },
  {
    name: "waits for a hanging upstream on every connection",
    start: (proxy, scale) =>
      Effect.zipRight(
        sendWithoutReading(proxy, 520 * scale, (index) => get(paths.hanging(index), tokens.noisy)),
        proxy.upstream.waitForRequests(noisySlots)
      ),
    maxOvertaking: (scale) => ({ cached: 520 * scale, uncached: noisySlots })
  },
  {
    name: "sends a flood of requests with an unknown token",
    start: (proxy, scale) =>
      flood(
        proxy,
        32 * scale,
        (index) => [paths.noisy(index), withToken("unknown")],
        ({ status }) => status === 401
      ),
    maxOvertaking: (scale) => ({ cached: 64 * scale, uncached: 0 })
  },
  {
    name: "sends a flood of requests above its rate limit",
    options: { noisyRateLimit: { limit: 1, window: 1000 } },
    start: (proxy, scale) => flood(proxy, 32 * scale, (index) => [paths.noisy(index), noisy], () => true),
    maxOvertaking: (scale) => ({ cached: 64 * scale, uncached: 8 })
  },
  {
    name: "requests more than the rate limit of the API key",
    options: { rateLimit: RateLimit.make({ limit: 100, window: "1 second", burst: 5 }) },
    start: (proxy, scale) => flood(proxy, 32 * scale, (index) => [paths.noisy(index), noisy], () => true),
    // In arrival order, all 32 would precede an uncached request.
    maxOvertaking: (scale) => ({ cached: 64 * scale, uncached: 16 * scale })
  },
  {
    name: "streams many lists without reading",
    start: (proxy, scale) =>
      Effect.zipRight(
        sendWithoutReading(proxy, 40 * scale, (index) =>
          get(`/all${paths.large(index)}`, tokens.noisy, noStore)),
        proxy.upstream.waitForRequests(limits.maxListsPerClient)
      ),
    maxOvertaking: (scale) => ({ cached: 40 * scale, uncached: limits.maxListsPerClient * pagesInBuffers })
  },
  {
    name: "bypasses the cache with a random query",
    start: (proxy, scale) =>
      flood(
        proxy,
        32 * scale,
        (index) => [`${paths.noisy(0)}?random=${index}`, noisy],
        ({ status }) => status === 200 || status === 429
      ),
    maxOvertaking: (scale) => ({ cached: 64 * scale, uncached: 64 * scale })
  },
  {
    name: "reconnects for every request, and does not wait for the response",
    start: ({ port }, scale) => {
      let sequence = 0
      const reconnect = Effect.async<void>((resume) => {
        const socket = Net.connect(port, "127.0.0.1", () => {
          socket.write(get(paths.noisy(sequence++), tokens.noisy), () => socket.destroy())
        })
        socket.on("error", () => {})
        socket.on("close", () => resume(Effect.void))
        return Effect.sync(() => socket.destroy())
      })
      return Effect.forEach(
        Array.from({ length: 4 * scale }),
        () => Effect.zipRight(reconnect, Effect.forkScoped(Effect.forever(reconnect))),
        { concurrency: "unbounded", discard: true }
      )
    },
    maxOvertaking: () => ({ cached: 2 * backlog, uncached: 2 * backlog })
  }
]
