/** Tokens of clients and operators: new ones, those in request headers, and their owners. The configuration has hashes only. */
import * as Effect from "effect/Effect"
import { createHash, randomBytes } from "node:crypto"

/** Lets people and secret scanners recognize a token. */
const prefix = "qp_"

/** Generates a token of 256 random bits. An unsalted hash is sufficient, because such a token cannot be guessed. */
export const generate: Effect.Effect<string> = Effect.sync(() =>
  prefix + randomBytes(32).toString("base64url")
)

/** Returns the hash in the form that the configuration expects. */
export const hash = (token: string): `sha256:${string}` =>
  `sha256:${createHash("sha256").update(token, "utf8").digest("hex")}`

/**
 * Creates a lookup from token hashes: `sha256:`, 64 hexadecimal digits, and possibly a name. Remembers the tokens that it
 * has found, at most one for each hash, so that each is hashed once.
 *
 * It need not take constant time: who measures it learns of hashes at most, which reveal nothing about a token.
 */
export const lookupByHash = <Owner>(hashes: Iterable<readonly [hash: string, owner: Owner]>) => {
  const owners = new Map(Array.from(hashes, ([hash, owner]) => [hash.slice(0, 71).toLowerCase(), owner]))
  const found = new Map<string, Owner>()
  return (token: string): Owner | undefined => {
    const known = found.get(token)
    if (known !== undefined) return known
    const owner = owners.get(hash(token))
    if (owner !== undefined) found.set(token, owner)
    return owner
  }
}

export const fromHeaders = (
  { authorization = "", "x-api-key": key = "" }: Readonly<Record<string, string | undefined>>
): ReadonlyArray<string> =>
  [key, /^bearer +([^\s]+)$/i.exec(authorization)?.[1] ?? ""].filter((token) => token !== "")

export const challenge = { "www-authenticate": "Bearer realm=\"quarry-proxy\"" }
