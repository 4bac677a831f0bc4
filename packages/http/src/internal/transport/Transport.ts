/**
 * Sends a request and returns its complete response, with a size limit.
 *
 * @since 0.1.0
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { CurrentBodyMemory } from "./BodyMemory.ts"
import { collect } from "./Bytes.ts"
import { gunzip, isGzip } from "./Gzip.ts"
import { type RawResponse, type ReceivedResponse, safeHeaders } from "./RawResponse.ts"

/**
 * A request.
 *
 * @since 0.1.0
 * @category models
 */
export interface TransportRequest {
  readonly method: "GET" | "POST"
  readonly url: string
  /** Empty if the request is sent without an API key. */
  readonly apiKey: Redacted.Redacted
  /** JSON text, or null for no body. */
  readonly body: string | null
}

/**
 * The connection could not be opened, or broke before the response was complete.
 *
 * @since 0.1.0
 * @category errors
 */
class ConnectionError extends Data.TaggedError("ConnectionError")<{
  readonly detail: string
  /** Whether the request may have reached the upstream. */
  readonly sent: boolean
}> {}

/**
 * The body cannot be used.
 *
 * - `too-large`: it exceeds the limit.
 * - `incomplete`: its content encoding is invalid.
 * - `memory`: there is not enough memory for it. See `BodyMemory`.
 *
 * @since 0.1.0
 * @category errors
 */
class BodyError extends Data.TaggedError("BodyError")<{
  readonly reason: "too-large" | "incomplete" | "memory"
  readonly detail: string
  readonly response: Omit<RawResponse, "bytes">
}> {}

/**
 * The timeout passed before the response was complete. The request may have reached the upstream.
 *
 * @since 0.1.0
 * @category errors
 */
class TransportTimeout extends Data.TaggedError("TransportTimeout") {}

/**
 * There is no complete response.
 *
 * @since 0.1.0
 * @category errors
 */
export type TransportError = ConnectionError | BodyError | TransportTimeout

/**
 * Sends requests.
 *
 * @since 0.1.0
 * @category models
 */
export interface Transport {
  /** Sends a request, and cancels it after `timeoutMillis`, which may be infinite, or if it is interrupted. */
  readonly send: (
    request: TransportRequest,
    timeoutMillis: number
  ) => Effect.Effect<ReceivedResponse, TransportError>
}

/**
 * 64 MiB.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaultMaxBodySize: number = 64 * 1024 * 1024

/**
 * Creates a transport from any `HttpClient` of the platform. It does not follow redirects and sends no tracing headers.
 * Its errors contain plain text only, because errors of the client contain the request and with it the API key.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromHttpClient = (client: HttpClient.HttpClient, maxBodySize: number): Transport => {
  const untracedClient = client.pipe(
    HttpClient.withTracerPropagation(false),
    HttpClient.withTracerDisabledWhen(() => true)
  )
  return {
    send: (request, timeoutMillis) => {
      const exchange = untracedClient.execute(toPlatformRequest(request)).pipe(
        Effect.mapError(connectionError),
        Effect.flatMap((response) => {
          const { headers, status } = response
          const head = { status, headers: safeHeaders(headers, request.apiKey) }
          return Effect.map(
            readBody(response, head, maxBodySize),
            (bytes) => ({ ...head, bytes, framed: isFramed(headers, bytes.byteLength) })
          )
        }),
        withoutRedirects
      )
      return timeoutMillis === Number.POSITIVE_INFINITY
        ? exchange
        : Effect.timeoutFail(exchange, { duration: timeoutMillis, onTimeout: () => new TransportTimeout() })
    }
  }
}

/** Whether headers delimit a body. A client may decode a body, which changes its length, and keep the headers. */
const isFramed = (headers: Readonly<Record<string, string>>, length: number): boolean => {
  const contentLength = headers["content-length"]
  return contentLength === undefined
    ? headers["transfer-encoding"]?.toLowerCase().endsWith("chunked") === true
    : headers["content-encoding"] !== undefined || Number(contentLength) === length
}

