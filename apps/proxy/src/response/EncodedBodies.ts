/** Compressed bodies of cached responses and pages. Each is computed once, and kept in an LRU cache. */
import type { RawResponse } from "@blockquarry/http/Gateway"
import * as Effect from "effect/Effect"
import { LRUCache } from "lru-cache"
import { createHash } from "node:crypto"
import { chooseEncoding, type ContentEncoding, encode, minEncodedBytes } from "./ContentEncoding.ts"

interface EncodedBody {
  readonly bytes: Uint8Array
  /** Undefined for the identity encoding. */
  readonly encoding: ContentEncoding | undefined
}

/** A response with its whole body. */
type CompleteResponse = Pick<RawResponse.RawResponse, "status" | "bytes">

export interface EncodedBodies {
  /** Returns the body in the negotiated encoding. `store`: whether a compressed body is kept for later requests. */
  readonly encode: (
    response: CompleteResponse,
    acceptEncoding: string | undefined,
    store: boolean
  ) => Effect.Effect<EncodedBody>
}

/** Maximum memory for compressed bodies, which are about a tenth of the original size. */
const maxBytes = 32 * 1024 * 1024

export const make = (): EncodedBodies => {
  const encodedBodies = new LRUCache<string, Uint8Array>({
    maxSize: maxBytes,
    maxEntrySize: maxBytes / 8,
    sizeCalculation: (bytes, key) => bytes.byteLength + key.length * 2 + 256
  })
  return {
    encode: (response, acceptEncoding, store) => {
      const encoding = encodingOf(response, acceptEncoding)
      if (encoding === undefined) return Effect.succeed({ bytes: response.bytes, encoding })
      const key = store ? `${encoding} ${digestOf(response.bytes)}` : undefined
      const existing = key === undefined ? undefined : encodedBodies.get(key)
      if (existing !== undefined) return Effect.succeed({ bytes: existing, encoding })
      return Effect.map(Effect.promise(() => encode(encoding, response.bytes)), (bytes) => {
        if (key !== undefined) encodedBodies.set(key, bytes)
        return { bytes, encoding }
      })
    }
  }
}

/** The digests of cached bodies, which several requests compress. */
const digests = new WeakMap<Uint8Array, string>()

/** Identifies a body. Responses of different requests with the same body share its compressed form. */
const digestOf = (body: Uint8Array): string => {
  const known = digests.get(body)
  if (known !== undefined) return known
  const digest = createHash("sha256").update(body).digest("base64url")
  digests.set(body, digest)
  return digest
}

/** Only successful responses are compressed: error responses are short and rarely repeat. */
const encodingOf = (
  { bytes, status }: CompleteResponse,
  acceptEncoding: string | undefined
): ContentEncoding | undefined =>
  status !== 200 || bytes.byteLength < minEncodedBytes ? undefined : chooseEncoding(acceptEncoding)
