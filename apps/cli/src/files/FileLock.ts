/**
 * Locks files that one process at a time may write: `FILE.lock` names its owner. A lock whose owner has ended is stale, and
 * another process takes it over.
 *
 * Of the processes that find a stale lock, the one that creates `FILE.lock.claim-<id>` has the claim to it: the name is that
 * of one lock, and exists once. Only its owner replaces the lock, after it has seen that the lock is still the stale one. A
 * claim whose owner has ended is stale too, and is claimed in the same way.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { execFileSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import type { OutputError } from "../errors/CommandError.ts"
import { errorCode } from "../errors/SystemError.ts"
import { attempt, ifExists, readText } from "./Files.ts"

/** The process that holds a lock. Its start tells it from a later process with the same pid; empty if it is unknown. */
const Owner = Schema.Struct({
  /** Of this lock: unique. */
  id: Schema.UUID,
  pid: Schema.Int,
  start: Schema.String,
  host: Schema.String
})

type Owner = typeof Owner.Type

const OwnerText = Schema.parseJson(Owner)

const parseOwner = (text: string): Owner | null => Either.getOrNull(Schema.decodeEither(OwnerText)(text))

const lockOf = (file: string): string => `${file}.lock`

/** Returns the file with the claim to a stale lock, or to a stale claim. */
const claimOf = (lock: string, { id }: Owner): string => `${lock}.claim-${id}`

/** Returns when a process started, in a format of the platform: empty if it is unknown, null if the process has ended. */
const startOf = (pid: number): string | null => {
  const start = platformStart(pid)
  if (start !== "") return start
  try {
    process.kill(pid, 0)
    return ""
  } catch (error) {
    // EPERM: the process exists and belongs to another user
    return errorCode(error) === "EPERM" ? "" : null
  }
}

const platformStart = (pid: number): string | null => {
  try {
    if (process.platform === "win32") return ""
    if (process.platform !== "linux") {
      // All processes must get the same text
      const env = { ...process.env, LC_ALL: "C", TZ: "UTC" }
      return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", env }).trim()
    }
    const status = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The name of the program, in parentheses, may contain anything
    const fields = status.slice(status.lastIndexOf(")") + 2).split(" ")
    // A killed process keeps its entry until its parent reads its status, which in a container may take long
    if (fields[0] === "Z") return null
    // Counted from the start of the machine
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}:${fields[19] ?? ""}`
  } catch {
    return ""
  }
}

/** Returns whether the owner of a lock has ended. That of another machine, and one that is unknown, is not known to have. */
const hasEnded = ({ host, pid, start }: Owner): boolean => {
  if (host !== os.hostname()) return false
  const current = startOf(pid)
  return current === null || (current !== start && current !== "" && start !== "")
}

/** Another process holds the lock of a file. */
export class FileLockedError extends Data.TaggedError("FileLockedError")<{
  readonly lock: string
  readonly reason: string
  readonly hint: string
}> {}

const locked = (file: string, text: string): FileLockedError => {
  const owner = parseOwner(text)
  const process = owner === null ? "process" : `process (${owner.pid} on ${owner.host})`
  const lock = lockOf(file)
  return new FileLockedError({
    lock,
    reason: `another ${process} is writing ${file}`,
    hint: `wait until it ends, or remove ${lock} if there is no such process`
  })
}

/** Fails if another process holds the lock of a file. Changes nothing. */
export const requireUnlocked = (file: string): Effect.Effect<void, FileLockedError | OutputError> =>
  Effect.flatMap(readText(lockOf(file)), (text) => {
    const owner = text === null ? null : parseOwner(text)
    return text === null || (owner !== null && hasEnded(owner)) ? Effect.void : locked(file, text)
  })

export interface FileLock {
  /** Fails if the lock is no longer that of this process, for example because a user removed it. */
  readonly requireHeld: Effect.Effect<void, FileLockedError | OutputError>
}

/** Holds `FILE.lock` until the scope closes. Fails if another process holds it. */
export const lockFile = (
  file: string
): Effect.Effect<FileLock, FileLockedError | OutputError, Scope.Scope> =>
  Effect.gen(function*() {
    const lock = lockOf(file)
    const own = Schema.encodeSync(OwnerText)({
      id: randomUUID(),
      pid: process.pid,
      start: startOf(process.pid) ?? "",
      host: os.hostname()
    })
    const isHeld = async () => await readOwner(lock) === own
    yield* Effect.acquireRelease(
      Effect.flatMap(
        attempt("write", lock, () => take(lock, own)),
        (other) => other === null ? Effect.void : locked(file, other)
      ),
      () =>
        Effect.promise(async () => {
          if (await isHeld().catch(() => false)) await fs.rm(lock, { force: true })
        })
    )
    yield* attempt("write", lock, () => removeObsolete(lock))
    return {
      requireHeld: Effect.flatMap(
        attempt("read", lock, isHeld),
        (held) => held ? Effect.void : locked(file, "")
      )
    }
  })

const readOwner = (file: string): Promise<string | null> => ifExists(fs.readFile(file, "utf8"))

/** Takes a lock. Returns its owner if another process holds it. */
const take = async (lock: string, own: string): Promise<string | null> => {
  // Linked when it is complete, so that a lock never lacks its owner
  const complete = `${lock}.${randomUUID()}`
  await fs.writeFile(complete, own)
  try {
    for (let attempts = 0; attempts < 10; attempts++) {
      if (await create(complete, lock)) return null
      const found = await readOwner(lock)
      if (found === null) continue
      const other = await takeOver(lock, found, complete)
      if (other !== "changed") return other
    }
    return ""
  } finally {
    await fs.rm(complete, { force: true })
  }
}

/**
 * Replaces a stale lock. Returns the owner of the lock, or of a claim to it, if it is another process; and `changed` if the
 * lock is not the one that was found.
 */
const takeOver = async (
  lock: string,
  found: string,
  complete: string
): Promise<string | null | "changed"> => {
  for (let last = found;;) {
    const owner = parseOwner(last)
    if (owner === null || !hasEnded(owner)) return last
    const claim = claimOf(lock, owner)
    if (!await create(complete, claim)) {
      const next = await readOwner(claim)
      if (next === null) return "changed"
      last = next
      continue
    }
    try {
      // The owner of an earlier claim has replaced the lock before it removed the claim
      if (await readOwner(lock) !== found) return "changed"
      await fs.rename(complete, lock)
      return null
    } finally {
      await fs.rm(claim, { force: true })
    }
  }
}

/** Gives a complete file another name. Returns false if the name is taken. */
const create = async (complete: string, name: string): Promise<boolean> => {
  try {
    // USB sticks and network drives may have no links
    await fs.link(complete, name).catch((error: unknown) => {
      if (errorCode(error) === "EEXIST") throw error
      return fs.copyFile(complete, name, fs.constants.COPYFILE_EXCL)
    })
    return true
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false
    throw error
  }
}

/** Removes what processes left that ended while they took the lock. Their claims are to earlier locks. */
const removeObsolete = async (lock: string): Promise<void> => {
  const folder = path.dirname(lock)
  for (const name of await fs.readdir(folder)) {
    if (!name.startsWith(`${path.basename(lock)}.`)) continue
    const file = path.join(folder, name)
    const owner = parseOwner(await fs.readFile(file, "utf8").catch(() => ""))
    if (owner !== null && hasEnded(owner)) await fs.rm(file, { force: true })
  }
}
