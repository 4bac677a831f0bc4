/**
 * Renders an upstream response for the client: forwarded headers, headers of the proxy, and the encoded body. Also encodes
 * built-in pages.
 */
import type { AnyOperation } from "@blockquarry/core/Operation"
import { type RawResponse, RetryAfter } from "@blockquarry/http/Gateway"
import * as Effect from "effect/Effect"
import type { CacheDirective } from "../exchange/CacheDirective.ts"
import { retryAfterHeader } from "../exchange/ProxyError.ts"
import type { ProxyResponse } from "../exchange/ProxyResponse.ts"
import type * as UpstreamClient from "../upstream/UpstreamClient.ts"
import * as CacheStatus from "./CacheStatus.ts"
import * as ConditionalRequest from "./ConditionalRequest.ts"
import { minEncodedBytes } from "./ContentEncoding.ts"
import type { EncodedBodies, EncodedBody } from "./EncodedBodies.ts"

/** An upstream response, and how it was obtained. */
export interface RenderInput extends UpstreamClient.UpstreamResponse {
  readonly cacheDirective: CacheDirective
  /** Whether the request used the cache. */
  readonly usesCache: boolean
  readonly now: number
  /** The method of the operation. Entity tags and conditional requests are for GET only, and for HEAD. */
  readonly method: AnyOperation["method"]
}

/** Request headers. Names are in lower case. */
type RequestHeaders = Readonly<Record<string, string | undefined>>

/** Upstream headers that are forwarded. Rate limit headers are not: they are about the proxy's API keys. */
const forwardedHeaders = [
  "content-language",
  "content-type",
  "expires",
  "last-modified"
]

/** Renders a response. Compresses the body if necessary. */
export const render = (
  input: RenderInput,
  requestHeaders: RequestHeaders,
  encodedBodies: EncodedBodies
): Effect.Effect<ProxyResponse> =>
  isNotModified(input, requestHeaders, encodedBodies)
    ? Effect.succeed(notModified(input, encodedBodies))
    : Effect.map(
      encodedBodies.encode(input.response, requestHeaders["accept-encoding"], input.usesCache),
      (body) => fullResponse(input, body, encodedBodies)
    )

/** Compresses the body of a built-in page if the client accepts it. `store`: whether later requests get the same body. */
export const renderPage = (
  page: ProxyResponse,
  requestHeaders: RequestHeaders,
  encodedBodies: EncodedBodies,
  store: boolean
): Effect.Effect<ProxyResponse> =>
  page.body instanceof Uint8Array && page.body.byteLength >= minEncodedBytes
    ? Effect.map(
      encodedBodies.encode(
        { status: page.status, bytes: page.body },
        requestHeaders["accept-encoding"],
        store
      ),
      ({ bytes, encoding }) => ({
        ...page,
        headers: { ...page.headers, vary: "accept-encoding", ...contentEncoding(encoding) },
        body: bytes
      })
    )
    : Effect.succeed(page)

const contentEncoding = (encoding: EncodedBody["encoding"]): Readonly<Record<string, string>> =>
  encoding === undefined ? {} : { "content-encoding": encoding }

const isNotModified = (
  input: RenderInput,
  requestHeaders: RequestHeaders,
  encodedBodies: EncodedBodies
): boolean => {
  const { response } = input
  const ifNoneMatch = requestHeaders["if-none-match"]
  return ifNoneMatch !== undefined && hasEntityTag(input) &&
    ConditionalRequest.ifNoneMatchMatches(ifNoneMatch, encodedBodies.entityTagOf(response))
}

const hasEntityTag = ({ method, response: { status } }: RenderInput): boolean =>
  method === "GET" && status === 200

const fullResponse = (
  input: RenderInput,
  { bytes, encoding }: EncodedBody,
  encodedBodies: EncodedBodies
): ProxyResponse => {
  const headers = responseHeaders(input, encodedBodies)
  if (encoding !== undefined) headers["content-encoding"] = encoding
  return { status: input.response.status, headers, body: bytes }
}

const notModified = (input: RenderInput, encodedBodies: EncodedBodies): ProxyResponse => {
  const { "content-type": _, ...headers } = responseHeaders(input, encodedBodies)
  return { status: 304, headers, body: emptyBody }
}

const emptyBody = new Uint8Array()

/** Returns the upstream's `Cache-Control` as `private`: a shared cache must not serve a response to another client. */
const privateCacheControl = (cacheControl: string | undefined): string => {
  if (cacheControl === undefined) return "private, no-cache"
  const directives = cacheControl.split(",").map((directive) => directive.trim())
  return [
    "private",
    ...directives.filter((directive) => !/^(public|private|s-maxage|proxy-revalidate)\b/i.test(directive))
  ]
    .join(", ")
}

/** Returns headers that let clients cache responses privately and revalidate them. */
const responseHeaders = (
  input: RenderInput,
  encodedBodies: EncodedBodies
): Record<string, string> => {
  const { response, usesCache, now, cacheDirective } = input
  const headers = { ...constantHeaders(response) }
  if (hasEntityTag(input)) headers["etag"] = encodedBodies.entityTagOf(response)
  const retryAfter = response.headers["retry-after"]
  if (retryAfter !== undefined) {
    // In whole seconds, and only if it is valid.
    Object.assign(headers, retryAfterHeader(RetryAfter.parseRetryAfter(retryAfter, now)))
  }
  CacheStatus.setCacheHeaders(headers, input, cacheDirective, usesCache, now)
  return headers
}

/** The headers of a response that do not depend on the request. Computed once for each cached response. */
const constantHeaders = (response: RawResponse.RawResponse): Record<string, string> => {
  const known = prepared.get(response)
  if (known !== undefined) return known
  const headers: Record<string, string> = {
    "cache-control": privateCacheControl(response.headers["cache-control"]),
    vary: "accept-encoding, authorization, x-api-key"
  }
  for (const name of forwardedHeaders) {
    const value = response.headers[name]
    if (value !== undefined) headers[name] = value
  }
  prepared.set(response, headers)
  return headers
}

const prepared = new WeakMap<RawResponse.RawResponse, Record<string, string>>()
