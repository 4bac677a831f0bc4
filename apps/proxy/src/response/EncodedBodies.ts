/** Compressed bodies of cached responses and pages. Each is computed once, and kept in an LRU cache. */
import type { RawResponse } from "@blockquarry/http/RawResponse"
import * as Effect from "effect/Effect"
import { LRUCache } from "lru-cache"
import { chooseEncoding, type ContentEncoding, encode, minEncodedBytes } from "./ContentEncoding.ts"

interface EncodedBody {
  readonly bytes: Uint8Array
  /** Undefined for the identity encoding. */
  readonly encoding: ContentEncoding | undefined
}

type CompleteResponse = Pick<RawResponse, "status" | "bytes">

export interface EncodedBodies {
  /**
   * Returns the body in the negotiated encoding. A compressed body is kept for later requests with this entity tag: responses
   * of different requests with the same body share it.
   */
  readonly encode: (
    response: CompleteResponse,
    acceptEncoding: string | undefined,
    entityTag: string | undefined
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
    encode: (response, acceptEncoding, entityTag) => {
      const encoding = encodingOf(response, acceptEncoding)
      if (encoding === undefined) return Effect.succeed({ bytes: response.bytes, encoding })
      const key = entityTag === undefined ? undefined : `${encoding} ${entityTag}`
      const existing = key === undefined ? undefined : encodedBodies.get(key)
      if (existing !== undefined) return Effect.succeed({ bytes: existing, encoding })
      return Effect.map(Effect.promise(() => encode(encoding, response.bytes)), (bytes) => {
        if (key !== undefined) encodedBodies.set(key, bytes)
        return { bytes, encoding }
      })
    }
  }
}

/** Only successful responses are compressed: error responses are short and rarely repeat. */
const encodingOf = (
  { bytes, status }: CompleteResponse,
  acceptEncoding: string | undefined
): ContentEncoding | undefined =>
  status !== 200 || bytes.byteLength < minEncodedBytes ? undefined : chooseEncoding(acceptEncoding)
