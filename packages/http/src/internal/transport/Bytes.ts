/** The bytes of bodies: their chunks, and their content encoding. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ResponseHeaders } from "./SafeHeaders.ts"

/** Joins the chunks of a body. Fails as soon as `admit` returns an error for the size of a chunk. */
export const collect = <E, E2>(
  chunks: Stream.Stream<Uint8Array, E>,
  admit: (bytes: number) => E2 | null
): Effect.Effect<Uint8Array, E | E2> =>
  Effect.suspend(() => {
    const received: Array<Uint8Array> = []
    let length = 0
    const append = (chunk: Uint8Array) => {
      const error = admit(chunk.byteLength)
      if (error !== null) return Effect.fail(error)
      received.push(chunk)
      length += chunk.byteLength
      return Effect.void
    }
    return Effect.map(Stream.runForEach(chunks, append), () => join(received, length))
  })

export const join = (received: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const joined = new Uint8Array(length)
  let offset = 0
  for (const chunk of received) {
    joined.set(chunk, offset)
    offset += chunk.byteLength
  }
  return joined
}

/** Whether bytes start with the gzip magic number. No JSON text does. */
const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/**
 * Returns the content encoding that a body still has. Clients that decode bodies keep the header, and some upstreams label
 * a plain body, so only the bytes show whether it is gzip. Those of Brotli do not.
 */
export const contentEncoding = (headers: ResponseHeaders, bytes: Uint8Array): "gzip" | "br" | null => {
  const label = headers["content-encoding"]
  if (label === undefined || bytes.byteLength === 0) return null
  if (String(label).toLowerCase() === "br") return "br"
  return isGzip(bytes) ? "gzip" : null
}

/**
 * Decompresses bytes with what every JavaScript runtime has. Fails with `onInvalid` if they are not a complete gzip stream,
 * and as soon as `admit` returns an error for the size of a chunk.
 */
export const gunzip = <E, E2>(
  bytes: Uint8Array,
  onInvalid: () => E,
  admit: (bytes: number) => E2 | null
): Effect.Effect<Uint8Array, E | E2> =>
  collect(
    Stream.fromReadableStream({
      evaluate: () => new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new DecompressionStream("gzip")),
      onError: onInvalid
    }),
    admit
  )
