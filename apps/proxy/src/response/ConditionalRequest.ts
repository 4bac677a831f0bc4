/** Entity tags and `If-None-Match` (RFC 9110, section 13.1.2). */
import { createHash } from "node:crypto"

/** Returns a weak entity tag: it is the same for every content encoding of the body. */
export const entityTagOf = (body: Uint8Array): string =>
  `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`

/** Whether an `If-None-Match` header matches the entity tag. */
export const ifNoneMatchMatches = (ifNoneMatch: string, entityTag: string): boolean => {
  if (ifNoneMatch.trim() === "*") return true
  const opaqueTag = entityTag.slice("W/".length)
  return ifNoneMatch.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === opaqueTag)
}
