/**
 * Locks files that one process at a time may write: the folder `FILE.lock` contains one file, whose name is its owner. A lock
 * whose owner has ended is stale, and another process takes it over.
 *
 * A folder replaces an empty one only, so one process takes the lock. The file of a stale lock is renamed to the next owner,
 * so of the processes that find it one succeeds: for the others that name is gone.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createHash, randomUUID } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { FileConflictError, type OutputError } from "../errors/CommandError.ts"
import { errorCode } from "../errors/SystemError.ts"
import { attempt } from "./Files.ts"

/** The process that holds a lock. Its start tells it from a later process with the same pid; empty if it is unknown. */
interface Owner {
  readonly pid: number
  readonly start: string
  readonly host: string
}

const ownName = (): string =>
  [process.pid, startOf(process.pid) ?? "", randomUUID(), encodeURIComponent(os.hostname())].join("_")

const parseOwner = (name: string): Owner | null => {
  const [, pid, start, host] = /^(\d+)_([0-9a-f]*)_[0-9a-f-]{36}_(.+)$/.exec(name) ?? []
  return host === undefined ? null : { pid: Number(pid), start: start ?? "", host: decodeURIComponent(host) }
}

const lockOf = (file: string): string => `${file}.lock`

/**
 * Returns what identifies the start of a process: empty if it is unknown, as elsewhere than on Linux; null if the process
 * has ended.
 */
const startOf = (pid: number): string | null => {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The name of the program, in parentheses, may contain anything
    const fields = status.slice(status.lastIndexOf(")") + 2).split(" ")
    // A killed process keeps its entry until its parent reads its status, which in a container may take long
    if (fields[0] === "Z") return null
    // Counted from the start of the machine
    const start = readFileSync("/proc/sys/kernel/random/boot_id", "utf8") + fields[19]
    return createHash("sha256").update(start).digest("hex").slice(0, 16)
  } catch {
    try {
      process.kill(pid, 0)
      return ""
    } catch (error) {
      // EPERM: the process exists and belongs to another user
      return errorCode(error) === "EPERM" ? "" : null
    }
  }
}

/** Returns whether the owner of a lock has ended. That of another machine, and one that is unknown, is not known to have. */
const hasEnded = (name: string): boolean => {
  const owner = parseOwner(name)
  if (owner === null || owner.host !== os.hostname()) return false
  const current = startOf(owner.pid)
  return current === null || (current !== owner.start && current !== "" && owner.start !== "")
}

const locked = (file: string, name = ""): FileConflictError => {
  const owner = parseOwner(name)
  const process = owner === null ? "process" : `process (${owner.pid} on ${owner.host})`
  return new FileConflictError({
    reason: `another ${process} is writing ${file}`,
    hint: `wait until it ends, or remove ${lockOf(file)} if there is no such process`
  })
}

/** Returns the owner of a lock: null if it is free, and empty if it is none of this program. */
const readOwner = async (lock: string): Promise<string | null> => {
  const names = await fs.readdir(lock).catch((error: unknown) => {
    if (errorCode(error) === "ENOTDIR") return [""]
    if (errorCode(error) === "ENOENT") return []
    throw error
  })
  return names[0] ?? null
}

export const requireUnlocked = (file: string): Effect.Effect<void, FileConflictError | OutputError> =>
  Effect.flatMap(
    attempt("read", lockOf(file), () => readOwner(lockOf(file))),
    (name) => name === null || hasEnded(name) ? Effect.void : locked(file, name)
  )

export interface FileLock {
  /** Fails if the lock is no longer that of this process, for example because a user removed it. */
  readonly requireHeld: Effect.Effect<void, FileConflictError>
}

/** Holds `FILE.lock` until the scope closes. Fails if another process holds it. */
export const lockFile = (
  file: string
): Effect.Effect<FileLock, FileConflictError | OutputError, Scope.Scope> =>
  Effect.gen(function*() {
    const lock = lockOf(file)
    const name = ownName()
    yield* Effect.acquireRelease(
      Effect.flatMap(
        attempt("write", lock, () => take(lock, name)),
        (other) => other === null ? Effect.void : locked(file, other)
      ),
      () =>
        Effect.promise(async () => {
          await fs.rm(path.join(lock, name), { force: true })
          // It may be that of the next owner
          await fs.rmdir(lock).catch(() => {})
        })
    )
    yield* attempt("write", lock, () => removeObsolete(lock))
    return {
      requireHeld: Effect.suspend(() => existsSync(path.join(lock, name)) ? Effect.void : locked(file))
    }
  })

/** Takes a lock. Returns its owner if another process holds it. */
const take = async (lock: string, name: string): Promise<string | null> => {
  // Complete before it has the name of the lock, so that a lock never lacks its owner
  const complete = `${lock}.${name}`
  await fs.mkdir(complete)
  try {
    await fs.writeFile(path.join(complete, name), "")
    for (let attempts = 0; attempts < 10; attempts++) {
      const other = await readOwner(lock)
      if (other !== null && !hasEnded(other)) return other
      const [from, to] = other === null ? [complete, lock] : [path.join(lock, other), path.join(lock, name)]
      if (await moved(from, to)) return null
      // Windows replaces no folder, not even an empty one
      if (other === null) await fs.rmdir(lock).catch(() => {})
    }
    return ""
  } finally {
    await fs.rm(complete, { recursive: true, force: true })
  }
}

/** Renames a file or a folder. Returns false if another process was faster. */
const moved = (from: string, to: string): Promise<boolean> =>
  fs.rename(from, to).then(() => true, (error: unknown) => {
    if (["ENOENT", "ENOTEMPTY", "EEXIST", "EPERM"].includes(errorCode(error))) return false
    throw error
  })

/** Removes what processes left that ended while they took the lock. */
const removeObsolete = async (lock: string): Promise<void> => {
  const prefix = `${path.basename(lock)}.`
  for (const name of await fs.readdir(path.dirname(lock))) {
    if (!name.startsWith(prefix) || !hasEnded(name.slice(prefix.length))) continue
    await fs.rm(path.join(path.dirname(lock), name), { recursive: true, force: true })
  }
}
