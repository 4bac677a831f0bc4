/**
 * The file of an unfinished export: `FILE.partial`, to which parts are appended.
 *
 * Only the bytes that the manifest describes count. Bytes after them, from before a crash, are cut off.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import * as fs from "node:fs/promises"
import { pipeline } from "node:stream/promises"
import type { OutputError } from "../errors/CommandError.ts"
import { attempt, ifExists, write } from "../files/Files.ts"
import type { Part } from "./Manifest.ts"

const bufferSize = 2 ** 20

export interface PartialFile {
  readonly append: (bytes: Uint8Array) => Effect.Effect<void, OutputError>
  /** Makes the appended bytes permanent. Returns the number and the SHA-256 of those since the last call. */
  readonly seal: Effect.Effect<{ readonly bytes: number; readonly sha256: string }, OutputError>
}

/** Opens the file for the bytes after `offset`, which cuts off what follows. */
export const openPartial = (
  file: string,
  offset: number
): Effect.Effect<PartialFile, OutputError, Scope.Scope> =>
  Effect.gen(function*() {
    const handle = yield* Effect.acquireRelease(
      attempt("write", file, () => fs.open(file, "a")),
      (handle) => Effect.promise(() => handle.close().catch(() => {}))
    )
    // A file that became shorter stays so, instead of being filled up with zeros
    yield* attempt("write", file, async () => handle.truncate(Math.min(offset, (await handle.stat()).size)))
    let buffered: Array<Uint8Array> = []
    let bufferedBytes = 0
    let sealed = { bytes: 0, hash: createHash("sha256") }
    const flush = write(file, async () => {
      const bytes = Buffer.concat(buffered)
      buffered = []
      bufferedBytes = 0
      sealed.hash.update(bytes)
      sealed.bytes += bytes.length
      await handle.appendFile(bytes)
    })
    return {
      append: (bytes) =>
        Effect.suspend(() => {
          buffered.push(bytes)
          bufferedBytes += bytes.length
          return bufferedBytes < bufferSize ? Effect.void : flush
        }),
      seal: Effect.gen(function*() {
        yield* flush
        yield* write(file, () => handle.datasync())
        const { bytes, hash } = sealed
        sealed = { bytes: 0, hash: createHash("sha256") }
        return { bytes, sha256: hash.digest("hex") }
      })
    }
  })

/** Returns the number of parts at the start of a file whose bytes are those of the manifest. */
export const countIntactParts = (
  file: string,
  parts: ReadonlyArray<Part>
): Effect.Effect<number, OutputError> =>
  attempt("read", file, async () => {
    let position = 0
    for (const [index, { bytes, sha256 }] of parts.entries()) {
      const hash = createHash("sha256")
      const end = position + bytes
      const read = () => pipeline(createReadStream(file, { start: position, end: end - 1 }), hash)
      if (bytes > 0 && await ifExists(read()) === null) return index
      if (hash.digest("hex") !== sha256) return index
      position = end
    }
    return parts.length
  })
