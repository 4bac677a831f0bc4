/** A transport over any `HttpClient` of the platform. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { isHttpClientError } from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as FiberId from "effect/FiberId"
import * as FiberRefs from "effect/FiberRefs"
import { constTrue } from "effect/Function"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as Stream from "effect/Stream"
import { startTimer } from "../Timer.ts"
import { BodyCollector, collect, contentEncoding, gunzip } from "./Bytes.ts"
import { safeHeaders } from "./SafeHeaders.ts"
import {
  type BodyError,
  bodyFailed,
  isFramed,
  type ReceivedResponse,
  requestFailed,
  type ResponseHead,
  type Transport,
  type TransportError,
  type TransportOptions,
  type TransportRequest,
  TransportTimeout,
  undecodableBody
} from "./Transport.ts"

/** Creates a transport from a client. It sends no tracing headers. */
export const fromHttpClient = (
  client: HttpClient.HttpClient,
  { maxBodySize, userAgent }: TransportOptions
): Transport => {
  const requestOf = ({ apiKey, body, method, url }: TransportRequest) => {
    const request = HttpClientRequest.make(method)(url, {
      headers: {
        accept: "application/json",
        ...isBrowser ? {} : { "user-agent": userAgent },
        ...Redacted.value(apiKey) === "" ? {} : { "x-api-key": Redacted.value(apiKey) }
      }
    })
    if (body === null) return request
    return isDeno
      ? HttpClientRequest.bodyStream(request, Stream.make(new TextEncoder().encode(body)), {
        contentType: "application/json"
      })
      : HttpClientRequest.bodyText(request, body, "application/json")
  }
  return {
    send: (request, timeoutMillis) =>
      Effect.suspend(() => {
        const body = new BodyCollector(request.memory, maxBodySize)
        const response = Effect.matchEffect(client.execute(requestOf(request)), {
          onFailure: (error) =>
            // JavaScript and casts let a client fail with another error.
            !isHttpClientError(error)
              ? Effect.fail(requestFailed(error ?? "undefined", true))
              : error._tag === "ResponseError"
              // The client of the program does not accept the status or the body.
              ? receive(error.response, request, body)
              : Effect.fail(requestFailed(error.cause, error.reason === "Transport")),
          onSuccess: (response) => receive(response, request, body)
        })
        return runWithTimeout(response, timeoutMillis, () => body.release())
      })
  }
}

/** Browsers identify themselves. Some send a `User-Agent` of a program only if the CORS headers of the server allow it. */
const isBrowser = "document" in globalThis || "importScripts" in globalThis

/** Its fetch sends a request with a text twice if a reused connection closes without a response, but not one with a stream. */
const isDeno = "Deno" in globalThis

/**
 * Runs a request in a fiber of its own, which is interrupted after the timeout, and with the caller. Runs `onEnd` when that
 * fiber has ended. It starts at once, so a request that never waits costs neither a timer nor a turn.
 */
const runWithTimeout = (
  response: Effect.Effect<ReceivedResponse, TransportError>,
  timeoutMillis: number,
  onEnd: () => void
): Effect.Effect<ReceivedResponse, TransportError> =>
  // Nothing may interrupt the caller between start and wait.
  Effect.uninterruptibleMask((restore) =>
    Effect.withFiberRuntime((caller) => {
      // It succeeds with the result, because Effect logs the failure of a fiber.
      const fiber = Runtime.runFork(
        Runtime.make({
          context: withoutRedirects(caller.currentContext),
          fiberRefs: caller.getFiberRefs(),
          runtimeFlags: Runtime.defaultRuntimeFlags
        })
      )(Effect.exit(response), { updateRefs: withoutTracing })
      const result = fiber.unsafePoll()
      if (result !== null) {
        onEnd()
        return Exit.flatten(result)
      }
      let isTimedOut = false
      const clock = Context.get(caller.currentDefaultServices, Clock.Clock)
      const stopTimer = startTimer(clock, timeoutMillis, () => {
        isTimedOut = true
        fiber.unsafeInterruptAsFork(caller.id())
      })
      fiber.addObserver(() => {
        stopTimer()
        onEnd()
      })
      const ended = Effect.async<ReceivedResponse, TransportError>((resume) =>
        fiber.addObserver((result) =>
          resume(isTimedOut ? Effect.fail(new TransportTimeout({ sent: true })) : Exit.flatten(result))
        )
      )
      return Effect.onInterrupt(restore(ended), () => Fiber.interruptAs(fiber, caller.id()))
    })
  )

