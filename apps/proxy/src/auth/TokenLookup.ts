/** Reads tokens from request headers and finds their owners. */
import { createHash, timingSafeEqual } from "node:crypto"

export type TokenLookup<Owner> = (token: string) => Owner | undefined

/**
 * Creates a lookup from token hashes: `sha256:`, 64 hexadecimal digits, and possibly a name. Remembers the tokens that it
 * has found, at most one for each hash, so that each is hashed once.
 */
export const lookupByHash = <Owner>(
  hashes: Iterable<readonly [hash: string, owner: Owner]>
): TokenLookup<Owner> => {
  // The prefix of the hash reveals nothing about a token, so buckets need no constant-time lookup.
  const buckets = new Map<number, Array<{ readonly digest: Uint8Array; readonly owner: Owner }>>()
  for (const [hash, owner] of hashes) {
    const digest = Buffer.from(hash.slice(7, 71), "hex")
    const bucket = digest.readUInt32BE(0)
    buckets.set(bucket, [...(buckets.get(bucket) ?? []), { digest, owner }])
  }
  const found = new Map<string, Owner>()
  return (token) => {
    const known = found.get(token)
    if (known !== undefined) return known
    const digest = createHash("sha256").update(token).digest()
    const owner = buckets.get(digest.readUInt32BE(0))
      ?.find((candidate) => timingSafeEqual(candidate.digest, digest))
      ?.owner
    if (owner !== undefined) found.set(token, owner)
    return owner
  }
}

export const tokensFromHeaders = (
  headers: Readonly<Record<string, string | undefined>>
): ReadonlyArray<string> => {
  const { authorization, "x-api-key": key = "" } = headers
  const keys = key === "" ? [] : [key]
  if (authorization === undefined) return keys
  const bearer = /^bearer +([^\s]+)$/i.exec(authorization)?.[1]
  return bearer === undefined ? keys : [...keys, bearer]
}

export const challenge = { "www-authenticate": "Bearer realm=\"quarry-proxy\"" }
