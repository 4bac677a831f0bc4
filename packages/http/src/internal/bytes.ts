/** Bodies in memory. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** Joins the pieces of a body; fails with `tooLarge` at the first piece that goes over the cap. */
export const collect = <E, E2>(
  pieces: Stream.Stream<Uint8Array, E>,
  cap: number,
  tooLarge: () => E2
): Effect.Effect<Uint8Array, E | E2> =>
  Stream.runFoldEffect(pieces, { length: 0, parts: new Array<Uint8Array>() }, ({ length, parts }, piece) => {
    if (length + piece.byteLength > cap) return Effect.failSync(tooLarge)
    parts.push(piece)
    return Effect.succeed({ length: length + piece.byteLength, parts })
  }).pipe(Effect.map(({ length, parts }) => join(parts, length)))

const join = (parts: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const joined = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.byteLength
  }
  return joined
}
