/** Reads and writes files. What is written survives a crash of the machine. */
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { dirname } from "node:path"
import { OutputError } from "../errors/CommandError.ts"
import { errorCode, systemFailure } from "../errors/SystemError.ts"

/** Fails with the path and the reason of the operating system. */
export const attempt = <A>(
  action: "read" | "write" | "remove",
  file: string,
  run: () => Promise<A>
): Effect.Effect<A, OutputError> =>
  Effect.tryPromise({
    try: run,
    catch: (error) => new OutputError(systemFailure(`cannot ${action} ${file}`, error, action))
  })

/** Returns null where a file does not exist. */
export const ifExists = <A>(result: Promise<A>): Promise<A | null> =>
  result.catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return null
    throw error
  })

/** Follows symbolic links, so that a link stays one when its file is replaced. */
export const followLinks = async (file: string): Promise<string> => {
  // Fails for links in a circle
  await ifExists(fs.stat(file))
  const link = await fs.readlink(file).catch(() => null)
  return link === null ? file : followLinks(path.resolve(await fs.realpath(path.dirname(file)), link))
}

/** Returns the file to write. Fails if it is a directory, or its directory does not exist. */
export const fileToWrite = (file: string): Effect.Effect<string, OutputError> =>
  Effect.gen(function*() {
    const target = yield* attempt("write", file, () => followLinks(file))
    const folder = path.dirname(target)
    const [status, folderStatus] = yield* attempt("write", target, () =>
      Promise.all([ifExists(fs.stat(target)), ifExists(fs.stat(folder))]))
    if (folderStatus === null) {
      return yield* new OutputError({
        reason: `directory ${folder} does not exist`,
        hint: "create it, or choose another file"
      })
    }
    return status?.isDirectory() === true
      ? yield* new OutputError({ reason: `${target} is a directory`, hint: "choose another name" })
      : target
  })

/** Writes to a file. An interruption waits, so that nothing is written after the lock of an export is released. */
export const write = (file: string, run: () => Promise<void>): Effect.Effect<void, OutputError> =>
  Effect.uninterruptible(attempt("write", file, run))

/** What file systems answer that cannot sync folders, such as network and shared folders, and Windows. */
const unsupported = "EACCES EBADF EINVAL EISDIR ENOSYS ENOTSUP EOPNOTSUPP EPERM".split(" ")

/** Makes renames and new names in the folder of a file permanent, where the file system can. */
export const syncFolder = async (file: string): Promise<void> => {
  try {
    const folder = await fs.open(path.dirname(file), "r")
    await folder.sync().finally(() => folder.close())
  } catch (error) {
    if (!unsupported.includes(errorCode(error))) throw error
  }
}

/** Replaces a file: readers see the old or the new text, also after a crash. Default of `mode`: 0644, less the umask. */
export const replaceAtomically = async (file: string, text: string, mode?: number): Promise<void> => {
  const temporary = `${file}.tmp`
  try {
    // That of a process that was killed may have another mode
    await fs.rm(temporary, { force: true })
    const handle = await fs.open(temporary, "wx", mode ?? 0o644)
    try {
      // Unlike the mode at creation, independent of the umask
      if (mode !== undefined) await handle.chmod(mode)
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await fs.rename(temporary, file)
  } catch (error) {
    await fs.rm(temporary, { force: true }).catch(() => {})
    throw error
  }
  await syncFolder(file)
}

export const writeText = (file: string, text: string): Effect.Effect<void, OutputError> =>
  write(file, () => replaceAtomically(file, text))

export const readText = (file: string): Effect.Effect<string | null, OutputError> =>
  attempt("read", file, () => ifExists(fs.readFile(file, "utf8")))

export const sizeOf = (file: string): Effect.Effect<number | null, OutputError> =>
  attempt("read", file, async () => (await ifExists(fs.stat(file)))?.size ?? null)

export const remove = (...files: ReadonlyArray<string>): Effect.Effect<void, OutputError> =>
  Effect.forEach(files, (file) => attempt("remove", file, () => fs.rm(file, { force: true })), {
    discard: true
  })

/** Creates a directory unless it exists. Node.js with `recursive` never returns in a file system such as `/proc`. */
export const makeDirectory = (directory: string, mode = 0o777): void => {
  if (existsSync(directory)) return
  makeDirectory(dirname(directory), mode)
  try {
    mkdirSync(directory, mode)
  } catch (error) {
    // Another process may have created it meanwhile
    if (!existsSync(directory)) throw error
  }
}
