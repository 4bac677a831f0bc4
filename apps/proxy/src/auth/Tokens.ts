/** Tokens of clients and operators: new ones, those in request headers, and their owners. The configuration has hashes only. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Crypto from "node:crypto"
import type { ClientConfig } from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"

type RequestHeaders = Readonly<Record<string, string | undefined>>

type ConfiguredToken = Pick<ClientConfig["tokens"][number], "hash" | "from" | "until">

/** Lets people and secret scanners recognize a token. */
const prefix = "qp_"

/** Generates a token of 256 random bits. An unsalted hash is sufficient, because such a token cannot be guessed. */
export const generate: Effect.Effect<string> = Effect.sync(() =>
  prefix + Crypto.randomBytes(32).toString("base64url")
)

/** Returns the hash in the form that the configuration expects. */
export const hash = (token: string): `sha256:${string}` => `sha256:${Crypto.hash("sha256", token)}`

type Result<Owner> = Either.Either<Owner, ProxyError.ProxyError>

/** One token that is accepted suffices. Otherwise the problem is that a token is unknown only if there is no other. */
export const orElse = <Owner>(first: Result<Owner>, second: () => Result<Owner>): Result<Owner> => {
  if (Either.isRight(first)) return first
  const other = second()
  return Either.isRight(other) || first.left.code === unknown.code ? other : first
}

/**
 * Creates a lookup of the owner of the tokens of a request.
 *
 * It need not take constant time: who measures it learns of hashes at most, which reveal nothing about a token.
 */
export const lookup = <Owner>(configured: ReadonlyArray<readonly [ConfiguredToken, Owner]>) => {
  const owners = new Map(
    configured.map(([token, owner]) => [token.hash, { ...token, owner: Either.right(owner) }])
  )
  /** At most one token for each hash. Hashing one for each request would take a tenth of a cache hit. */
  const found = new Map<string, ReturnType<typeof owners["get"]>>()
  const notFound: Result<Owner> = Either.left(unknown)
  const ownerOf = (token: string, now: number): Result<Owner> => {
    let match = found.get(token)
    if (match === undefined) {
      match = owners.get(hash(token))
      if (match === undefined) return notFound
      found.set(token, match)
    }
    return match.from <= now && now < match.until ? match.owner : Either.left(expired)
  }
  return (tokens: ReadonlyArray<string>, now: number): Result<Owner> =>
    tokens.reduce((found, token) => orElse(found, () => ownerOf(token, now)), notFound)
}

export const fromHeaders = (
  { authorization, "x-api-key": key = "" }: RequestHeaders
): ReadonlyArray<string> => {
  const tokens = key === "" ? [] : [key]
  const bearer = authorization === undefined ? undefined : /^bearer +([^\s]+)$/i.exec(authorization)?.[1]
  if (bearer !== undefined) tokens.push(bearer)
  return tokens
}

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
