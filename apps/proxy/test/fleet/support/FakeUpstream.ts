/**
 * An upstream on a socket that repeats the request in its response, so that mixed-up responses are found. It records
 * the API key of each request.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Http from "node:http"
import * as PageServer from "../../support/PageServer.ts"

interface ReceivedRequest {
  readonly method: string
  readonly key: string
  readonly target: string
  /** What has arrived of the body. */
  body: string
}

interface FakeResponse {
  readonly status: number
  readonly headers?: Http.OutgoingHttpHeaders
  readonly body: string
}

export interface FakeUpstream {
  readonly port: number
  readonly url: string
  readonly received: Array<ReceivedRequest>
  /** Replaces the response to a request; null: the default response; "disconnect": none. */
  respond: (request: ReceivedRequest) => Effect.Effect<FakeResponse | "disconnect" | null>
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

export const make: Effect.Effect<FakeUpstream, never, Scope.Scope> = Effect.suspend(() => {
  const received: Array<ReceivedRequest> = []
  const listener: PageServer.RequestListener = (request, response) => {
    const { headers, method = "", url: target = "" } = request
    const key = String(headers["x-api-key"] ?? headers["authorization"] ?? "")
    const entry: ReceivedRequest = { method, key, target, body: "" }
    request.on("data", (piece: Buffer) => entry.body += piece.toString())
    const delay = delays[received.length % delays.length] ?? 0
    received.push(entry)
    const send = Effect.map(upstream.respond(entry), (scripted) => {
      if (scripted === "disconnect") return void request.socket.destroy()
      const { body, headers, status } = scripted ??
        { headers: {}, status: 200, body: target.includes("/transfers") ? page(target) : price(target) }
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(body)
    })
    Effect.runFork(Effect.delay(send, delay))
  }
  const upstream: FakeUpstream = { port: 0, url: "", received, respond: () => Effect.succeed(null) }
  return Effect.map(
    PageServer.serve(listener),
    ({ url }) => Object.assign(upstream, { port: Number(new URL(url).port), url: url.slice(0, -1) })
  )
})
