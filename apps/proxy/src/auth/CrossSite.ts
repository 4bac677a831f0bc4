/**
 * Protection against requests that web pages of other sites make in a browser.
 *
 * Browsers send forms, plain text and requests of images to any origin without a preflight. They send JSON and tokens only
 * after a preflight, which the proxy accepts only for origins of `clients[].cors` (`Cors`). Pages of these origins may send
 * updates with a token of that client. Without `clients`, all cross-site requests are rejected.
 *
 * Every POST of a browser has `Origin`. Requests to loopback addresses and over HTTPS have `Sec-Fetch-Site`.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ProxyError from "../exchange/ProxyError.ts"

type RequestHeaders = Readonly<Record<string, string | undefined>>

/** Whether a page of another site sent the request, according to the browser. */
const isCrossSite = ({ host = "", origin, "sec-fetch-site": fetchSite }: RequestHeaders): boolean =>
  fetchSite === "cross-site" || (origin !== undefined && hostOfOrigin(origin) !== host.toLowerCase())

/** Rejects requests of pages of other sites. */
export const check = (headers: RequestHeaders): Either.Either<void, ProxyError.ProxyError> =>
  isCrossSite(headers) ? Either.left(crossSiteError) : Either.void

/**
 * Rejects updates that a page of another site may have sent, unless its origin is allowed. A browser sends any PUT, PATCH and
 * DELETE after a preflight only, so that without a body they need no content type.
 */
export const checkWriteRequest = (
  headers: RequestHeaders,
  allowsOrigin: (origin: string) => boolean,
  hasContent = true
): Effect.Effect<void, ProxyError.ProxyError> =>
  Effect.zipRight(
    headers["origin"] !== undefined && allowsOrigin(headers["origin"])
      ? Effect.void
      : check(headers),
    !hasContent || /^application\/json\s*(;|$)/i.test(headers["content-type"] ?? "")
      ? Effect.void
      : Effect.fail(jsonContentTypeRequired)
  )

/** Undefined for `null`, the origin of pages without one. */
const hostOfOrigin = (origin: string): string | undefined =>
  /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase()

const crossSiteError = ProxyError.make("cross-site", "cross-site request rejected")

const jsonContentTypeRequired = ProxyError.make(
  "unsupported-media-type",
  "expected content-type: application/json"
)
