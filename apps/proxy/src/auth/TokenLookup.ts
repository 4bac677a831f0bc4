/** Reads tokens from request headers and finds their owners. */
import { createHash, timingSafeEqual } from "node:crypto"

/** Returns the owner of a token. */
export type TokenLookup<Owner> = (token: string) => Owner | undefined

/** Creates a lookup from token hashes: `sha256:` and 64 hexadecimal digits. */
export const lookupByHash = <Owner>(
  hashes: Iterable<readonly [hash: string, owner: Owner]>
): TokenLookup<Owner> => {
  // The prefix of the hash reveals nothing about a token, so buckets need no constant-time lookup.
  const buckets = new Map<number, Array<{ readonly digest: Uint8Array; readonly owner: Owner }>>()
  for (const [hash, owner] of hashes) {
    const digest = Buffer.from(hash.slice("sha256:".length), "hex")
    const bucket = digest.readUInt32BE(0)
    buckets.set(bucket, [...(buckets.get(bucket) ?? []), { digest, owner }])
  }
  return (token) => {
    const digest = createHash("sha256").update(token).digest()
    return buckets.get(digest.readUInt32BE(0))?.find((candidate) => timingSafeEqual(candidate.digest, digest))
      ?.owner
  }
}

/** Returns the tokens of a request: clients send `X-API-Key`, and some `Authorization: Bearer` too. */
export const tokensFromHeaders = (
  headers: Readonly<Record<string, string | undefined>>
): ReadonlyArray<string> => {
  const key = headers["x-api-key"]
  const bearer = /^bearer +([^\s]+)$/i.exec(headers["authorization"] ?? "")?.[1]
  return [key, bearer].filter((token): token is string => token !== undefined && token !== "")
}

/** Header of 401 responses. */
export const challenge = { "www-authenticate": "Bearer realm=\"quarry-proxy\"" }
