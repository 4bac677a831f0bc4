/** The in-process HttpClient of the sandbox. */
import * as Headers from "@effect/platform/Headers"
import * as HttpClient from "@effect/platform/HttpClient"
import { RequestError } from "@effect/platform/HttpClientError"
import type { HttpClientRequest } from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import * as Effect from "effect/Effect"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { lazy } from "../ledger/Lazy.ts"
import { hasNoBody } from "../service/FaultInjection.ts"
import { bodyBytes, firstHalf, type SandboxRequest, type SandboxResponse } from "../service/HttpMessage.ts"

export const httpClient = (
  handle: (request: SandboxRequest) => Effect.Effect<SandboxResponse>
): HttpClient.HttpClient =>
  HttpClient.make((request, url) =>
    Effect.gen(function*() {
      yield* yieldToEventLoop
      const body = yield* readRequestBody(request)
      const { headers, method } = request
      const response = yield* handle({
        method,
        url: `${url.pathname}${url.search}`,
        headers: { ...headers },
        body
      })
      if (response.transmission === "reset") {
        return yield* new RequestError({
          request,
          reason: "Transport",
          cause: new TypeError("fetch failed", {
            cause: Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" })
          })
        })
      }
      return new InProcessResponse(request, response)
    })
  )

/**
 * A response that creates a `Response` only if more of it is used than status, headers and a complete body: the first
 * `Response` of a process takes 10 ms, because Node.js loads its HTTP client.
 */
class InProcessResponse extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
  readonly [HttpIncomingMessage.TypeId]: HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly [HttpClientResponse.TypeId]: HttpClientResponse.TypeId = HttpClientResponse.TypeId
  readonly remoteAddress = Option.none()
  readonly request: HttpClientRequest
  readonly status: number
  readonly headers: Headers.Headers
  readonly #body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
  readonly #web: () => HttpClientResponse.HttpClientResponse

  constructor(request: HttpClientRequest, response: SandboxResponse) {
    super()
    this.request = request
    this.status = response.status
    this.headers = Headers.fromInput(response.headers)
    this.#body = hasNoBody(response.status) ? null : responseBody(response)
    this.#web = lazy(() =>
      HttpClientResponse.fromWeb(
        request,
        new Response(this.#body, { status: response.status, headers: { ...response.headers } })
      )
    )
  }

  get arrayBuffer() {
    const body = this.#body
    return body instanceof Uint8Array ? Effect.sync(() => copy(body).buffer) : this.#web().arrayBuffer
  }

  get stream() {
    return this.#body instanceof Uint8Array ? Stream.make(this.#body) : this.#web().stream
  }

  get text() {
    return this.#web().text
  }

  get json() {
    return this.#web().json
  }

  get urlParamsBody() {
    return this.#web().urlParamsBody
  }

  get formData() {
    return this.#web().formData
  }

  get cookies() {
    return this.#web().cookies
  }

  toJSON() {
    return this.#web().toJSON()
  }
}

/**
 * Yields to the event loop as a real network does. Otherwise pagination over immediate responses would delay timers and
 * signals until its end.
 */
const yieldToEventLoop = Effect.async<void>((resume) => {
  const proceed = () => resume(Effect.void)
  if ("setImmediate" in globalThis) setImmediate(proceed)
  else setTimeout(proceed, 0)
})

const readRequestBody = (request: HttpClientRequest): Effect.Effect<string, RequestError> => {
  const { body } = request
  switch (body._tag) {
    case "Uint8Array":
      return Effect.succeed(new TextDecoder().decode(body.body))
    case "Stream":
      return Stream.mkString(Stream.decodeText(body.stream)).pipe(
        Effect.mapError((cause) => new RequestError({ request, reason: "Encode", cause }))
      )
    case "Raw":
      return Effect.succeed(typeof body.body === "string" ? body.body : "")
    case "Empty":
    case "FormData":
      return Effect.succeed("")
  }
}

const copy = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes)

/** A complete body, or its first half, and then an error or nothing. */
const responseBody = (response: SandboxResponse): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> => {
  const body = bodyBytes(response)
  if (response.transmission === "complete") return body
  let sent = false
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (!sent) controller.enqueue(firstHalf(body))
      else if (response.transmission === "truncate") {
        controller.error(new TypeError("terminated", { cause: new Error("other side closed") }))
      }
      sent = true
    }
  })
}
