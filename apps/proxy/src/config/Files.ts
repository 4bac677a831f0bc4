/** Small files: read whole, but never more than is wanted. */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"

export interface FileContent {
  readonly bytes: Uint8Array
  readonly digest: string
  /** Of the file itself, where the path is a link to it. */
  readonly mode: number
}

/** A file cannot be read. `problem` says why, and nothing of what is in it. */
export class UnreadableFileError extends Data.TaggedError("UnreadableFileError")<{
  readonly file: string
  readonly reason: string
  /** Tells the states of a file from each other, whether it can be read or not. */
  readonly digest: string
}> {}

/** Nothing that is read here is longer. */
export const maxFileBytes = 1024 * 1024

export const readFile = (
  file: string,
  maxBytes: number
): Effect.Effect<FileContent, UnreadableFileError, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const unreadable = (reason: string, digest = reason) => new UnreadableFileError({ file, reason, digest })
    const files = yield* FileSystem.FileSystem
    const fromPlatformError = (error: PlatformError) => unreadable(reasonOf(error))
    const { mode, size, type } = yield* Effect.mapError(files.stat(file), fromPlatformError)
    // A pipe can be read once, and the configuration is read again when it changes.
    if (type !== "File") return yield* unreadable(type === "Directory" ? "it is a folder" : "it is no file")
    if (size > BigInt(maxFileBytes)) return yield* unreadable(tooLarge(maxFileBytes))
    const bytes = yield* Effect.mapError(files.readFile(file), fromPlatformError)
    const digest = createHash("sha256").update(bytes).digest("hex")
    return bytes.byteLength > maxBytes
      ? yield* unreadable(tooLarge(maxBytes), digest)
      : { bytes, digest, mode }
  })

/** The same for every content of a file that is the same. */
export const digestOf = (file: string): Effect.Effect<string, never, FileSystem.FileSystem> =>
  Effect.match(readFile(file, maxFileBytes), {
    onFailure: ({ digest }) => digest,
    onSuccess: ({ digest }) => digest
  })

const tooLarge = (maxBytes: number): string => `it is longer than ${maxBytes / 1024} KiB`

const reasonOf = (error: PlatformError): string => {
  switch (error._tag === "SystemError" ? error.reason : error._tag) {
    case "NotFound":
      return "there is no such file"
    case "PermissionDenied":
      return "this user may not read it"
    default:
      return "it cannot be read"
  }
}
