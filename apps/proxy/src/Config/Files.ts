/** Small files: read whole, but never more than is wanted. */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"

export interface Small {
  readonly bytes: Uint8Array
  readonly fingerprint: string
  /** Of the file itself, where the path is a link to it. */
  readonly mode: number
}

/** A file cannot be read. `problem` says why, and nothing of what is in it. */
export class Unreadable extends Data.TaggedError("Unreadable")<{
  readonly file: string
  readonly problem: string
  /** Tells the states of a file from each other, whether it can be read or not. */
  readonly fingerprint: string
}> {}

/** Nothing that is read here is longer. */
export const largest = 1024 * 1024

export const read = (
  file: string,
  atMost: number
): Effect.Effect<Small, Unreadable, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const unreadable = (problem: string, fingerprint = problem) =>
      new Unreadable({ file, problem, fingerprint })
    const files = yield* FileSystem.FileSystem
    const failed = (error: PlatformError) => unreadable(problem(error))
    const { mode, size, type } = yield* Effect.mapError(files.stat(file), failed)
    // A pipe can be read once, and the configuration is read again when it changes.
    if (type !== "File") return yield* unreadable(type === "Directory" ? "it is a folder" : "it is no file")
    if (size > BigInt(largest)) return yield* unreadable(tooLong(largest))
    const bytes = yield* Effect.mapError(files.readFile(file), failed)
    const fingerprint = createHash("sha256").update(bytes).digest("hex")
    return bytes.byteLength > atMost
      ? yield* unreadable(tooLong(atMost), fingerprint)
      : { bytes, fingerprint, mode }
  })

/** The same for every content of a file that is the same. */
export const fingerprint = (file: string): Effect.Effect<string, never, FileSystem.FileSystem> =>
  Effect.match(read(file, largest), {
    onFailure: ({ fingerprint }) => fingerprint,
    onSuccess: ({ fingerprint }) => fingerprint
  })

const tooLong = (atMost: number): string => `it is longer than ${atMost / 1024} KiB`

const problem = (error: PlatformError): string => {
  switch (error._tag === "SystemError" ? error.reason : error._tag) {
    case "NotFound":
      return "there is no such file"
    case "PermissionDenied":
      return "this user may not read it"
    default:
      return "it cannot be read"
  }
}
