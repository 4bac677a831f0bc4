/** Collects the chunks of a body. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

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
