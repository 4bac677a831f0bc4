/** What Linux tells of a process that is not this one: the time it took, and what it holds. */
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"

/** Ticks of the clock in a second: what `times` counts in, on every machine that has Linux. */
const ticksPerSecond = 100

/** CPU time in microseconds, of all its threads, by `/proc/PID/stat`. Its name may hold anything, brackets too. */
export const parseCpuTime = (stat: string): number => {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const [user, system] = [Number(fields[11]), Number(fields[12])]
  return (user + system) * 1_000_000 / ticksPerSecond
}

/** Bytes in memory, by `/proc/PID/status`. */
export const parseResidentBytes = (status: string): number =>
  Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024

const readProcFile = (pid: number, file: string): string => readFileSync(`/proc/${pid}/${file}`, "utf8")

const readProc = <A>(pid: number, read: () => A): Effect.Effect<A> =>
  Effect.try(read).pipe(
    Effect.catchAll(() =>
      Effect.dieMessage(`/proc/${pid} cannot be read: the process ended, or this is not Linux`)
    )
  )

export const processCpuTime = (pid: number): Effect.Effect<number> =>
  readProc(pid, () => parseCpuTime(readProcFile(pid, "stat")))

/** What a process holds. */
export interface ResourceUsage {
  /** Bytes in memory. */
  readonly resident: number
  /** Open files of every kind. */
  readonly files: number
  /** Of these, sockets. */
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

/** It may be closed by the time it is looked at. */
const isSocket = (file: string): boolean => {
  try {
    return readlinkSync(file).startsWith("socket:")
  } catch {
    return false
  }
}
