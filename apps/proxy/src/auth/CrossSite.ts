/**
 * A page anywhere could change streams with the proxy's key, or spend its plan: browsers send a form or plain text to any
 * origin without asking first, and fetch whatever a page shows as a picture. JSON they ask about, which is never answered
 * with a yes; of every POST they say which page it comes from; and of everything that they send to this machine or over
 * HTTPS whether that is of another site.
 */
import * as Effect from "effect/Effect"
import * as ProxyError from "../exchange/ProxyError.ts"

type RequestHeaders = Readonly<Record<string, string | undefined>>

/** Whether a page of another site has sent it, as far as its browser says. */
export const isCrossSite = ({ host = "", origin, "sec-fetch-site": fetchSite }: RequestHeaders): boolean =>
  fetchSite === "cross-site" || (origin !== undefined && hostOfOrigin(origin) !== host.toLowerCase())

/** Refuses what a page of another site has sent. */
export const rejectCrossSite = (headers: RequestHeaders): Effect.Effect<void, ProxyError.ProxyError> =>
  isCrossSite(headers) ? Effect.fail(crossSiteError) : Effect.void

/** Refuses a change that a page of another site may have sent. */
export const checkWriteRequest = (headers: RequestHeaders): Effect.Effect<void, ProxyError.ProxyError> =>
  Effect.zipRight(
    rejectCrossSite(headers),
    /^application\/json\s*(;|$)/i.test(headers["content-type"] ?? "")
      ? Effect.void
      : Effect.fail(jsonContentTypeRequired)
  )

/** Of `null`, which pages without an origin send, nothing is left. */
const hostOfOrigin = (origin: string): string | undefined =>
  /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase()

export const crossSiteError = ProxyError.make(
  "cross-site",
  "a page of another site may not ask for anything through this proxy, where no token is asked for, or change anything"
)

const jsonContentTypeRequired = ProxyError.make(
  "unsupported-media-type",
  "send the body with the header content-type: application/json"
)
