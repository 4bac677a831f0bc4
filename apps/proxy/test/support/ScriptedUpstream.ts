/** An upstream that sends scripted responses, then responses of the sandbox. */
import { userAgent } from "@blockquarry/http/ApiOptions"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type { HttpClientRequest } from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import { ledger } from "./proxy.ts"

/** A complete response. Default content type: JSON. */
interface Full {
  readonly status: number
  /** The body, or its parts as they arrive. */
  readonly body?: string | ReadonlyArray<string>
  readonly headers?: Readonly<Record<string, string>>
}

export type Scripted =
  | Full
  /** The connection is refused, or reset before the headers. */
  | "refused"
  | "reset"
  /** No response, or nothing after half of the body. */
  | "silent"
  | "silent in the body"
  /** The HTTP client dies. */
  | "defect"
  /** The response of the sandbox, once the test releases it. */
  | "held"
  /** The response of the sandbox. */
  | "sandbox"

export interface Upstream {
  readonly client: HttpClient.HttpClient
  readonly sandbox: Sandbox.SandboxService
  readonly script: (responses: ReadonlyArray<Scripted>) => void
  /** Sends the held responses. */
  readonly release: () => void
  /** Returns the requests since the last call, one line each. */
  readonly takeRequests: () => ReadonlyArray<string>
  /** The number of requests so far. */
  readonly count: () => number
}

export const make = (): Effect.Effect<Upstream> =>
  Effect.map(Sandbox.make({ ledger }), (sandbox) => {
    const state: { script: Array<Scripted>; lines: Array<string>; count: number; held: Array<() => void> } = {
      script: [],
      lines: [],
      count: 0,
      held: []
    }
    const inner = Sandbox.httpClient(sandbox)
    const held = Effect.async<void>((resume) => {
      state.held.push(() => resume(Effect.void))
    })
    const client = HttpClient.make((request, url) =>
      Effect.suspend(() => {
        state.lines.push(lineOf(request, url))
        state.count += 1
        const next = state.script.shift() ?? "sandbox"
        switch (next) {
          case "refused":
            return failing(request, "connect ECONNREFUSED 10.1.2.3:443", "ECONNREFUSED")
          case "reset":
            return failing(request, "read ECONNRESET", "ECONNRESET")
          case "silent":
            return Effect.never
          case "defect":
            return Effect.die(new Error("a bug in the client"))
          case "silent in the body":
            return Effect.succeed(half(request))
          case "held":
            return Effect.zipRight(held, inner.execute(request))
          case "sandbox":
            return inner.execute(request)
          default:
            return Effect.succeed(full(request, next))
        }
      })
    )
    return {
      client,
      sandbox,
      script: (responses) => {
        state.script = [...responses]
      },
      release: () => {
        for (const go of state.held.splice(0)) go()
      },
      takeRequests: () => state.lines.splice(0),
      count: () => state.count
    }
  })

const failing = (request: HttpClientRequest, message: string, code: string) =>
  Effect.fail(
    new HttpClientError.RequestError({
      request,
      reason: "Transport",
      cause: Object.assign(new Error(message), { code })
    })
  )

/** Statuses without a body. */
const bare: ReadonlySet<number> = new Set([204, 205, 304])

const full = (request: HttpClientRequest, { body = "{}", headers, status }: Full) =>
  HttpClientResponse.fromWeb(
    request,
    new Response(bare.has(status) ? null : typeof body === "string" ? body : inParts(body), {
      status,
      headers: { "content-type": "application/json", ...headers }
    })
  )

const inParts = (parts: ReadonlyArray<string>): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (stream) => {
      for (const part of parts) stream.enqueue(new TextEncoder().encode(part))
      stream.close()
    }
  })

const half = (request: HttpClientRequest) => {
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => stream.enqueue(new TextEncoder().encode("{\"result\":["))
  })
  return HttpClientResponse.fromWeb(
    request,
    new Response(body, { headers: { "content-type": "application/json", "content-length": "100" } })
  )
}

/** The headers of most requests, which the records leave out. */
const usualHeaders =
  `accept: application/json; user-agent: quarry-proxy blockquarry/<version>; x-api-key: ${Sandbox.apiKey}`

const lineOf = ({ body, headers, method }: HttpClientRequest, url: URL): string => {
  const sent = Object.entries(headers).sort()
    .map(([name, value]) => `${name}: ${value}`.replace(userAgent, "blockquarry/<version>")).join("; ")
  const text = body._tag === "Uint8Array" ? ` ${new TextDecoder().decode(body.body)}` : ""
  return `${method} ${url.href}${sent === usualHeaders ? "" : ` [${sent}]`}${text}`
}
