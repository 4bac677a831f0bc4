/** Entity tags: a client that has the answer already is told so, and is not sent it again (RFC 9110, 13.1.2). */
import { createHash } from "node:crypto"

/** Weak, since the answer is the same in every content-encoding. */
export const entityTagOf = (body: Uint8Array): string =>
  `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`

/** Whether an `If-None-Match` names the tag. */
export const ifNoneMatchMatches = (ifNoneMatch: string, entityTag: string): boolean => {
  if (ifNoneMatch.trim() === "*") return true
  const opaqueTag = entityTag.slice("W/".length)
  return ifNoneMatch.split(",").some((one) => one.trim().replace(/^W\//, "") === opaqueTag)
}
