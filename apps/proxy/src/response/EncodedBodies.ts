/** Content encodings: negotiation, compression, and the compressed bodies of cached responses and pages. */
import type { RawResponse } from "@blockquarry/http/RawResponse"
import * as Effect from "effect/Effect"
import { LRUCache } from "lru-cache"
import Negotiator from "negotiator"
import { promisify } from "node:util"
import * as Zlib from "node:zlib"

type ContentEncoding = "zstd" | "br" | "gzip"

/** Bodies below this size are not compressed: compression does not make them smaller. */
export const minEncodedBytes = 1024

/** Available since Node 22. */
const zstdCompress: unknown = Reflect.get(Zlib, "zstdCompress")

/** In order of preference: a smaller result at about the same CPU cost. */
const supportedEncodings: ReadonlyArray<ContentEncoding> = typeof zstdCompress === "function"
  ? ["zstd", "br", "gzip"]
  : ["br", "gzip"]

/** Negotiates an encoding (RFC 9110, section 12.5.3). `x-gzip` is an alias of `gzip`. */
const negotiate = (acceptEncoding: string): ContentEncoding | "identity" => {
  const headers = { "accept-encoding": acceptEncoding.replaceAll(/\bx-gzip\b/gi, "gzip") }
  return new Negotiator({ headers }).encoding([...supportedEncodings, "identity"], {
    preferred: supportedEncodings
  }) ?? "identity"
}

/** Clients send few different headers, and every cache hit negotiates. */
const negotiated = new LRUCache({ max: 64, memoMethod: negotiate })

/**
 * Returns the supported encoding with the highest weight in `Accept-Encoding`, or undefined for the identity encoding.
 */
export const chooseEncoding = (acceptEncoding: string | undefined): ContentEncoding | undefined => {
  const encoding = negotiated.memo(acceptEncoding ?? "")
  return encoding === "identity" ? undefined : encoding
}

const brotli = promisify<Uint8Array, Zlib.BrotliOptions, Buffer>(Zlib.brotliCompress)
const gzip = promisify<Uint8Array, Zlib.ZlibOptions, Buffer>(Zlib.gzip)

const zstd = (body: Uint8Array): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    if (typeof zstdCompress !== "function") return reject(new Error("this Node has no zstd"))
    const done = (error: Error | null, encoded: Uint8Array) =>
      error === null ? resolve(encoded) : reject(error)
    return Reflect.apply(zstdCompress, undefined, [body, done])
  })

/** Compresses a body in the thread pool of Node, at a level that takes about 1 ms for a page of records. */
export const encoders: { readonly [E in ContentEncoding]: (body: Uint8Array) => Promise<Uint8Array> } = {
  gzip: (body) => gzip(body, { level: 4 }),
  br: (body) =>
    brotli(body, {
      params: {
        [Zlib.constants.BROTLI_PARAM_QUALITY]: 4,
        [Zlib.constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength
      }
    }),
  zstd
}

export interface EncodedBody {
  readonly bytes: Uint8Array
  /** Undefined for the identity encoding. */
  readonly encoding: ContentEncoding | undefined
}

type CompleteResponse = Pick<RawResponse, "status" | "bytes">

export type EncodedBodies = ReturnType<typeof make>

/** Maximum memory for compressed bodies, which are about a tenth of the original size. */
const maxBytes = 32 * 1024 * 1024

export const make = () => {
  const encodedBodies = new LRUCache<string, Uint8Array>({
    maxSize: maxBytes,
    maxEntrySize: maxBytes / 8,
    sizeCalculation: (bytes, key) => bytes.byteLength + key.length * 2 + 256
  })
  return {
    /**
     * Returns the body in the negotiated encoding. A compressed body is kept for later requests with this entity tag:
     * responses of different requests with the same body share it.
     */
    encode: (
      response: CompleteResponse,
      acceptEncoding: string | undefined,
      entityTag: string | undefined
    ): Effect.Effect<EncodedBody> => {
      const encoding = encodingOf(response, acceptEncoding)
      if (encoding === undefined) return Effect.succeed({ bytes: response.bytes, encoding })
      const key = entityTag === undefined ? undefined : `${encoding} ${entityTag}`
      const existing = key === undefined ? undefined : encodedBodies.get(key)
      if (existing !== undefined) return Effect.succeed({ bytes: existing, encoding })
      return Effect.map(Effect.promise(() => encoders[encoding](response.bytes)), (bytes) => {
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
