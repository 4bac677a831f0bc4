/** Entity tags and `If-None-Match` (RFC 9110, section 13.1.2). */
import xxhash from "xxhash-wasm"

const { create64, h64Raw } = await xxhash()

/** Longer bodies are hashed in pieces: each piece is copied into memory of WebAssembly, which never shrinks. */
const pieceBytes = 1024 * 1024

const hashOf = (body: Uint8Array): bigint => {
  if (body.byteLength <= pieceBytes) return h64Raw(body)
  const hash = create64()
  for (let start = 0; start < body.byteLength; start += pieceBytes) {
    hash.update(body.subarray(start, start + pieceBytes))
  }
  return hash.digest()
}

/**
 * Returns a weak entity tag: it is the same for every content encoding of the body. The hash is not cryptographic, so
 * different bodies that an attacker chooses may have the same tag: a tag only identifies the versions of one resource.
 */
export const entityTagOf = (body: Uint8Array): string => `W/"${hashOf(body).toString(36)}"`

/** Whether an `If-None-Match` header matches the entity tag. */
export const ifNoneMatchMatches = (ifNoneMatch: string, entityTag: string): boolean => {
  if (ifNoneMatch.trim() === "*") return true
  const opaqueTag = entityTag.slice("W/".length)
  return ifNoneMatch.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === opaqueTag)
}
