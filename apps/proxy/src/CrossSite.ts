/**
 * A page anywhere could change streams with the proxy's key, or spend its plan: browsers send a form or plain text to any
 * origin without asking first, and fetch whatever a page shows as a picture. JSON they ask about, which is never answered
 * with a yes; of every POST they say which page it comes from; and of everything that they send to this machine or over
 * HTTPS whether that is of another site.
 */
import * as Effect from "effect/Effect"
import * as Failure from "./Failure.ts"

type Headers = Readonly<Record<string, string | undefined>>

/** Whether a page of another site has sent it, as far as its browser says. */
export const isForeign = ({ host = "", origin, "sec-fetch-site": site }: Headers): boolean =>
  site === "cross-site" || (origin !== undefined && hostOf(origin) !== host.toLowerCase())

/** Refuses what a page of another site has sent. */
export const checkOrigin = (headers: Headers): Effect.Effect<void, Failure.Failure> =>
  isForeign(headers) ? Effect.fail(foreign) : Effect.void

/** Refuses a change that a page of another site may have sent. */
export const check = (headers: Headers): Effect.Effect<void, Failure.Failure> =>
  Effect.zipRight(
    checkOrigin(headers),
    /^application\/json\s*(;|$)/i.test(headers["content-type"] ?? "") ? Effect.void : Effect.fail(notDeclared)
  )

/** Of `null`, which pages without an origin send, nothing is left. */
const hostOf = (origin: string): string | undefined =>
  /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase()

export const foreign = Failure.make(
  "cross-site",
  "a page of another site may not ask for anything through this proxy, where no token is asked for, or change anything"
)

const notDeclared = Failure.make(
  "unsupported-media-type",
  "send the body with the header content-type: application/json"
)
