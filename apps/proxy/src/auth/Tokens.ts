/** Tokens of clients and operators: new ones, those in request headers, and their owners. The configuration has hashes only. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { createHash, randomBytes } from "node:crypto"
import * as ProxyError from "../exchange/ProxyError.ts"

/** Lets people and secret scanners recognize a token. */
const prefix = "qp_"

/** Generates a token of 256 random bits. An unsalted hash is sufficient, because such a token cannot be guessed. */
export const generate: Effect.Effect<string> = Effect.sync(() =>
  prefix + randomBytes(32).toString("base64url")
)

/** Returns the hash in the form that the configuration expects. */
export const hash = (token: string): `sha256:${string}` =>
  `sha256:${createHash("sha256").update(token, "utf8").digest("hex")}`

/** The times from and until which a token is valid, as in `sha256:… alice from 2026-11-01 until 2027-01-31`. */
const validity = (entry: string) => {
  const time = (word: string): number | undefined => {
    const [, text] = new RegExp(` ${word} (\\S+)`).exec(entry) ?? []
    return text === undefined ? undefined : Date.parse(text.toUpperCase())
  }
  return { from: time("from") ?? Number.NEGATIVE_INFINITY, until: time("until") ?? Number.POSITIVE_INFINITY }
}

/**
 * Creates a lookup from entries of the configuration: `sha256:`, 64 hexadecimal digits, and possibly a name and times. Returns
 * undefined for an unknown token. Remembers the tokens that it has found, at most one for each hash, so that each is hashed once.
 *
 * It need not take constant time: who measures it learns of hashes at most, which reveal nothing about a token.
 */
export const lookupByHash = <Owner>(entries: Iterable<readonly [entry: string, owner: Owner]>) => {
  const owners = new Map(
    Array.from(entries, ([entry, owner]) => [
      entry.slice(0, 71).toLowerCase(),
      { ...validity(entry), owner: Either.right(owner) }
    ])
  )
  const found = new Map<string, ReturnType<typeof owners["get"]>>()
  return (token: string, now: number): Either.Either<Owner, ProxyError.ProxyError> | undefined => {
    let match = found.get(token)
    if (match === undefined) {
      match = owners.get(hash(token))
      if (match === undefined) return undefined
      found.set(token, match)
    }
    return match.from <= now && now < match.until ? match.owner : Either.left(expired)
  }
}

export const fromHeaders = (
  { authorization = "", "x-api-key": key = "" }: Readonly<Record<string, string | undefined>>
): ReadonlyArray<string> =>
  [key, /^bearer +([^\s]+)$/i.exec(authorization)?.[1] ?? ""].filter((token) => token !== "")

export const challenge = { "www-authenticate": "Bearer realm=\"quarry-proxy\"" }

export const unknown = ProxyError.make(
  "token-unknown",
  "unknown token; use a token of this proxy, not an API key of the upstream",
  challenge
)

export const expired = ProxyError.make(
  "token-expired",
  "the token has expired, or is not valid yet",
  challenge
)
