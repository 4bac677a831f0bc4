/** The in-process HttpClient of the sandbox. */
import * as Cookies from "@effect/platform/Cookies"
import * as Headers from "@effect/platform/Headers"
import * as HttpClient from "@effect/platform/HttpClient"
import { RequestError, ResponseError } from "@effect/platform/HttpClientError"
import type { HttpClientRequest } from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import * as UrlParams from "@effect/platform/UrlParams"
import * as Effect from "effect/Effect"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
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

/** A response without a `Response` of the platform: the first of a process takes 10 ms, because Node.js loads its HTTP client. */
class InProcessResponse extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
  readonly [HttpIncomingMessage.TypeId]: HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly [HttpClientResponse.TypeId]: HttpClientResponse.TypeId = HttpClientResponse.TypeId
  readonly remoteAddress = Option.none()
  readonly cookies = Cookies.empty
  readonly request: HttpClientRequest
  readonly status: number
  readonly headers: Headers.Headers
  readonly stream: Stream.Stream<Uint8Array, ResponseError>
  readonly arrayBuffer: Effect.Effect<ArrayBuffer, ResponseError>
  readonly text: Effect.Effect<string, ResponseError>
  readonly json: Effect.Effect<unknown, ResponseError>
  readonly urlParamsBody: Effect.Effect<UrlParams.UrlParams, ResponseError>
  readonly formData: Effect.Effect<FormData, ResponseError>

  constructor(request: HttpClientRequest, response: SandboxResponse) {
    super()
    this.request = request
    this.status = response.status
    this.headers = Headers.fromInput(response.headers)
    const failure = (cause: unknown) =>
      new ResponseError({ request, response: this, reason: "Decode", cause })
    const bytes = bodyBytes(response)
    const broken = response.transmission === "truncate"
      ? Effect.fail(failure(new TypeError("terminated", { cause: new Error("other side closed") })))
      : Effect.never
    const isComplete = response.transmission === "complete"
    this.stream = isComplete ? Stream.make(bytes) : Stream.concat(Stream.make(firstHalf(bytes)), broken)
    this.arrayBuffer = isComplete ? Effect.sync(() => bytes.slice().buffer) : broken
    this.text = Effect.map(this.arrayBuffer, (body) => new TextDecoder().decode(body))
    this.json = Effect.tryMap(this.text, {
      try: (text): unknown => text === "" ? null : JSON.parse(text),
      catch: failure
    })
    this.urlParamsBody = Effect.map(this.text, (text) => UrlParams.fromInput(new URLSearchParams(text)))
    this.formData = Effect.fail(failure(new TypeError("the sandbox sends no form data")))
  }

  toJSON() {
    return HttpIncomingMessage.inspect(this, { _id: "SandboxResponse", status: this.status })
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
