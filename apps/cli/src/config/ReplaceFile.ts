import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as NodePath from "node:path"
import { ConfigFileError } from "../errors/CommandError.ts"
import { errorCode, systemFailure } from "../errors/SystemError.ts"
import { followLinks, makeDirectory, replaceAtomically } from "../files/Files.ts"

/** Larger files are not configuration. */
const maxBytes = 256 * 1024

/** Reads a regular file; null if it does not exist. A pipe may never end, and a repository may link to a device. */
export const readSmallFile = (file: string): Effect.Effect<string | null, ConfigFileError> =>
  Effect.suspend(() => {
    try {
      const status = fs.statSync(file)
      if (!status.isFile()) return new ConfigFileError({ file, reason: "not a regular file" })
      if (status.size > maxBytes) {
        return new ConfigFileError({ file, reason: `the file is larger than ${maxBytes / 1024} KiB` })
      }
      return Effect.succeed(fs.readFileSync(file, "utf8"))
    } catch (error) {
      const code = errorCode(error)
      return code === "ENOENT" || code === "ENOTDIR"
        ? Effect.succeed(null)
        : new ConfigFileError({ file, ...systemFailure("cannot read the file", error) })
    }
  })

/**
 * Replaces the content of a file by what `next` returns for it. Readers see the old or the new content, never a part.
 * `mode` is set, or kept if it is null.
 */
export const replaceFile = <E>(
  file: string,
  mode: number | null,
  next: (current: string | null) => Effect.Effect<string, E>
): Effect.Effect<void, ConfigFileError | E> =>
  Effect.gen(function*() {
    const text = yield* Effect.flatMap(readSmallFile(file), next)
    yield* Effect.uninterruptible(Effect.tryPromise({
      try: async () => {
        const target = await followLinks(file)
        makeDirectory(NodePath.dirname(target), 0o700)
        const current = fs.statSync(target, { throwIfNoEntry: false })
        return replaceAtomically(target, text, mode ?? (current && current.mode & 0o777))
      },
      catch: (error) => new ConfigFileError({ file, ...systemFailure("cannot write the file", error) })
    }))
  })
