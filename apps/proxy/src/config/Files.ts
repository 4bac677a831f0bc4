/** Reads small files together with a digest of their contents. */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"

/** A file cannot be read. `reason` never contains parts of the file. */
class UnreadableFileError extends Data.TaggedError("UnreadableFileError")<{ readonly reason: string }> {}

const maxKibibytes = 1024

/** Returns the bytes of a file with their digest, and the mode of the file itself if the path is a link. */
export const readFile = (file: string) =>
  Effect.gen(function*() {
    const unreadable = (reason: string) => new UnreadableFileError({ reason })
    const failed = (error: PlatformError) => unreadable(reasonOf(error))
    const files = yield* FileSystem.FileSystem
    const { mode, size, type } = yield* Effect.mapError(files.stat(file), failed)
    // A pipe can be read only once, but a reload reads the file again.
    if (type !== "File") {
      return yield* unreadable(type === "Directory" ? "is a directory" : "not a regular file")
    }
    if (size > BigInt(maxKibibytes * 1024)) return yield* unreadable(`larger than ${maxKibibytes} KiB`)
    const bytes = yield* Effect.mapError(files.readFile(file), failed)
    const digest = createHash("sha256").update(bytes).digest("hex")
    return { bytes, digest, mode }
  })

/** Returns the digest of a file, or why it cannot be read. */
export const digestOf = (file: string): Effect.Effect<string, never, FileSystem.FileSystem> =>
  Effect.match(readFile(file), { onFailure: ({ reason }) => reason, onSuccess: ({ digest }) => digest })

const reasonOf = (error: PlatformError): string => {
  const reason = error._tag === "SystemError" ? error.reason : undefined
  if (reason === "NotFound") return "file not found"
  return reason === "PermissionDenied" ? "permission denied" : "cannot be read"
}
