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
import { type Answer, safeHeaders } from "./Answer.ts"
import { collect } from "./internal/bytes.ts"
import { gunzip, isGzip } from "./internal/gzip.ts"

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
export class TransportFault extends Data.TaggedError("TransportFault")<{
  readonly reason: "unreachable" | "tooLarge" | "garbled"
  readonly problem: string
  readonly sent: boolean
  /** Of the answer that broke off, where it had begun. */
  readonly status: number | null
}> {}

/**
 * @since 0.1.0
 * @category models
 */
export interface Transport {
  readonly send: (request: TransportRequest) => Effect.Effect<Answer, TransportFault>
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
  const quiet = client.pipe(
    HttpClient.withTracerPropagation(false),
    HttpClient.withTracerDisabledWhen(() => true)
  )
  return {
    send: (request) =>
      quiet.execute(toPlatform(request)).pipe(
        Effect.mapError((error) => unreachable(error, null)),
        Effect.flatMap((response) =>
          Effect.map(readBody(response, maxBodySize), (bytes) => ({
            status: response.status,
            headers: safeHeaders(response.headers, request.apiKey),
            bytes
          }))
        ),
        unredirected
      )
  }
}

/** Redirects are not followed; whatever else is set for fetch stays. */
const unredirected = <A, E>(send: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(
    Effect.serviceOption(FetchHttpClient.RequestInit),
    (init) =>
      Effect.provideService(send, FetchHttpClient.RequestInit, {
        ...Option.getOrUndefined(init),
        redirect: "manual"
      })
  )

const toPlatform = (request: TransportRequest): HttpClientRequest.HttpClientRequest => {
  const bare = HttpClientRequest.make(request.method)(request.url, {
    headers: { accept: "application/json", "x-api-key": Redacted.value(request.apiKey) }
  })
  return request.body === null ? bare : HttpClientRequest.bodyText(bare, request.body, "application/json")
}

/**
 * Reads the whole body under a cap. Where the length is announced the body is read in one piece, which is several
 * times cheaper; otherwise piece by piece, and no further than the cap.
 */
const readBody = (
  response: HttpClientResponse.HttpClientResponse,
  cap: number
): Effect.Effect<Uint8Array, TransportFault> => {
  const fault = (reason: "tooLarge" | "garbled", problem: string) =>
    new TransportFault({ reason, problem, sent: true, status: response.status })
  const tooLarge = () => fault("tooLarge", `the body is longer than ${cap} bytes`)
  const undecodable = () => fault("garbled", "the body's gzip encoding is broken")
  // A client that undoes the encoding itself fails with a code of zlib's.
  const broken = (error: HttpClientError.HttpClientError) =>
    errorCode(error.cause)?.startsWith("Z_") === true ? undecodable() : unreachable(error, response.status)
  const pieces = Stream.catchAll(response.stream, (error) => noBody(error) ?? Stream.fail(broken(error)))
  const announced = response.headers["content-length"]
  const encoded = response.headers["content-encoding"] !== undefined
  if (announced !== undefined && Number(announced) > cap) {
    // The body must be touched: one that nobody reads keeps its connection open.
    return Effect.zipRight(collect(pieces, 0, tooLarge), Effect.failSync(tooLarge))
  }
  const whole = announced !== undefined && !encoded
    ? Effect.mapBoth(response.arrayBuffer, {
      onFailure: broken,
      onSuccess: (buffer) => new Uint8Array(buffer)
    }).pipe(Effect.filterOrFail(({ byteLength }) => byteLength <= cap, tooLarge))
    : collect(pieces, cap, tooLarge)
  // A client that undoes the encoding itself leaves the header in place: the bytes tell.
  return encoded
    ? Effect.flatMap(whole, (bytes) =>
      isGzip(bytes)
        ? gunzip(bytes, cap, undecodable, tooLarge)
        : Effect.succeed(bytes))
    : whole
}

/** That there is no body at all (204, 304) is no fault of the connection. */
const noBody = (error: HttpClientError.ResponseError): Stream.Stream<never> | undefined =>
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

const unreachable = (error: HttpClientError.HttpClientError, status: number | null): TransportFault => {
  const code = errorCode(error.cause)
  return new TransportFault({
    reason: "unreachable",
    problem: code ??
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
