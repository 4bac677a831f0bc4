/** CPU time, memory and open files of another process on Linux. */
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"

/** The unit of CPU times in `/proc` (USER_HZ), which is 100 on all Linux platforms. */
const ticksPerSecond = 100

/**
 * Parses the CPU time of all threads in `/proc/PID/stat`, in microseconds. The process name may contain any character,
 * including parentheses.
 */
export const parseCpuTime = (stat: string): number => {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const [user, system] = [Number(fields[11]), Number(fields[12])]
  return (user + system) * 1_000_000 / ticksPerSecond
}

/** Parses the resident set size in `/proc/PID/status`, in bytes. */
export const parseResidentBytes = (status: string): number =>
  Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024

const readProcFile = (pid: number, file: string): string => readFileSync(`/proc/${pid}/${file}`, "utf8")

const readProc = <A>(pid: number, read: () => A): Effect.Effect<A> =>
  Effect.try(read).pipe(
    Effect.catchAll(() => Effect.dieMessage(`cannot read /proc/${pid}: process exited, or not Linux`))
  )

export const processCpuTime = (pid: number): Effect.Effect<number> =>
  readProc(pid, () => parseCpuTime(readProcFile(pid, "stat")))

/** The memory and open files of a process. */
export interface ResourceUsage {
  /** Resident set size in bytes. */
  readonly resident: number
  /** Open file descriptors, including sockets. */
  readonly files: number
  readonly sockets: number
}

export const resourceUsage = (pid: number): Effect.Effect<ResourceUsage> =>
  readProc(pid, () => {
    const folder = `/proc/${pid}/fd`
    const files = readdirSync(folder)
    return {
      resident: parseResidentBytes(readProcFile(pid, "status")),
      files: files.length,
      sockets: files.filter((file) => isSocket(`${folder}/${file}`)).length
    }
  })

/** The file may be closed in the meantime. */
const isSocket = (file: string): boolean => {
  try {
    return readlinkSync(file).startsWith("socket:")
  } catch {
    return false
  }
}
