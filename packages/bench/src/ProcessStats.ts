/** CPU time, memory and open files of another process on Linux. */
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"

/** Parses the CPU time of a thread in `/proc/PID/task/TID/schedstat`, in microseconds. */
export const parseCpuTime = (schedstat: string): number => Number(schedstat.split(" ")[0]) / 1000

/** Parses the resident set size in `/proc/PID/status`, in bytes. */
export const parseResidentBytes = (status: string): number =>
  Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024

const readProcFile = (pid: number, file: string): string => readFileSync(`/proc/${pid}/${file}`, "utf8")

const readProc = <A>(pid: number, read: () => A): Effect.Effect<A> =>
  Effect.try(read).pipe(
    Effect.catchAll(() => Effect.dieMessage(`cannot read /proc/${pid}: process exited, or not Linux`))
  )

/** The CPU time of all threads, in microseconds. */
export const processCpuTime = (pid: number): Effect.Effect<number> =>
  readProc(pid, () =>
    readdirSync(`/proc/${pid}/task`).reduce(
      (sum, thread) => sum + parseCpuTime(readProcFile(pid, `task/${thread}/schedstat`)),
      0
    ))

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
