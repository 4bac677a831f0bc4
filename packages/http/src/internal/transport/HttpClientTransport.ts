/** A transport over any `HttpClient` of the platform. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { CurrentBodyMemory } from "./BodyMemory.ts"
import { collect } from "./Bytes.ts"
import { contentEncoding, gunzip } from "./Gzip.ts"
import { safeHeaders } from "./RawResponse.ts"
import {
  type BodyError,
  bodyTooLarge,
  errorCode,
  isFramed,
  noBodyMemory,
  requestFailed,
  responseFailed,
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
  const untracedClient = client.pipe(
    HttpClient.withTracerPropagation(false),
    HttpClient.withTracerDisabledWhen(() => true)
  )
  const commonHeaders = {
    accept: "application/json",
    ...isBrowser ? {} : { "user-agent": userAgent }
  }
  return {
    send: (request, timeoutMillis) => {
      const exchange = untracedClient.execute(toPlatformRequest(request, commonHeaders)).pipe(
        Effect.mapError((error) => requestFailed(error.cause, mayBeSent(error))),
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
        : Effect.timeoutFail(exchange, {
          duration: timeoutMillis,
          onTimeout: () => new TransportTimeout({ sent: true })
        })
    }
  }
}

/** Browsers identify themselves. Some send a `User-Agent` of a program only if the CORS headers of the server allow it. */
const isBrowser = "document" in globalThis || "importScripts" in globalThis

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

const toPlatformRequest = (
  request: TransportRequest,
  commonHeaders: Readonly<Record<string, string>>
): HttpClientRequest.HttpClientRequest => {
  const platformRequest = HttpClientRequest.make(request.method)(request.url, {
    headers: { ...commonHeaders, ...apiKeyHeader(request.apiKey) }
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
  head: ResponseHead,
  maxBytes: number
): Effect.Effect<Uint8Array, TransportError> =>
  Effect.flatMap(CurrentBodyMemory, (memory) => {
    let held = 0
    const reserve = (bytes: number): BodyError | null => {
      if (!memory.tryAcquire(bytes)) return noBodyMemory(head)
      held += bytes
      return null
    }
    return Effect.ensuring(
      readReserved(response, head, maxBytes, reserve),
      Effect.sync(() => memory.release(held))
    )
  })

/**
 * Reads a body of at most `maxBytes`. With a `Content-Length` the body is read at once, which is several times cheaper;
 * otherwise in chunks, up to the limit. `reserve` is called before bytes are kept.
 */
const readReserved = (
  response: HttpClientResponse.HttpClientResponse,
  head: ResponseHead,
  maxBytes: number,
  reserve: (bytes: number) => BodyError | null
): Effect.Effect<Uint8Array, TransportError> => {
  const tooLarge = () => bodyTooLarge(head, maxBytes)
  const undecodable = () => undecodableBody(head, "gzip")
  /** Admits chunks of a body of at most `maxBytes`. */
  const admitChunks = () => {
    let length = 0
    return (bytes: number): BodyError | null => {
      length += bytes
      return length > maxBytes ? tooLarge() : reserve(bytes)
    }
  }
  // A client that decodes the body itself fails with an error code of zlib.
  const connectionBroken = ({ cause }: HttpClientError.HttpClientError): TransportError =>
    errorCode(cause)?.startsWith("Z_") === true ? undecodable() : responseFailed(cause)
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
  return isEncoded
    ? Effect.flatMap(body, (bytes) =>
      contentEncoding(response.headers, bytes) === "gzip"
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

/** Whether the upstream may have received a request that has no response. */
const mayBeSent = (error: HttpClientError.HttpClientError): boolean => {
  const code = errorCode(error.cause)
  return !(code !== undefined && notSent.has(code)) &&
    !(error._tag === "RequestError" && error.reason !== "Transport")
}
