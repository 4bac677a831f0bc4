/** Decompresses gzip with a size limit. Uses APIs that every JavaScript runtime provides. */
import type * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { collect } from "./Bytes.ts"

/** Whether bytes start with the gzip magic number. No JSON text does. */
export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/**
 * Decompresses bytes. Fails with `onInvalid` if they are not a complete gzip stream, and as soon as `admit` returns an error
 * for the size of a chunk.
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
