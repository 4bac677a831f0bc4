/**
 * A page anywhere could change streams with the proxy's key: browsers send a form or plain text to any origin
 * without asking first. JSON they ask about, which is never answered with a yes, and of every POST they say which
 * page it comes from. (`Sec-Fetch-Site` would say it too, but is not sent to plain HTTP.)
 */
import * as Effect from "effect/Effect"
import * as Failure from "./Failure.ts"

type Headers = Readonly<Record<string, string | undefined>>

/** Refuses what a page of another site has sent. */
export const checkOrigin = ({ host = "", origin }: Headers): Effect.Effect<void, Failure.Failure> =>
  origin !== undefined && hostOf(origin) !== host.toLowerCase() ? Effect.fail(foreign) : Effect.void

/** Refuses a change that a page of another site may have sent. */
export const check = (headers: Headers): Effect.Effect<void, Failure.Failure> =>
  Effect.zipRight(
    checkOrigin(headers),
    /^application\/json\s*(;|$)/i.test(headers["content-type"] ?? "") ? Effect.void : Effect.fail(notDeclared)
  )

/** Of `null`, which pages without an origin send, nothing is left. */
const hostOf = (origin: string): string | undefined =>
  /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase()

const foreign = Failure.make(
  "cross-site",
  "a page of another site may not change anything through this proxy"
)

const notDeclared = Failure.make(
  "unsupported-media-type",
  "send the body with the header content-type: application/json"
)
