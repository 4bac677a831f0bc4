/** Reads small files together with a digest of their contents. */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"

/** A file cannot be read. `reason` never contains parts of the file. */
class UnreadableFileError extends Data.TaggedError("UnreadableFileError")<{
  readonly reason: string
  readonly digest: string
}> {}

export const maxFileBytes = 1024 * 1024

/** Returns the bytes of a file with their digest, and the mode of the file itself if the path is a link. */
export const readFile = (file: string, maxBytes: number) =>
  Effect.gen(function*() {
    const unreadable = (reason: string, digest = reason) => new UnreadableFileError({ reason, digest })
    const failed = (error: PlatformError) => unreadable(reasonOf(error))
    const files = yield* FileSystem.FileSystem
    const { mode, size, type } = yield* Effect.mapError(files.stat(file), failed)
    // A pipe can be read only once, but a reload reads the file again.
    if (type !== "File") {
      return yield* unreadable(type === "Directory" ? "is a directory" : "not a regular file")
    }
    if (size > BigInt(maxFileBytes)) return yield* unreadable(tooLarge(maxFileBytes))
    const bytes = yield* Effect.mapError(files.readFile(file), failed)
    const digest = createHash("sha256").update(bytes).digest("hex")
    if (bytes.byteLength > maxBytes) return yield* unreadable(tooLarge(maxBytes), digest)
    return { bytes, digest, mode }
  })

/** Returns the digest of a file. For an unreadable file it is derived from the reason. */
export const digestOf = (file: string): Effect.Effect<string, never, FileSystem.FileSystem> =>
  Effect.map(Effect.merge(readFile(file, maxFileBytes)), ({ digest }) => digest)

const tooLarge = (maxBytes: number): string => `larger than ${maxBytes / 1024} KiB`

const reasonOf = (error: PlatformError): string => {
  const reason = error._tag === "SystemError" ? error.reason : undefined
  if (reason === "NotFound") return "file not found"
  return reason === "PermissionDenied" ? "permission denied" : "cannot be read"
}
