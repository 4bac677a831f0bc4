/** Reads small files together with a digest of their contents. */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { createHash } from "node:crypto"

const maxKibibytes = 1024

/**
 * Returns the bytes of a file, or why it cannot be read, without any part of it; the digest of either; and the mode of the file
 * itself if the path is a link.
 */
export const readFile = (file: string) =>
  Effect.gen(function*() {
    const files = yield* FileSystem.FileSystem
    const { mode, size, type } = yield* files.stat(file)
    // A pipe can be read only once, but a reload reads the file again.
    if (type !== "File") return unreadable(type === "Directory" ? "is a directory" : "not a regular file")
    if (size > BigInt(maxKibibytes * 1024)) return unreadable(`larger than ${maxKibibytes} KiB`)
    const bytes = yield* files.readFile(file)
    return result(Either.right(bytes), createHash("sha256").update(bytes).digest("hex"), mode)
  }).pipe(Effect.catchAll((error) => Effect.succeed(unreadable(reasonOf(error)))))

const result = (contents: Either.Either<Uint8Array, string>, digest: string, mode: number) => ({
  contents,
  digest,
  mode
})

const unreadable = (reason: string) => result(Either.left(reason), reason, 0)

const reasonOf = (error: PlatformError): string => {
  const reason = error._tag === "SystemError" ? error.reason : undefined
  if (reason === "NotFound") return "file not found"
  return reason === "PermissionDenied" ? "permission denied" : "cannot be read"
}
