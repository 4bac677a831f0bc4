/** Content encodings: negotiation, compression, and the compressed bodies of cached responses and pages. */
import * as LruMap from "@blockquarry/http/gateway/LruMap"
import type { RawResponse } from "@blockquarry/http/gateway/RawResponse"
import type { HttpResponse, IncompleteBodyError } from "@blockquarry/server/HttpResponse"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import Negotiator from "negotiator"
import { promisify } from "node:util"
import * as Zlib from "node:zlib"

/** In order of preference: a smaller result at about the same CPU cost. */
const encodings = ["br", "gzip"] as const

type ContentEncoding = typeof encodings[number]

/** Bodies below this size are not compressed: compression does not make them smaller. */
export const minEncodedBytes = 1024

/** Negotiates an encoding (RFC 9110, section 12.5.3). `x-gzip` is an alias of `gzip`. */
const negotiate = (acceptEncoding: string): ContentEncoding | "identity" => {
  const headers = { "accept-encoding": acceptEncoding.replaceAll(/\bx-gzip\b/gi, "gzip") }
  const encoding = new Negotiator({ headers }).encoding([...encodings, "identity"], { preferred: encodings })
  return encoding ?? "identity"
}

/** Clients send few different headers, and every cache hit negotiates. */
const negotiated = LruMap.make<ContentEncoding | "identity">({ maxSize: 64 })

/**
 * Returns the supported encoding with the highest weight in `Accept-Encoding`, or undefined for the identity encoding.
 */
export const chooseEncoding = (acceptEncoding = ""): ContentEncoding | undefined => {
  const known = negotiated.get(acceptEncoding)
  const encoding = known ?? negotiate(acceptEncoding)
  if (known === undefined) negotiated.set(acceptEncoding, encoding)
  return encoding === "identity" ? undefined : encoding
}

const brotli = promisify<Uint8Array, Zlib.BrotliOptions, Buffer>(Zlib.brotliCompress)
const gzip = promisify<Uint8Array, Zlib.ZlibOptions, Buffer>(Zlib.gzip)

/** Compresses a body in the thread pool of Node, at a level that takes about 1 ms for a page of records. */
const encoders: { readonly [E in ContentEncoding]: (body: Uint8Array) => Promise<Uint8Array> } = {
  gzip: (body) => gzip(body, { level: 4 }),
  br: (body) =>
    brotli(body, {
      params: {
        [Zlib.constants.BROTLI_PARAM_QUALITY]: 4,
        [Zlib.constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength
      }
    })
}

const { BROTLI_OPERATION_FLUSH, BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY, Z_SYNC_FLUSH } = Zlib.constants

/** Each write is flushed, so that clients can decode it. A window of 256 KiB keeps the memory of a list small. */
const compressors = {
  br: () => {
    const params = { [BROTLI_PARAM_QUALITY]: 4, [BROTLI_PARAM_LGWIN]: 18 }
    return Zlib.createBrotliCompress({ flush: BROTLI_OPERATION_FLUSH, params })
  },
  gzip: () => Zlib.createGzip({ flush: Z_SYNC_FLUSH, level: 4 })
}

/** Encodes a stream, and names its encoding. Clients can decode each chunk when it arrives. A stream that fails has no end. */
export const encodeStream = (
  body: Stream.Stream<Uint8Array, IncompleteBodyError>,
  acceptEncoding: string | undefined
): Pick<HttpResponse, "body" | "headers"> => {
  const encoding = chooseEncoding(acceptEncoding)
  const vary = "accept-encoding"
  if (encoding === undefined) return { body, headers: { vary } }
  const compressor = Effect.acquireRelease(
    Effect.sync(compressors[encoding]),
    (compressor) => Effect.sync(() => compressor.destroy())
  )
  const encoded = Effect.map(compressor, (compressor) => {
    const pieces: Array<Uint8Array> = []
    compressor.on("data", (piece: Uint8Array) => pieces.push(piece))
    const outputOf = (write: (done: () => void) => void) =>
      Effect.async<Uint8Array>((resume) =>
        write(() => resume(Effect.sync(() => Buffer.concat(pieces.splice(0)))))
      )
    return Stream.concat(
      Stream.mapEffect(body, (chunk) => outputOf((done) => compressor.write(chunk, done))),
      Stream.fromEffect(outputOf((done) => compressor.once("end", done).end()))
    )
  })
  return { body: Stream.unwrapScoped(encoded), headers: { vary, "content-encoding": encoding } }
}

interface EncodedBody {
  readonly bytes: Uint8Array
  /** Undefined for the identity encoding. */
  readonly encoding: ContentEncoding | undefined
}

type CompleteResponse = Pick<RawResponse, "status" | "bytes">

export interface EncodedBodies {
  /**
   * Returns the body in the negotiated encoding. A compressed body is kept for later requests with this entity tag:
   * responses of different requests with the same body share it.
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
  const encodedBodies = LruMap.make<Uint8Array>({
    maxSize: maxBytes,
    maxEntrySize: maxBytes / 8,
    sizeOf: (key, bytes) => bytes.byteLength + key.length * 2 + 256
  })
  return {
    encode: (response, acceptEncoding, entityTag) => {
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
