/**
 * The seam that requests are sent through: one request, one whole answer under a cap, or a fault.
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
import { collect } from "./Bytes.ts"
import { gunzip, isGzip } from "./Gzip.ts"
import { type RawResponse, safeHeaders } from "./RawResponse.ts"

/**
 * A request, ready to be sent.
 *
 * @since 0.1.0
 * @category models
 */
export interface TransportRequest {
  readonly method: "GET" | "POST"
  readonly url: string
  readonly apiKey: Redacted.Redacted
  /** JSON text, or null where nothing is sent. */
  readonly body: string | null
}

/**
 * No whole answer came.
 *
 * - `unreachable`: the connection failed or broke; `sent` says whether the request can have reached the service.
 * - `tooLarge`: the body is longer than the cap.
 * - `garbled`: the content-encoding of the body cannot be undone.
 *
 * @since 0.1.0
 * @category errors
 */
export class TransportError extends Data.TaggedError("TransportError")<{
  readonly reason: "network" | "too-large" | "malformed"
  readonly detail: string
  readonly sent: boolean
  /** Of the answer that broke off, where it had begun. */
  readonly status: number | null
}> {}

/**
 * @since 0.1.0
 * @category models
 */
export interface Transport {
  readonly send: (request: TransportRequest) => Effect.Effect<RawResponse, TransportError>
}

/**
 * 64 MiB.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaultMaxBodySize: number = 64 * 1024 * 1024

/**
 * Sends through any HttpClient of the platform. Redirects are not followed, tracing headers are not sent, and
 * nothing of the client's own errors (which hold the request, and with it the key) is passed on but plain text.
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
    send: (request) =>
      untracedClient.execute(toPlatformRequest(request)).pipe(
        Effect.mapError((error) => connectionError(error, null)),
        Effect.flatMap((response) =>
          Effect.map(readBody(response, maxBodySize), (bytes) => ({
            status: response.status,
            headers: safeHeaders(response.headers, request.apiKey),
            bytes
          }))
        ),
        withoutRedirects
      )
  }
}

/** Redirects are not followed; whatever else is set for fetch stays. */
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
    headers: { accept: "application/json", "x-api-key": Redacted.value(request.apiKey) }
  })
  return request.body === null
    ? platformRequest
    : HttpClientRequest.bodyText(platformRequest, request.body, "application/json")
}

/**
 * Reads the whole body under a cap. Where the length is announced the body is read in one piece, which is several
 * times cheaper; otherwise piece by piece, and no further than the cap.
 */
const readBody = (
  response: HttpClientResponse.HttpClientResponse,
  maxBytes: number
): Effect.Effect<Uint8Array, TransportError> => {
  const failure = (reason: "too-large" | "malformed", detail: string) =>
    new TransportError({ reason, detail, sent: true, status: response.status })
  const tooLarge = () => failure("too-large", `the body is longer than ${maxBytes} bytes`)
  const undecodable = () => failure("malformed", "the body's gzip encoding is broken")
  // A client that undoes the encoding itself fails with a code of zlib's.
  const connectionBroken = (error: HttpClientError.HttpClientError) =>
    errorCode(error.cause)?.startsWith("Z_") === true
      ? undecodable()
      : connectionError(error, response.status)
  const chunks = Stream.catchAll(
    response.stream,
    (error) => emptyBody(error) ?? Stream.fail(connectionBroken(error))
  )
  const contentLength = response.headers["content-length"]
  const isEncoded = response.headers["content-encoding"] !== undefined
  if (contentLength !== undefined && Number(contentLength) > maxBytes) {
    // The body must be touched: one that nobody reads keeps its connection open.
    return Effect.zipRight(collect(chunks, 0, tooLarge), Effect.failSync(tooLarge))
  }
  const body = contentLength !== undefined && !isEncoded
    ? Effect.mapBoth(response.arrayBuffer, {
      onFailure: connectionBroken,
      onSuccess: (buffer) => new Uint8Array(buffer)
    }).pipe(Effect.filterOrFail(({ byteLength }) => byteLength <= maxBytes, tooLarge))
    : collect(chunks, maxBytes, tooLarge)
  // A client that undoes the encoding itself leaves the header in place: the bytes tell.
  return isEncoded
    ? Effect.flatMap(body, (bytes) =>
      isGzip(bytes)
        ? gunzip(bytes, maxBytes, undecodable, tooLarge)
        : Effect.succeed(bytes))
    : body
}

/** That there is no body at all (204, 304) is no fault of the connection. */
const emptyBody = (error: HttpClientError.ResponseError): Stream.Stream<never> | undefined =>
  error.reason === "EmptyBody" ? Stream.empty : undefined

/** Failures that come before anything was sent. */
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

const connectionError = (error: HttpClientError.HttpClientError, status: number | null): TransportError => {
  const code = errorCode(error.cause)
  return new TransportError({
    reason: "network",
    detail: code ??
      (error._tag === "RequestError" ? "the request could not be sent" : "the answer broke off"),
    sent: !(code !== undefined && notSent.has(code)) &&
      !(error._tag === "RequestError" && error.reason !== "Transport"),
    status
  })
}

/** The code that a network error carries, perhaps some causes down. */
const errorCode = (cause: unknown, depth = 0): string | undefined => {
  if (!Predicate.isRecord(cause) || depth > 4) return undefined
  const code = cause["code"]
  if (typeof code === "string" && /^[A-Z0-9_]{2,60}$/.test(code)) return code
  const inner = Array.isArray(cause["errors"]) ? cause["errors"][0] : undefined
  return errorCode(cause["cause"], depth + 1) ?? errorCode(inner, depth + 1)
}
