/**
 * Renders an upstream response for the client: forwarded headers, headers of the proxy, and the encoded body. Also encodes
 * built-in pages.
 */
import type { AnyOperation } from "@blockquarry/core/Operation"
import { type RawResponse, retryDelay } from "@blockquarry/http/gateway/RawResponse"
import * as Completed from "@blockquarry/server/Completed"
import type { HttpResponse } from "@blockquarry/server/HttpResponse"
import * as Effect from "effect/Effect"
import * as Rec from "effect/Record"
import { hash } from "node:crypto"
import type { Config } from "../config/Config.ts"
import type { CacheState } from "../exchange/AccessLogEntry.ts"
import { retryAfterHeader } from "../exchange/ProxyError.ts"
import type * as UpstreamClient from "../upstream/UpstreamClient.ts"
import { type EncodedBodies, minEncodedBytes } from "./EncodedBodies.ts"

/** An upstream response, and how it was obtained. */
export interface RenderInput extends UpstreamClient.UpstreamResponse {
  readonly cacheDirective: UpstreamClient.CacheDirective
  readonly ignoresNoCache: boolean
  readonly usesCache: boolean
  readonly now: number
  /** The method of the operation. Only GET and HEAD responses that use the cache have an entity tag. */
  readonly method: AnyOperation["method"]
  /** Whether no operation describes the body, which may be a document with scripts. */
  readonly isOpaque: boolean
  /** Whether the client gets the price and the limits that the upstream reports, and where the price is. */
  readonly upstream: Pick<Config["upstream"], "forwardHeaders" | "weightHeader">
  /** Whether the response may be 304. */
  readonly allowsNotModified: boolean
}

type RequestHeaders = Readonly<Record<string, string | undefined>>

/** Upstream headers that are forwarded. Rate limit headers are not: they are about the proxy's API keys. */
const forwardedHeaders = [
  "content-language",
  "content-type",
  "expires",
  "last-modified"
]

export const render = (
  input: RenderInput,
  requestHeaders: RequestHeaders,
  encodedBodies: EncodedBodies
): Effect.Effect<HttpResponse> => {
  const { response } = input
  const headers = responseHeaders(input)
  const { etag } = headers
  const ifNoneMatch = requestHeaders["if-none-match"]
  if (
    etag !== undefined && ifNoneMatch !== undefined && input.allowsNotModified &&
    ifNoneMatchMatches(ifNoneMatch, etag)
  ) {
    const { "content-type": _, ...notModified } = headers
    return Effect.succeed({ status: 304, headers: notModified, body: emptyBody })
  }
  return Completed.map(
    encodedBodies.encode(response, requestHeaders["accept-encoding"], etag),
    ({ bytes, encoding }) => {
      if (encoding !== undefined) headers["content-encoding"] = encoding
      return { status: response.status, headers, body: bytes }
    }
  )
}

/** Compresses the body of a built-in page if the client accepts it. */
export const renderPage = (
  page: HttpResponse,
  requestHeaders: RequestHeaders,
  encodedBodies: EncodedBodies
): Effect.Effect<HttpResponse> =>
  page.body instanceof Uint8Array && page.body.byteLength >= minEncodedBytes
    ? Effect.map(
      encodedBodies.encode(
        { status: page.status, bytes: page.body },
        requestHeaders["accept-encoding"],
        tagOfPage(page.body)
      ),
      ({ bytes, encoding }) => ({
        ...page,
        headers: {
          ...page.headers,
          vary: "accept-encoding",
          ...(encoding === undefined ? {} : { "content-encoding": encoding })
        },
        body: bytes
      })
    )
    : Effect.succeed(page)

/** Entity tags of pages, which have the same body for all requests. Hashing one takes longer than the rest of a request. */
const pageTags = new WeakMap<Uint8Array, string>()

const tagOfPage = (body: Uint8Array): string => {
  const entityTag = pageTags.get(body) ?? entityTagOf(body)
  pageTags.set(body, entityTag)
  return entityTag
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

const responseHeaders = (input: RenderInput): Record<string, string> => {
  const { cacheDirective, coalesced, freshUntil, now, response, source, storedAt, usesCache } = input
  const headers = { ...constantHeaders(input) }
  const ignored = input.ignoresNoCache ? "; detail=no-cache-ignored" : ""
  const detail = source === "stale" ? "; detail=stale" : ignored
  // In whole seconds, and only if it is valid.
  Object.assign(headers, retryAfterHeader(retryDelay(response, now)))
  if (storedAt === null || freshUntil === null) {
    if (input.upstream.forwardHeaders) Object.assign(headers, reportedLimits(input))
    const forwardReason = usesCache ? cacheDirective === "reload" ? "request" : "miss" : "bypass"
    headers["cache-status"] = `quarry-proxy; fwd=${forwardReason}${coalesced ? "; collapsed" : ""}${detail}`
  } else {
    const ttl = Math.round((freshUntil - now) / 1000)
    headers["age"] = String(Math.max(0, Math.floor((now - storedAt) / 1000)))
    headers["cache-status"] = `quarry-proxy; hit; ttl=${ttl}${detail}`
  }
  return headers
}

const reportedLimits = ({ response, upstream: { weightHeader } }: RenderInput): Headers =>
  Rec.filter(response.headers, (_, name) => name === weightHeader || /^x-rate-?limit-/.test(name))

type Headers = Readonly<Record<string, string>>

const prepared = new WeakMap<RawResponse, Headers>()

/** Returns the headers that do not depend on the request. Computes them once for the hits of a cache entry. */
const constantHeaders = ({ isOpaque, method, response, source, usesCache }: RenderInput): Headers => {
  const known = source === "cache" ? prepared.get(response) : undefined
  if (known !== undefined) return known
  const headers: Record<string, string> = {
    "cache-control": privateCacheControl(response.headers["cache-control"]),
    vary: "accept-encoding, authorization, x-api-key",
    ...(isOpaque
      ? { "content-security-policy": "sandbox; default-src 'none'", "x-content-type-options": "nosniff" }
      : {})
  }
  for (const name of forwardedHeaders) {
    const value = response.headers[name]
    if (value !== undefined) headers[name] = value
  }
  if (usesCache && method === "GET" && response.status === 200) {
    headers["etag"] = entityTagOf(response.bytes)
  }
  if (source === "cache") prepared.set(response, headers)
  return headers
}

export const cacheStateOf = (
  { coalesced, source }: UpstreamClient.UpstreamResponse,
  usesCache: boolean
): CacheState => {
  switch (source) {
    case "cache":
      return "hit"
    case "stale":
      return "stale"
    case "upstream":
      return usesCache ? coalesced ? "coalesced" : "miss" : "bypass"
  }
}

/**
 * Returns a weak entity tag: it is the same for every content encoding of the body. Its SHA-256 also identifies the body among
 * those of other requests: names and metadata of tokens are parts of bodies, so a weaker hash would let their authors choose
 * two bodies with the same tag.
 */
const entityTagOf = (body: Uint8Array): string => `W/"${hash("sha256", body, "base64url")}"`

/** Whether an `If-None-Match` header matches the entity tag. */
const ifNoneMatchMatches = (ifNoneMatch: string, entityTag: string): boolean => {
  if (ifNoneMatch.trim() === "*") return true
  const opaqueTag = entityTag.slice("W/".length)
  return ifNoneMatch.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === opaqueTag)
}
