/** Entity tags and `If-None-Match` (RFC 9110, section 13.1.2). */
import { hash } from "node:crypto"

/**
 * Returns a weak entity tag: it is the same for every content encoding of the body. Its SHA-256 also identifies the body among
 * those of other requests: names and metadata of tokens are parts of bodies, so a weaker hash would let their authors choose
 * two bodies with the same tag.
 */
export const entityTagOf = (body: Uint8Array): string => `W/"${hash("sha256", body, "base64url")}"`

/** Whether an `If-None-Match` header matches the entity tag. */
export const ifNoneMatchMatches = (ifNoneMatch: string, entityTag: string): boolean => {
  if (ifNoneMatch.trim() === "*") return true
  const opaqueTag = entityTag.slice("W/".length)
  return ifNoneMatch.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === opaqueTag)
}
