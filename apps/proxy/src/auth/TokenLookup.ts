/** Tokens as they come with requests, and whose they are. */
import { createHash, timingSafeEqual } from "node:crypto"

/** The owner of a token, of which nobody here has more than the hash. */
export type TokenLookup<Owner> = (token: string) => Owner | undefined

/** Finds owners by the hashes of their tokens, `sha256:` and 64 hexadecimal digits. */
export const lookupByHash = <Owner>(
  hashes: Iterable<readonly [hash: string, owner: Owner]>
): TokenLookup<Owner> => {
  // By the beginning of the hash, which tells nothing of a token that somebody looks for, and then in constant time.
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

/** The tokens that a request brings. Clients of the service send their key as `X-API-Key`; some as a bearer too. */
export const tokensFromHeaders = (
  headers: Readonly<Record<string, string | undefined>>
): ReadonlyArray<string> => {
  const key = headers["x-api-key"]
  const bearer = /^bearer +([^\s]+)$/i.exec(headers["authorization"] ?? "")?.[1]
  return [key, bearer].filter((token): token is string => token !== undefined && token !== "")
}

/** Tells programs and browsers how a token is sent. */
export const challenge = { "www-authenticate": "Bearer realm=\"quarry-proxy\"" }
