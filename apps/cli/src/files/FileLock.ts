/** Locks files that one process at a time may write. A lock whose process has ended is stale, and is taken over. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { ExportConflictError } from "../CommandError.ts"
import { errorCode } from "../SystemError.ts"
import type { OutputError } from "../Terminal.ts"
import { attempt, readText } from "./Files.ts"

/** A process. Its start tells it from a later process with the same id. */
const Owner = Schema.Struct({ pid: Schema.Int, start: Schema.String, host: Schema.String })

const OwnerText = Schema.parseJson(Owner)

/** Returns when a process started, in a format of the platform; null if it does not exist. */
const startOf = (pid: number): string | null => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: the process exists and belongs to another user
    if (errorCode(error) !== "EPERM") return null
  }
  try {
    if (process.platform === "linux") {
      const status = readFileSync(`/proc/${pid}/stat`, "utf8")
      // The name of the program, in parentheses, may contain anything
      const fields = status.slice(status.lastIndexOf(")") + 2).split(" ")
      // A killed process keeps its entry until its parent reads its status, which in a container may take long
      return fields[0] === "Z" ? null : fields[19] ?? ""
    }
    return process.platform === "win32"
      ? ""
      : execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], {
        encoding: "utf8",
        // All processes must get the same text
        env: { ...process.env, LC_ALL: "C", TZ: "UTC" }
      }).trim()
  } catch {
    return process.platform === "linux" ? null : ""
  }
}

const isRunning = ({ host, pid, start }: typeof Owner.Type): boolean =>
  host !== os.hostname() || startOf(pid) === start

const parseOwner = (text: string): typeof Owner.Type | null =>
  Either.getOrNull(Schema.decodeEither(OwnerText)(text))

const lockOf = (file: string): string => `${file}.lock`

const conflict = (file: string, text: string): ExportConflictError => {
  const owner = parseOwner(text)
  return new ExportConflictError({
    reason: `another process${owner === null ? "" : ` (${owner.pid} on ${owner.host})`} is writing ${file}`,
    hint: `wait until it ends, or remove ${lockOf(file)} if there is no such process`
  })
}

/** Returns whether a lock belongs to a process that has ended. */
const isStale = (text: string): boolean => {
  const owner = parseOwner(text)
  return owner !== null && !isRunning(owner)
}

/** Fails if another process holds the lock of a file. Changes nothing. */
export const requireUnlocked = (file: string): Effect.Effect<void, ExportConflictError | OutputError> =>
  Effect.flatMap(
    readText(lockOf(file)),
    (text) => text === null || isStale(text) ? Effect.void : conflict(file, text)
  )

/** Holds `FILE.lock` until the scope closes. Fails if another process holds it. */
export const lockFile = (
  file: string
): Effect.Effect<void, ExportConflictError | OutputError, Scope.Scope> => {
  const lock = lockOf(file)
  const own = Schema.encodeSync(OwnerText)({
    pid: process.pid,
    start: startOf(process.pid) ?? "",
    host: os.hostname()
  })
  const take = attempt("write", lock, async () => {
    // Linked when it is complete, so that a lock never lacks its owner
    const temporary = `${lock}.${process.pid}`
    await fs.writeFile(temporary, own)
    try {
      for (let attempts = 0; attempts < 10; attempts++) {
        if (await create(temporary, lock)) return null
        const text = await fs.readFile(lock, "utf8").catch(() => null)
        if (text === null) continue
        if (!isStale(text)) return text
        await removeStale(lock, text)
      }
      return ""
    } finally {
      await fs.rm(temporary, { force: true })
    }
  })
  return Effect.acquireRelease(
    Effect.flatMap(take, (other) => other === null ? Effect.void : conflict(file, other)),
    () => Effect.promise(() => fs.rm(lock, { force: true }))
  ).pipe(Effect.zipRight(attempt("write", lock, () => removeTemporaryFiles(lock))))
}

/** Removes what processes left that were killed while they took the lock. */
const removeTemporaryFiles = async (lock: string): Promise<void> => {
  const folder = path.dirname(lock)
  for (const name of await fs.readdir(folder)) {
    if (!name.startsWith(`${path.basename(lock)}.`)) continue
    const pid = Number(/^\d+/.exec(name.slice(path.basename(lock).length + 1))?.[0] ?? NaN)
    const file = path.join(folder, name)
    const owner = parseOwner(await fs.readFile(file, "utf8").catch(() => ""))
    // That of another machine is not known to have ended
    if (!Number.isNaN(pid) && owner?.host === os.hostname() && startOf(pid) === null) {
      await fs.rm(file, { force: true })
    }
  }
}

/** Gives a complete lock its name. Returns false if the name is taken. */
const create = async (temporary: string, lock: string): Promise<boolean> => {
  try {
    // USB sticks and network drives may have no links
    await fs.link(temporary, lock).catch((error: unknown) => {
      if (errorCode(error) === "EEXIST") throw error
      return fs.copyFile(temporary, lock, fs.constants.COPYFILE_EXCL)
    })
    return true
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false
    throw error
  }
}

/** Removes a stale lock. If another process has replaced it meanwhile, gives that lock back. */
const removeStale = async (lock: string, stale: string): Promise<void> => {
  const moved = `${lock}.${process.pid}.stale`
  try {
    await fs.rename(lock, moved)
  } catch {
    return
  }
  if (await fs.readFile(moved, "utf8") !== stale) await fs.link(moved, lock).catch(() => {})
  await fs.rm(moved, { force: true })
}
