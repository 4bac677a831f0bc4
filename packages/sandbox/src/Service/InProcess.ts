/** The door inside the process: an HttpClient that reaches the sandbox and nothing else. */
import * as HttpClient from "@effect/platform/HttpClient"
import { RequestError } from "@effect/platform/HttpClientError"
import type { HttpClientRequest } from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { constants, gunzipSync } from "node:zlib"
import { type Answer, bytesOf, halfOf, type Request } from "./Message.ts"
import { hasNoBody } from "./Spoiling.ts"

export const httpClient = (handle: (request: Request) => Effect.Effect<Answer>): HttpClient.HttpClient =>
  HttpClient.make((request, url) =>
    Effect.gen(function*() {
      yield* turn
      const body = yield* readBody(request)
      const { headers, method } = request
      const answer = yield* handle({
        method,
        url: `${url.pathname}${url.search}`,
        headers: { ...headers },
        body
      })
      if (answer.ending === "reset") {
        return yield* new RequestError({
          request,
          reason: "Transport",
          cause: new TypeError("fetch failed", { cause: connectionReset() })
        })
      }
      return HttpClientResponse.fromWeb(
        request,
        new Response(hasNoBody(answer.status) ? null : bodyOf(answer), {
          status: answer.status,
          headers: { ...answer.headers }
        })
      )
    })
  )

/**
 * One turn of the event loop, as any network takes: a walk through answers that are there at once would keep timers
 * and signals waiting to its end.
 */
const turn = Effect.async<void>((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})

const connectionReset = () => Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" })

const readBody = (request: HttpClientRequest): Effect.Effect<string, RequestError> => {
  const { body } = request
  switch (body._tag) {
    case "Uint8Array":
      return Effect.succeed(new TextDecoder().decode(body.body))
    case "Stream":
      return Stream.runCollect(body.stream).pipe(
        Effect.flatMap((chunks) => Effect.promise(() => new Blob([...Chunk.map(chunks, copy)]).text())),
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

/**
 * The body as a client gets it, after it was unpacked. A cut-off gzip body is cut without a word, as `fetch`
 * does.
 */
const bodyOf = (answer: Answer): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> => {
  switch (answer.ending) {
    case "reset":
    case "whole":
      return answer.headers["content-encoding"] === "gzip"
        ? copy(gunzipSync(bytesOf(answer), { finishFlush: constants.Z_SYNC_FLUSH }))
        : bytesOf(answer)
    case "reset-body":
      return halfThen(
        answer,
        (controller) => controller.error(new TypeError("terminated", { cause: connectionReset() }))
      )
    case "truncate":
      return halfThen(
        answer,
        (controller) =>
          controller.error(new TypeError("terminated", { cause: new Error("other side closed") }))
      )
    case "stall":
      return halfThen(answer, () => {})
  }
}

/** A body of which half arrives before something happens. */
const halfThen = (
  answer: Answer,
  then: (controller: ReadableStreamDefaultController<Uint8Array>) => void
): ReadableStream<Uint8Array> => {
  let given = false
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (given) return then(controller)
      given = true
      controller.enqueue(halfOf(answer))
    }
  })
}
