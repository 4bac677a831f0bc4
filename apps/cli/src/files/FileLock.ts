/**
 * Locks files that one process at a time may write: the folder `FILE.lock` contains one file, whose name is its owner. A lock
 * whose owner has ended is stale, and another process takes it over. An owner in another PID namespace, such as that of a
 * container, is not known to have ended: a user may say so.
 *
 * A folder replaces an empty one only, so one process takes the lock. The file of a stale lock is renamed to the next owner,
 * so of the processes that find it one succeeds: for the others that name is gone.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createHash, randomUUID } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { FileConflictError, type OutputError } from "../errors/CommandError.ts"
import { errorCode } from "../errors/SystemError.ts"
import { formatDuration } from "../render/Time.ts"
import { attempt } from "./Files.ts"

/** The process that holds a lock. Its start tells it from a later process with the same pid; empty if it is unknown. */
interface Owner {
  readonly pid: number
  readonly start: string
  /** Where its pid means something. */
  readonly host: string
}

const ownName = (): string =>
  [process.pid, startOf(process.pid) ?? "", randomUUID(), encodeURIComponent(ownHost())].join("_")

const parseOwner = (name: string): Owner | null => {
  const [, pid, start, host] = /^(\d+)_([0-9a-f]*)_[0-9a-f-]{36}_(.+)$/.exec(name) ?? []
  return host === undefined ? null : { pid: Number(pid), start: start ?? "", host: decodeURIComponent(host) }
}

/** Returns the hash of a text about this boot of the machine. */
const hashOfBoot = (text: string): string => {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8")
  return createHash("sha256").update(boot + text).digest("hex").slice(0, 16)
}

/** Returns the name of the host, with the PID namespace unless it is that of the machine, which every Linux gives this number. */
export const ownHost = (): string => {
  try {
    const space = readlinkSync("/proc/self/ns/pid")
    return `${os.hostname()}${space === "pid:[4026531836]" ? "" : `/${hashOfBoot(space)}`}`
  } catch {
    return os.hostname()
  }
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
    return hashOfBoot(`${fields[19]}`)
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

/** Returns whether the owner of a lock has ended; undefined if that cannot be known. */
const hasEnded = (name: string): boolean | undefined => {
  const owner = parseOwner(name)
  if (owner?.host !== ownHost()) return undefined
  const current = startOf(owner.pid)
  return current === null || (current === "" || owner.start === "" ? undefined : current !== owner.start)
}

/** Fails because another process holds a lock. `takeOver` is null where no option can take it. */
const locked = (file: string, name = "", takeOver: boolean | null = null) =>
  Effect.gen(function*() {
    const owner = parseOwner(name)
    const place = owner?.host.replace(/\/.*/, ", in its own PID namespace")
    const process = owner === null ? "process" : `process (${owner.pid} on ${place})`
    const writing = `another ${process} is writing ${file}`
    const hint = "wait until it ends"
    if (hasEnded(name) === false) return yield* new FileConflictError({ reason: writing, hint })
    const status = yield* Effect.promise(() => fs.stat(path.join(lockOf(file), name)).catch(() => null))
    const age = formatDuration((yield* Clock.currentTimeMillis) - (status?.mtimeMs ?? 0))
    return yield* new FileConflictError({
      reason: status === null ? writing : `${writing}; it was last active ${age} ago`,
      hint: takeOver === null || name === ""
        ? `${hint}, or remove ${lockOf(file)} if there is no such process`
        : `${hint}, or use --take-over if it has ended`
    })
  })

const notHeld = (file: string) =>
  new FileConflictError({
    reason: `this process no longer holds the lock of ${file}`,
    hint: `another process has taken it over, or ${lockOf(file)} was removed`
  })

/** Returns the owner of a lock: null if it is free, and empty if it is none of this program. */
const readOwner = async (lock: string): Promise<string | null> => {
  const names = await fs.readdir(lock).catch((error: unknown) => {
    if (errorCode(error) === "ENOTDIR") return [""]
    if (errorCode(error) === "ENOENT") return []
    throw error
  })
  return names[0] ?? null
}

export const requireUnlocked = (
  file: string,
  takeOver: boolean
): Effect.Effect<void, FileConflictError | OutputError> =>
  Effect.flatMap(
    attempt("read", lockOf(file), () => readOwner(lockOf(file))),
    (name) =>
      name === null || (hasEnded(name) ?? (takeOver && name !== ""))
        ? Effect.void
        : locked(file, name, takeOver)
  )

export interface FileLock {
  /** Shows that this process is active. Fails if the lock is no longer its own, for example because a user removed it. */
  readonly requireHeld: Effect.Effect<void, FileConflictError>
}

/** Holds `FILE.lock` until the scope closes. Fails if another process holds it, unless `takeOver` says that it has ended. */
export const lockFile = (
  file: string,
  takeOver: boolean | null = null
): Effect.Effect<FileLock, FileConflictError | OutputError, Scope.Scope> =>
  Effect.gen(function*() {
    const lock = lockOf(file)
    const name = ownName()
    yield* Effect.acquireRelease(
      Effect.flatMap(
        attempt("write", lock, () => take(lock, name, takeOver ?? false)),
        (other) => other === null ? Effect.void : locked(file, other, takeOver)
      ),
      () =>
        Effect.promise(async () => {
          await fs.rm(path.join(lock, name), { force: true })
          // It may be that of the next owner
          await fs.rmdir(lock).catch(() => {})
        })
    )
    yield* attempt("write", lock, () => removeObsolete(lock))
    const touch = (now: number) =>
      Effect.promise(() => fs.utimes(path.join(lock, name), now / 1000, now / 1000).then(() => "", errorCode))
    const requireHeld = Effect.flatMap(
      Effect.flatMap(Clock.currentTimeMillis, touch),
      (code) => code === "ENOENT" || code === "ENOTDIR" ? notHeld(file) : Effect.void
    )
    yield* requireHeld
    return { requireHeld }
  })

/** Takes a lock. Returns its owner if another process holds it. */
const take = async (lock: string, name: string, takeOver: boolean): Promise<string | null> => {
  // Complete before it has the name of the lock, so that a lock never lacks its owner
  const complete = `${lock}.${name}`
  // A user says this of the owner that there is now, and not of a process that is faster to take over
  const endedByUser = takeOver ? await readOwner(lock) : null
  let other: string | null = null
  await fs.mkdir(complete)
  try {
    await fs.writeFile(path.join(complete, name), "")
    for (let attempts = 0; attempts < 10; attempts++) {
      other = await readOwner(lock)
      if (other !== null && !(hasEnded(other) ?? (other !== "" && other === endedByUser))) return other
      const [from, to] = other === null ? [complete, lock] : [path.join(lock, other), path.join(lock, name)]
      if (await moved(from, to)) return null
      // Windows replaces no folder, not even an empty one
      if (other === null) await fs.rmdir(lock).catch(() => {})
    }
    return other ?? ""
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
    if (!name.startsWith(prefix) || hasEnded(name.slice(prefix.length)) !== true) continue
    await fs.rm(path.join(path.dirname(lock), name), { recursive: true, force: true })
  }
}