/** Disables redirects, and keeps the other options of fetch. */
const withoutRedirects = <A, E>(send: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(
    Effect.serviceOption(FetchHttpClient.RequestInit),
    (init) =>
      Effect.provideService(send, FetchHttpClient.RequestInit, {
        ...Option.getOrUndefined(init),
        redirect: "manual"
      })
  )

const toPlatformRequest = (request: TransportRequest): HttpClientRequest.HttpClientRequest => {
  const platformRequest = HttpClientRequest.make(request.method)(request.url, {
    headers: { accept: "application/json", ...apiKeyHeader(request.apiKey) }
  })
  return request.body === null
    ? platformRequest
    : HttpClientRequest.bodyText(platformRequest, request.body, "application/json")
}

const apiKeyHeader = (apiKey: Redacted.Redacted): Readonly<Record<string, string>> =>
  Redacted.value(apiKey) === "" ? {} : { "x-api-key": Redacted.value(apiKey) }

/** Reads a body within the size limit and the memory. */
const readBody = (
  response: HttpClientResponse.HttpClientResponse,
  head: BodyError["response"],
  maxBytes: number
): Effect.Effect<Uint8Array, TransportError> =>
  Effect.flatMap(CurrentBodyMemory, (memory) => {
    let held = 0
    const reserve = (bytes: number): BodyError | null => {
      if (!memory.tryAcquire(bytes)) {
        return bodyError(head, "memory", "there is not enough memory for the body")
      }
      held += bytes
      return null
    }
    return Effect.ensuring(
      readReserved(response, head, maxBytes, reserve),
      Effect.sync(() => memory.release(held))
    )
  })

const bodyError = (head: BodyError["response"], reason: BodyError["reason"], detail: string): BodyError =>
  new BodyError({ reason, detail, response: head })

/**
 * Reads a body of at most `maxBytes`. With a `Content-Length` the body is read at once, which is several times cheaper;
 * otherwise in chunks, up to the limit. `reserve` is called before bytes are kept.
 */
const readReserved = (
  response: HttpClientResponse.HttpClientResponse,
  head: BodyError["response"],
  maxBytes: number,
  reserve: (bytes: number) => BodyError | null
): Effect.Effect<Uint8Array, TransportError> => {
  const tooLarge = () => bodyError(head, "too-large", `the body is longer than ${maxBytes} bytes`)
  const undecodable = () => bodyError(head, "incomplete", "the gzip encoding of the body is invalid")
  /** Admits chunks of a body of at most `maxBytes`. */
  const admitChunks = () => {
    let length = 0
    return (bytes: number): BodyError | null => {
      length += bytes
      return length > maxBytes ? tooLarge() : reserve(bytes)
    }
  }
  // A client that decodes the body itself fails with an error code of zlib.
  const connectionBroken = (error: HttpClientError.HttpClientError): TransportError =>
    errorCode(error.cause)?.startsWith("Z_") === true ? undecodable() : incompleteResponse(error)
  const chunks = Stream.catchAll(
    response.stream,
    (error) => emptyBody(error) ?? Stream.fail(connectionBroken(error))
  )
  const contentLength = Number(response.headers["content-length"] ?? Number.NaN)
  const isEncoded = response.headers["content-encoding"] !== undefined
  const readAtOnce = Number.isSafeInteger(contentLength) && !isEncoded
  const rejection = contentLength > maxBytes
    ? tooLarge()
    : readAtOnce
    ? reserve(contentLength)
    : null
  if (rejection !== null) {
    // Starts reading, because an unread body keeps its connection open.
    return Effect.zipRight(collect(chunks, () => rejection), Effect.fail(rejection))
  }
  const body = readAtOnce
    ? Effect.mapBoth(response.arrayBuffer, {
      onFailure: connectionBroken,
      onSuccess: (buffer) => new Uint8Array(buffer)
    }).pipe(Effect.filterOrFail(({ byteLength }) => byteLength <= maxBytes, tooLarge))
    : collect(chunks, admitChunks())
  // Clients that decode the body keep the header, so only the bytes show whether it is encoded.
  return isEncoded
    ? Effect.flatMap(body, (bytes) =>
      isGzip(bytes)
        ? gunzip(bytes, undecodable, admitChunks())
        : Effect.succeed(bytes))
    : body
}

/** A response without a body (204, 304) is not a connection error. */
const emptyBody = (error: HttpClientError.ResponseError): Stream.Stream<never> | undefined =>
  error.reason === "EmptyBody" ? Stream.empty : undefined

/** Error codes of failures before the request is sent. */
const notSent: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID"
])

const connectionError = (error: HttpClientError.HttpClientError): ConnectionError => {
  const code = errorCode(error.cause)
  return new ConnectionError({
    detail: code ?? "the request could not be sent",
    sent: !(code !== undefined && notSent.has(code)) &&
      !(error._tag === "RequestError" && error.reason !== "Transport")
  })
}

/** Error codes of a connection that ended. Which of them an early end has depends on the client. */
const connectionEnded: ReadonlySet<string> = new Set([
  "ECONNRESET",
  "EPIPE",
  "ERR_STREAM_PREMATURE_CLOSE",
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
  "UND_ERR_SOCKET"
])

/** The error of a response that began. */
const incompleteResponse = (error: HttpClientError.HttpClientError): ConnectionError => {
  const code = errorCode(error.cause)
  return new ConnectionError({
    detail: code === undefined || connectionEnded.has(code)
      ? "the upstream closed the connection before the response was complete"
      : code,
    sent: true
  })
}

/** Returns the code of a network error, from the error or its causes. */
const errorCode = (cause: unknown, depth = 0): string | undefined => {
  if (!Predicate.isRecord(cause) || depth > 4) return undefined
  const code = cause["code"]
  if (typeof code === "string" && /^[A-Z0-9_]{2,60}$/.test(code)) return code
  const inner = Array.isArray(cause["errors"]) ? cause["errors"][0] : undefined
  return errorCode(cause["cause"], depth + 1) ?? errorCode(inner, depth + 1)
}
