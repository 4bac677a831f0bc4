/**
 * Compressed bodies and entity tags of cached responses. Each is computed once per response. Compressed bodies are kept in
 * an LRU cache.
 */
import type { RawResponse } from "@blockquarry/http/Gateway"
import * as Effect from "effect/Effect"
import { LRUCache } from "lru-cache"
import * as ConditionalRequest from "./ConditionalRequest.ts"
import { chooseEncoding, type ContentEncoding, encode, minEncodedBytes } from "./ContentEncoding.ts"

export interface EncodedBody {
  readonly bytes: Uint8Array
  /** Undefined for the identity encoding. */
  readonly encoding: ContentEncoding | undefined
}

/** A response with its whole body. */
type CompleteResponse = Pick<RawResponse.RawResponse, "status" | "bytes">

export interface EncodedBodies {
  readonly entityTagOf: (response: CompleteResponse) => string
  /** Returns the body in the negotiated encoding, or undefined if it must be compressed first. */
  readonly peek: (
    response: CompleteResponse,
    acceptEncoding: string | undefined
  ) => EncodedBody | undefined
  /** Returns the body in the negotiated encoding. `store`: whether to keep it for later requests. */
  readonly encode: (
    response: CompleteResponse,
    acceptEncoding: string | undefined,
    store: boolean
  ) => Effect.Effect<EncodedBody>
}

/** Maximum memory for compressed bodies, which are about a tenth of the original size. */
const maxBytes = 32 * 1024 * 1024

export const make = (): EncodedBodies => {
  const entityTags = new WeakMap<Uint8Array, string>()
  const encodedBodies = new LRUCache<string, Uint8Array>({
    maxSize: maxBytes,
    maxEntrySize: maxBytes / 8,
    sizeCalculation: (bytes, key) => bytes.byteLength + key.length * 2 + 256
  })
  const entityTagOf: EncodedBodies["entityTagOf"] = ({ bytes }) => {
    const known = entityTags.get(bytes)
    if (known !== undefined) return known
    const entityTag = ConditionalRequest.entityTagOf(bytes)
    entityTags.set(bytes, entityTag)
    return entityTag
  }
  const peek: EncodedBodies["peek"] = (response, acceptEncoding) => {
    const encoding = encodingOf(response, acceptEncoding)
    if (encoding === undefined) return { bytes: response.bytes, encoding }
    const bytes = encodedBodies.get(`${encoding} ${entityTagOf(response)}`)
    return bytes === undefined ? undefined : { bytes, encoding }
  }
  return {
    entityTagOf,
    peek,
    encode: (response, acceptEncoding, store) => {
      const existing = peek(response, acceptEncoding)
      const encoding = encodingOf(response, acceptEncoding)
      if (existing !== undefined || encoding === undefined) {
        return Effect.succeed(existing ?? { bytes: response.bytes, encoding })
      }
      return Effect.map(Effect.promise(() => encode(encoding, response.bytes)), (bytes) => {
        if (store) encodedBodies.set(`${encoding} ${entityTagOf(response)}`, bytes)
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
