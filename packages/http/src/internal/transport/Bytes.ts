/** The bytes of bodies: their chunks, and their content encoding. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { BodyMemory } from "../../gateway/RawResponse.ts"
import type { ResponseHeaders } from "./SafeHeaders.ts"
import { type BodyError, bodyTooLarge, noBodyMemory, type ResponseHead } from "./Transport.ts"

/** The body of one response, within the size limit and the memory. Methods return an error as soon as either is exceeded. */
export class BodyCollector {
  private chunks: Array<Uint8Array> = []
  private length = 0
  private reserved = 0
  private readonly memory: BodyMemory
  private readonly maxSize: number

  constructor(memory: BodyMemory, maxSize: number) {
    this.memory = memory
    this.maxSize = maxSize
  }

  /** Checks a size, which may be unknown, and takes no memory. */
  check(bytes: number, head: ResponseHead): BodyError | null {
    return bytes > this.maxSize ? bodyTooLarge(head, this.maxSize) : null
  }

  /** Takes memory for bytes before they are kept. */
  reserve(bytes: number, head: ResponseHead): BodyError | null {
    if (!this.memory.tryAcquire(bytes)) return noBodyMemory(head)
    this.reserved += bytes
    return null
  }

  append(chunk: Uint8Array, head: ResponseHead): BodyError | null {
    this.length += chunk.byteLength
    const error = this.check(this.length, head) ?? this.reserve(chunk.byteLength, head)
    if (error === null) this.chunks.push(chunk)
    return error
  }

  /** Returns the chunks so far as a whole, after which others may follow, such as decompressed ones. */
  take(): Uint8Array {
    const joined = new Uint8Array(this.length)
    let offset = 0
    for (const chunk of this.chunks) {
      joined.set(chunk, offset)
      offset += chunk.byteLength
    }
    this.chunks = []
    this.length = 0
    return joined
  }

  /** Returns the memory, and keeps nothing. */
  release(): void {
    this.memory.release(this.reserved)
    this.reserved = 0
    this.chunks = []
  }
}

/** Collects a stream of chunks. */
export const collect = <E>(
  chunks: Stream.Stream<Uint8Array, E>,
  append: (chunk: Uint8Array) => BodyError | null
): Effect.Effect<void, E | BodyError> => Stream.runForEach(chunks, (chunk) => append(chunk) ?? Effect.void)

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

/** Decompresses bytes with what every JavaScript runtime has. Fails with `onInvalid` if they are not a complete gzip stream. */
export const gunzip = <E>(
  bytes: Uint8Array,
  onInvalid: () => E,
  body: BodyCollector,
  head: ResponseHead
): Effect.Effect<Uint8Array, E | BodyError> => {
  const chunks = Stream.fromReadableStream({
    evaluate: () => new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new DecompressionStream("gzip")),
    onError: onInvalid
  })
  return Effect.map(collect(chunks, (chunk) => body.append(chunk, head)), () => body.take())
}
