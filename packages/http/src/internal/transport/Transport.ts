/**
 * Transports: what sends a request and returns its complete response, with a size limit, a timeout and bounded memory.
 */
import type { Method } from "@blockquarry/core/Operation"
import { clientFailed } from "@blockquarry/core/OperationError"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Redacted from "effect/Redacted"
import type { BodyMemory, RawResponse } from "../../gateway/RawResponse.ts"
import type { ResponseHeaders } from "./SafeHeaders.ts"

export interface TransportRequest {
  readonly method: Method
  readonly url: string
  /** Empty if the request is sent without an API key. */
  readonly apiKey: Redacted.Redacted
  /** JSON text, or null for no body. */
  readonly body: string | null
  /** The response header with the price, in lower case. Null if there is none. */
  readonly weightHeader: string | null
  /**
   * Whether the request must not be sent any more, because its API key was replaced while it waited for a connection. Clients
   * of the platform do not say when they write a request.
   */
  readonly isObsolete: () => boolean
  /** Where the memory for the body is from. */
  readonly memory: BodyMemory
}

/** A response as the transport received it. */
export interface ReceivedResponse extends RawResponse {
  /**
   * Whether `Content-Length` or chunks delimited the body, so that it is complete. If only the end of the connection did,
   * it may be truncated.
   */
  readonly framed: boolean
}

/** The connection could not be opened, or broke before the response was complete. */
export class ConnectionError extends Data.TaggedError("ConnectionError")<{
  readonly detail: string
  /** Whether the request may have reached the upstream. */
  readonly sent: boolean
}> {}

/** The status and headers of a response. */
export type ResponseHead = Omit<RawResponse, "bytes">

/**
 * The body cannot be used.
 *
 * - `too-large`: it exceeds the limit.
 * - `incomplete`: its content encoding is invalid.
 * - `memory`: there is not enough memory for it. See `BodyMemory`.
 * - `already-read`: the program has read it.
 */
export class BodyError extends Data.TaggedError("BodyError")<{
  readonly reason: "too-large" | "incomplete" | "memory" | "already-read"
  readonly detail: string
  readonly response: ResponseHead
}> {}

/** The timeout passed before the response was complete. */
export class TransportTimeout extends Data.TaggedError("TransportTimeout")<{
  /** Whether the request may have reached the upstream. */
  readonly sent: boolean
}> {}

export type TransportError = ConnectionError | BodyError | TransportTimeout

/**
 * Sends requests. Transports do not follow redirects. Their errors contain plain text only, because errors of HTTP clients
 * contain the request and with it the API key.
 */
export interface Transport {
  /** Sends a request, and cancels it after `timeoutMillis`, which may be infinite, or if it is interrupted. */
  readonly send: (
    request: TransportRequest,
    timeoutMillis: number
  ) => Effect.Effect<ReceivedResponse, TransportError>
}

export interface TransportOptions {
  readonly maxBodySize: number
  readonly userAgent: string
}

/** A transport that sends without the `HttpClient` of its layer, over the same connections. */
export class DispatchTransport extends Context.Tag("@blockquarry/http/DispatchTransport")<DispatchTransport, {
  /** The client of the same layer. If another client is in context, requests are sent with that one. */
  readonly client: HttpClient.HttpClient
  readonly make: (options: TransportOptions) => Transport
}>() {}

export const defaultMaxBodySize: number = 64 * 1024 * 1024

/**
 * Whether headers delimit a body of `length` bytes. A client may decode a body, which changes its length, and keep the
 * headers.
 */
export const isFramed = (headers: ResponseHeaders, length: number): boolean => {
  const contentLength = headers["content-length"]
  return contentLength === undefined
    ? String(headers["transfer-encoding"]).toLowerCase().endsWith("chunked")
    : headers["content-encoding"] !== undefined || Number(contentLength) === length
}

export const bodyTooLarge = (response: ResponseHead, maxBodySize: number): BodyError =>
  new BodyError({ reason: "too-large", detail: `the body is longer than ${maxBodySize} bytes`, response })

export const noBodyMemory = (response: ResponseHead): BodyError =>
  new BodyError({ reason: "memory", detail: "there is not enough memory for the body", response })

export const undecodableBody = (response: ResponseHead, encoding: string): BodyError =>
  new BodyError({
    reason: "incomplete",
    detail: `the ${encoding} encoding of the body is invalid`,
    response
  })

/**
 * The proxy between this program and the upstream cannot be reached, or refuses to connect. The message names its host.
 */
export class HttpProxyError extends Error {}

export const requestFailed = (cause: unknown, sent: boolean): ConnectionError =>
  cause instanceof HttpProxyError
    ? new ConnectionError({ detail: cause.message, sent: false })
    : new ConnectionError({
      detail: describe(cause) ?? (sent ? "no valid response was received" : "the request could not be sent"),
      sent: sent && !isUnsent(cause)
    })

