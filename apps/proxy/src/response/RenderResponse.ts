/** The service's answer as a reply: what is passed on of it, and what the proxy says beside it. */
import * as Effect from "effect/Effect"
import type { CacheDirective } from "../exchange/CacheDirective.ts"
import type { ProxyResponse } from "../exchange/ProxyResponse.ts"
import type * as UpstreamClient from "../upstream/UpstreamClient.ts"
import * as CacheStatus from "./CacheStatus.ts"
import * as ConditionalRequest from "./ConditionalRequest.ts"
import type { EncodedBodies, EncodedBody } from "./EncodedBodies.ts"

/** An answer, and what the proxy knows of it. */
export interface RenderInput extends UpstreamClient.UpstreamResponse {
  readonly cacheDirective: CacheDirective
  /** Whether the cache was asked at all. */
  readonly usesCache: boolean
  readonly now: number
}

/** What a client says of how it wants its answer. Lower-case names. */
type RequestHeaders = Readonly<Record<string, string | undefined>>

/** Of the headers of the service: limits are those of the proxy's keys, and nobody else's business. */
const forwardedHeaders = [
  "content-language",
  "content-type",
  "expires",
  "last-modified",
  "retry-after"
]

/** Makes the body in the encoding that is wanted where it is not there yet. */
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

/** The same at once; undefined where the body must be encoded first. */
export const renderSync = (
  input: RenderInput,
  requestHeaders: RequestHeaders,
  encodedBodies: EncodedBodies
): ProxyResponse | undefined => {
  if (isNotModified(input, requestHeaders, encodedBodies)) return notModified(input, encodedBodies)
  const body = encodedBodies.peek(input.response, requestHeaders["accept-encoding"])
  return body === undefined ? undefined : fullResponse(input, body, encodedBodies)
}

const isNotModified = (
  { response }: RenderInput,
  requestHeaders: RequestHeaders,
  encodedBodies: EncodedBodies
): boolean => {
  const ifNoneMatch = requestHeaders["if-none-match"]
  return ifNoneMatch !== undefined && response.status === 200 &&
    ConditionalRequest.ifNoneMatchMatches(ifNoneMatch, encodedBodies.entityTagOf(response))
}

const fullResponse = (
  input: RenderInput,
  { bytes, encoding }: EncodedBody,
  encodedBodies: EncodedBodies
): ProxyResponse => ({
  status: input.response.status,
  headers: {
    ...responseHeaders(input, encodedBodies),
    ...(encoding === undefined ? {} : { "content-encoding": encoding })
  },
  body: bytes
})

const notModified = (input: RenderInput, encodedBodies: EncodedBodies): ProxyResponse => {
  const { "content-type": _, ...headers } = responseHeaders(input, encodedBodies)
  return { status: 304, headers, body: emptyBody }
}

const emptyBody = new Uint8Array()

/** What the service says, but to the client alone: nothing in between may give one client's answer to another. */
const privateCacheControl = (cacheControl: string | undefined): string => {
  if (cacheControl === undefined) return "private, no-cache"
  const directives = cacheControl.split(",").map((directive) => directive.trim())
  return [
    "private",
    ...directives.filter((directive) => !/^(public|private|s-maxage|proxy-revalidate)\b/i.test(directive))
  ]
    .join(", ")
}

/** Clients may keep what they get for themselves, and ask whether it is still so. */
const responseHeaders = (
  input: RenderInput,
  encodedBodies: EncodedBodies
): Record<string, string> => {
  const { response, usesCache, now, cacheDirective } = input
  const headers: Record<string, string> = {
    "cache-control": privateCacheControl(response.headers["cache-control"]),
    vary: "accept-encoding, authorization, x-api-key"
  }
  for (const name of forwardedHeaders) {
    const value = response.headers[name]
    if (value !== undefined) headers[name] = value
  }
  if (response.status === 200) headers["etag"] = encodedBodies.entityTagOf(response)
  return Object.assign(headers, CacheStatus.cacheHeaders(input, cacheDirective, usesCache, now))
}
