/**
 * An upstream on a socket that repeats the request in its response, so that mixed-up responses are found. It records
 * the time and the API key of each request.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Http from "node:http"
import type * as Net from "node:net"

export interface ReceivedRequest {
  /** In milliseconds, by a monotonic clock. */
  readonly receivedAt: number
  readonly key: string
  readonly target: string
}

interface FakeResponse {
  readonly status: number
  readonly headers?: Http.OutgoingHttpHeaders
  readonly body: string
}

export interface FakeUpstream {
  readonly url: string
  readonly received: Array<ReceivedRequest>
  /** Replaces the response to a request; null: the default response. */
  respond: ((request: ReceivedRequest) => Effect.Effect<FakeResponse | null>) | null
}

/** Delays responses by a short, varying time. */
const delays = [0, 1, 2, 3, 5, 8, 13, 21]

/** A price that names its request. */
export const price = (target: string, other: object = {}): string =>
  JSON.stringify({ tokenName: target, tokenAddress: `0x${"1".repeat(40)}`, usdPrice: 1.5, ...other })

/** A page of three records; `limit` sets the length of the list. */
const page = (target: string): string => {
  const url = new URL(target, "http://service")
  const number = Number(url.searchParams.get("cursor") ?? "0")
  const result = [0, 1, 2].map((index) => ({
    transaction_hash: `0x${String(number * 3 + index).padStart(64, "0")}`,
    block_number: String(1000 - number),
    token_name: url.pathname
  }))
  const cursor = number + 1 < Number(url.searchParams.get("limit")) ? String(number + 1) : null
  return JSON.stringify({ page: number, page_size: 3, cursor, result })
}

const defaultResponse = (target: string): FakeResponse => ({
  status: 200,
  body: target.includes("/transfers") ? page(target) : price(target)
})

export const make: Effect.Effect<FakeUpstream, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.async<FakeUpstream & { readonly server: Http.Server }>((resume) => {
      const server = Http.createServer((request, response) => {
        const received: ReceivedRequest = {
          receivedAt: performance.now(),
          key: String(request.headers["x-api-key"] ?? request.headers["authorization"] ?? ""),
          target: request.url ?? ""
        }
        const delay = delays[upstream.received.length % delays.length] ?? 0
        upstream.received.push(received)
        const scriptedResponse = upstream.respond?.(received) ?? Effect.succeed(null)
        Effect.runFork(
          Effect.map(Effect.zipRight(Effect.sleep(delay), scriptedResponse), (scripted) => {
            const { body, headers, status } = scripted ?? defaultResponse(received.target)
            response.writeHead(status, { "content-type": "application/json", ...headers }).end(body)
          })
        )
      })
      const upstream: FakeUpstream & { readonly server: Http.Server } = {
        url: "",
        received: [],
        respond: null,
        server
      }
      server.keepAliveTimeout = 60_000
      server.listen(0, "127.0.0.1", () => {
        const bound: Net.AddressInfo | string | null = server.address()
        const port = typeof bound === "object" && bound !== null ? bound.port : 0
        resume(Effect.succeed(Object.assign(upstream, { url: `http://127.0.0.1:${port}` })))
      })
    }),
    ({ server }) =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  ),
  (upstream) => upstream
)

/** Returns the maximum number of matching requests in any window of this many milliseconds. */
export const maxRequestsInWindow = (requests: ReadonlyArray<ReceivedRequest>, window: number): number => {
  const times = requests.map(({ receivedAt }) => receivedAt)
  return times.reduce(
    (most, from, first) => Math.max(most, times.findLastIndex((at) => at <= from + window) - first + 1),
    0
  )
}