/** Codes of failures before the request is sent. */
const unsentCode =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|E(?:HOST|NET)UNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_|ERR_SSL_WRONG_VERSION|ConnectionRefused|FailedToOpenSocket)/

/** Whether the runtime says that the request was not sent. Browsers and workerd never do. */
const isUnsent = (cause: unknown): boolean =>
  causesOf(cause).some(({ code, message, syscall }) =>
    syscall === "connect" || unsentCode.test(String(code)) ||
    /client error \(Connect\)|^bad port$/.test(String(message))
  )

/** What the runtimes say of failures of the network that have no code. */
const networkText =
  /^(?:Abort|Timeout|Network|Socket|HTTPParser)Error|: (?:(?:fetch failed|failed to fetch|load failed|network error|network request failed|terminated)(?:$| \()|networkerror when|error sending request|(?:the )?network connection (?:was )?lost|the internet connection|could not connect to the server|internal error; reference)/i

/** Codes of mistakes of the program. */
const mistakeCode = /^(?:UND_)?(?:MOCK_)?ERR_(?:ASSERTION|INVALID|METHOD|MISSING|MOCK|NOT|UNKNOWN)/

/** Returns the code of a failure, or its text without queries. Undefined without a failure. */
const describe = (cause: unknown): string | undefined => {
  if (cause === undefined) return undefined
  const code = errorCode(cause)
  if (code !== undefined && !mistakeCode.test(code)) return code
  const causes = causesOf(cause)
  const innermost = causes.findLast(({ message }) => typeof message === "string" && message !== "") ??
    causes[0]
  const { _tag, message, name = _tag ?? "Error" } = innermost ?? {}
  const text = (innermost === undefined ? String(cause) : message ? `${name}: ${message}` : String(name))
    .replace(/\?[^\s)]*/g, "?…").replace(/: bad port$/, "$&, which fetch blocks")
  const isNetwork = networkText.test(text) ||
    code === undefined && causes.some(({ code }) => typeof code === "string")
  return isNetwork ? text.replace(/^\w+: /, "") : clientFailed + text
}

export const responseFailed = (cause: unknown): ConnectionError => {
  const code = errorCode(cause)
  return new ConnectionError({
    detail: code === undefined || connectionEnded.has(code)
      ? "the upstream closed the connection before the response was complete"
      : code,
    sent: true
  })
}

/** What the runtimes say of content encodings: codes of Node.js and Bun, texts of Deno and workerd. */
const undecodable = /^(?:Z_|ERR__|ZSTD_)|Zlib|decompress|compressed|brotli|unexpected end of file/i

/** What the runtimes say of a body that was read, or is being read; for Undici it is an assertion. */
const alreadyRead =
  /already (?:been )?(?:read|used|consumed)|unusable|\blocked|disturbed|ERR_ASSERTION|BODY_ALREADY_USED/i

/** What browsers say of the network and of content encodings. */
const ofBrowser = /^(?:(?:Failed to fetch|Load failed|network error)(?:$| \()|NetworkError when)/

/** Returns why a body cannot be read. */
export const bodyFailed = (cause: unknown, response: ResponseHead, isEncoded: boolean): TransportError => {
  const texts = causesOf(cause).flatMap(({ code, message }) => [code, message]).map(String)
  const says = (pattern: RegExp) => texts.some((text) => pattern.test(text))
  if (says(alreadyRead)) {
    return new BodyError({
      reason: "already-read",
      detail: "the program has already read the body; read a clone of the response instead",
      response
    })
  }
  return says(undecodable) || isEncoded && says(ofBrowser)
    ? undecodableBody(response, "content")
    : responseFailed(cause)
}

/** Error codes of a connection that ended. Which of them an early end has depends on the client. */
const connectionEnded: ReadonlySet<string> = new Set([
  "ECONNRESET",
  "EPIPE",
  "ERR_STREAM_PREMATURE_CLOSE",
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
  "UND_ERR_SOCKET"
])

/** Returns an error and its causes, the innermost last. */
const causesOf = (cause: unknown, depth = 0): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  if (!Predicate.isRecord(cause) || depth > 4) return []
  const inner = Array.isArray(cause["errors"]) ? cause["errors"][0] : undefined
  return [cause, ...causesOf(cause["cause"], depth + 1), ...causesOf(inner, depth + 1)]
}

/** Returns the code of a network error, from the error or its causes. */
export const errorCode = (cause: unknown): string | undefined =>
  causesOf(cause).map(({ code }) => code).find((code): code is string =>
    typeof code === "string" && /^[A-Z0-9_]{2,60}$/.test(code)
  )
