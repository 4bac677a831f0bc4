/** Replaces small files atomically. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as fs from "node:fs"
import * as NodePath from "node:path"
import { ConfigFileError } from "../CommandError.ts"
import { makeDirectory } from "../files/MakeDirectory.ts"
import { errorCode, systemFailure } from "../SystemError.ts"

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

/** How long another process may hold the lock: 2 s. */
const lockRetries = Schedule.intersect(Schedule.spaced("40 millis"), Schedule.recurs(50))

/** The lock is held by another process. */
class Locked {
  readonly _tag = "Locked"
}

/** Follows a symbolic link, which is kept. */
const targetOf = (file: string): string => {
  try {
    return fs.realpathSync(file)
  } catch {
    return file
  }
}

const modeOf = (file: string): number | null => {
  try {
    return fs.statSync(file).mode & 0o777
  } catch {
    return null
  }
}

/**
 * Replaces the content of a file by what `next` returns for it. Readers see the old or the new content, never a part.
 *
 * The new content is written to `FILE.lock`, which is created exclusively: it is also the lock against other writers, so
 * that none of their changes is lost. `mode` is set, or kept if it is null.
 */
export const replaceFile = <E>(
  file: string,
  mode: number | null,
  next: (current: string | null) => Effect.Effect<string, E>
): Effect.Effect<void, ConfigFileError | E> =>
  Effect.suspend(() => {
    const target = targetOf(file)
    const lock = `${target}.lock`
    const finalMode = mode ?? modeOf(target)
    const failed = (action: string) => (error: unknown) =>
      new ConfigFileError({ file, ...systemFailure(`cannot ${action}`, error) })
    const acquire = Effect.try({
      try: () => {
        makeDirectory(NodePath.dirname(target), 0o700)
        return fs.openSync(lock, "wx", finalMode ?? 0o644)
      },
      catch: (error) => errorCode(error) === "EEXIST" ? new Locked() : failed("write the file")(error)
    }).pipe(
      Effect.retry({ schedule: lockRetries, while: ({ _tag }) => _tag === "Locked" }),
      Effect.catchTag("Locked", () =>
        new ConfigFileError({
          file,
          reason: `another process is changing the file; if none is, remove ${lock}`
        }))
    )
    let isRenamed = false
    return Effect.acquireUseRelease(
      acquire,
      (descriptor) =>
        Effect.gen(function*() {
          const text = yield* Effect.flatMap(readSmallFile(target), next)
          yield* Effect.try({
            try: () => {
              // Unlike the mode at creation, independent of the umask
              if (finalMode !== null) fs.fchmodSync(descriptor, finalMode)
              fs.writeFileSync(descriptor, text)
              fs.fsyncSync(descriptor)
              fs.renameSync(lock, target)
              isRenamed = true
            },
            catch: failed("write the file")
          })
        }),
      (descriptor) =>
        Effect.sync(() => {
          fs.closeSync(descriptor)
          if (!isRenamed) fs.rmSync(lock, { force: true })
        })
    )
  })
