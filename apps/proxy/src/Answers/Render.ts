/** The service's answer as a reply: what is passed on of it, and what the proxy says beside it. */
import * as Effect from "effect/Effect"
import type { Reply } from "../Reply.ts"
import type * as Upstream from "../Upstream.ts"
import type { Wish } from "./CacheControl.ts"
import * as CacheStatus from "./CacheStatus.ts"
import * as Conditional from "./Conditional.ts"
import type { Body, Encoded } from "./Encoded.ts"

/** An answer, and what the proxy knows of it. */
export interface Given extends Upstream.Given {
  readonly wish: Wish
  /** Whether the cache was asked at all. */
  readonly caching: boolean
  readonly now: number
}

/** What a client says of how it wants its answer. Lower-case names. */
type Wanted = Readonly<Record<string, string | undefined>>

/** Of the headers of the service: limits are those of the proxy's keys, and nobody else's business. */
const passed = [
  "content-language",
  "content-type",
  "expires",
  "last-modified",
  "retry-after"
]

/** Makes the body in the encoding that is wanted where it is not there yet. */
export const reply = (given: Given, wanted: Wanted, encoded: Encoded): Effect.Effect<Reply> =>
  hasAlready(given, wanted, encoded)
    ? Effect.succeed(notModified(given, encoded))
    : Effect.map(
      encoded.make(given.answer, wanted["accept-encoding"], given.caching),
      (body) => whole(given, body, encoded)
    )

/** The same at once; undefined where the body must be encoded first. */
export const ready = (given: Given, wanted: Wanted, encoded: Encoded): Reply | undefined => {
  if (hasAlready(given, wanted, encoded)) return notModified(given, encoded)
  const body = encoded.ready(given.answer, wanted["accept-encoding"])
  return body === undefined ? undefined : whole(given, body, encoded)
}

const hasAlready = ({ answer }: Given, wanted: Wanted, encoded: Encoded): boolean => {
  const condition = wanted["if-none-match"]
  return condition !== undefined && answer.status === 200 &&
    Conditional.matches(condition, encoded.tagOf(answer))
}

const whole = (given: Given, { bytes, encoding }: Body, encoded: Encoded): Reply => ({
  status: given.answer.status,
  headers: {
    ...headersOf(given, encoded),
    ...(encoding === undefined ? {} : { "content-encoding": encoding })
  },
  body: bytes
})

const notModified = (given: Given, encoded: Encoded): Reply => {
  const { "content-type": _, ...headers } = headersOf(given, encoded)
  return { status: 304, headers, body: nothing }
}

const nothing = new Uint8Array()

/** What the service says, but to the client alone: nothing in between may give one client's answer to another. */
const toOneself = (cacheControl: string | undefined): string => {
  if (cacheControl === undefined) return "private, no-cache"
  const directives = cacheControl.split(",").map((directive) => directive.trim())
  return [
    "private",
    ...directives.filter((directive) => !/^(public|private|s-maxage|proxy-revalidate)\b/i.test(directive))
  ]
    .join(", ")
}

/** Clients may keep what they get for themselves, and ask whether it is still so. */
const headersOf = (
  given: Given,
  encoded: Encoded
): Record<string, string> => {
  const { answer, caching, now, wish } = given
  const headers: Record<string, string> = {
    "cache-control": toOneself(answer.headers["cache-control"]),
    vary: "accept-encoding, authorization, x-api-key"
  }
  for (const name of passed) {
    const value = answer.headers[name]
    if (value !== undefined) headers[name] = value
  }
  if (answer.status === 200) headers["etag"] = encoded.tagOf(answer)
  return Object.assign(headers, CacheStatus.headers(given, wish, caching, now))
}