/** Disables redirects, and keeps the other options of fetch. */
const withoutRedirects = (context: Context.Context<never>): Context.Context<FetchHttpClient.RequestInit> =>
  Context.add(context, FetchHttpClient.RequestInit, {
    ...Option.getOrUndefined(Context.getOption(context, FetchHttpClient.RequestInit)),
    redirect: "manual"
  })

/** The client creates no spans and sends no tracing headers. */
const withoutTracing = (refs: FiberRefs.FiberRefs, fiberId: FiberId.Runtime): FiberRefs.FiberRefs =>
  FiberRefs.updateManyAs(refs, {
    entries: [
      [HttpClient.currentTracerDisabledWhen, [[fiberId, constTrue]]],
      [HttpClient.currentTracerPropagation, [[fiberId, false]]]
    ]
  })

const receive = (
  response: HttpClientResponse.HttpClientResponse,
  request: TransportRequest,
  body: BodyCollector
): Effect.Effect<ReceivedResponse, TransportError> => {
  const { headers, status } = response
  const head = { status, headers: safeHeaders(headers, request) }
  const received = (bytes: Uint8Array) =>
    Effect.succeed({ ...head, bytes, framed: isFramed(headers, bytes.byteLength) })
  const contentLength = Number(headers["content-length"] ?? Number.NaN)
  const isEncoded = headers["content-encoding"] !== undefined
  // Reading a body of known length at once is several times cheaper.
  const readAtOnce = Number.isSafeInteger(contentLength) && !isEncoded
  const rejection = body.check(contentLength, head) ?? (readAtOnce ? body.reserve(contentLength, head) : null)
  if (rejection !== null) {
    // Starts reading, because an unread body keeps its connection open.
    return Effect.zipRight(readChunks(response, head, () => rejection), rejection)
  }
  const read = readAtOnce
    ? Effect.matchEffect(response.arrayBuffer, {
      onFailure: ({ cause }) => Effect.fail(bodyFailed(cause, head, isEncoded)),
      onSuccess: (buffer) => body.check(buffer.byteLength, head) ?? Effect.succeed(new Uint8Array(buffer))
    })
    : Effect.map(readChunks(response, head, (chunk) => body.append(chunk, head)), () => body.take())
  const decoded = isEncoded
    ? Effect.flatMap(read, (bytes) =>
      contentEncoding(headers, bytes) === "gzip"
        ? gunzip(bytes, () => undecodableBody(head, "gzip"), body, head)
        : Effect.succeed(bytes))
    : read
  // A client of the program may have read the body: then the response keeps its text.
  const receivedText = (text: string) => {
    const bytes = new TextEncoder().encode(text)
    return body.check(bytes.length, head) ?? body.reserve(bytes.length, head) ?? received(bytes)
  }
  return Effect.matchEffect(decoded, {
    onFailure: (error) =>
      error._tag === "BodyError" && error.reason === "already-read"
        ? Effect.matchEffect(response.text, {
          // The status of an error is enough.
          onFailure: ({ cause }) =>
            status < 300 ? Effect.fail(bodyFailed(cause, head, isEncoded)) : receivedText(""),
          onSuccess: receivedText
        })
        : Effect.fail(error),
    onSuccess: received
  })
}

const readChunks = (
  response: HttpClientResponse.HttpClientResponse,
  head: ResponseHead,
  append: (chunk: Uint8Array) => BodyError | null
): Effect.Effect<void, TransportError> => {
  const isEncoded = response.headers["content-encoding"] !== undefined
  const chunks = Stream.catchAll(
    response.stream,
    // A response without a body (204, 304) is not a connection error.
    ({ cause, reason }) =>
      reason === "EmptyBody" ? Stream.empty : Stream.fail(bodyFailed(cause, head, isEncoded))
  )
  return Effect.catchAllDefect(collect(chunks, append), (defect) =>
    // A stream that another reader has locked
    defect instanceof TypeError ? Effect.fail(bodyFailed(defect, head, isEncoded)) : Effect.die(defect))
}
