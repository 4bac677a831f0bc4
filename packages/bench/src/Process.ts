/** What Linux tells of a process that is not this one: the time it took, and what it holds. */
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"

/** Ticks of the clock in a second: what `times` counts in, on every machine that has Linux. */
const ticks = 100

/** CPU time in microseconds, of all its threads, by `/proc/PID/stat`. Its name may hold anything, brackets too. */
export const cpuOf = (stat: string): number => {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const [user, system] = [Number(fields[11]), Number(fields[12])]
  return (user + system) * 1_000_000 / ticks
}

/** Bytes in memory, by `/proc/PID/status`. */
export const residentOf = (status: string): number =>
  Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024

const read = (pid: number, file: string): string => readFileSync(`/proc/${pid}/${file}`, "utf8")

const telling = <A>(pid: number, tell: () => A): Effect.Effect<A> =>
  Effect.try(tell).pipe(
    Effect.catchAll(() =>
      Effect.dieMessage(`/proc/${pid} cannot be read: the process ended, or this is not Linux`)
    )
  )

export const cpu = (pid: number): Effect.Effect<number> => telling(pid, () => cpuOf(read(pid, "stat")))

/** What a process holds. */
export interface Holding {
  /** Bytes in memory. */
  readonly resident: number
  /** Open files of every kind. */
  readonly files: number
  /** Of these, sockets. */
  readonly sockets: number
}

export const holding = (pid: number): Effect.Effect<Holding> =>
  telling(pid, () => {
    const folder = `/proc/${pid}/fd`
    const files = readdirSync(folder)
    return {
      resident: residentOf(read(pid, "status")),
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
