/** Samples of the proxy's memory and open files, and detection of leaks. */
import type { ResourceUsage } from "../ProcessStats.ts"

/** The resource usage after a number of completed requests. */
export interface Sample extends ResourceUsage {
  readonly completed: number
}

/** The allowed growth of memory between the first and the last third. */
export const tolerance = 0.15

/** The number of additional files that a process may keep open. */
const spareFiles = 4

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** Returns the mean memory in each tenth of the requests. */
export const meanByTenth = (samples: ReadonlyArray<Sample>, requests: number): ReadonlyArray<number> =>
  Array.from({ length: 10 }, (_, tenth) =>
    mean(
      samples.filter(({ completed }) => Math.min(9, Math.floor(completed * 10 / requests)) === tenth)
        .map(({ resident }) => resident)
    ))

/** Returns the growth of memory from the first to the last third of the requests, without the first tenth (warm-up). */
export const memoryGrowth = (samples: ReadonlyArray<Sample>, requests: number): number => {
  const warm = samples.filter(({ completed }) => completed * 10 > requests).map(({ resident }) => resident)
  const third = Math.floor(warm.length / 3)
  return third === 0 ? Number.NaN : mean(warm.slice(-third)) / mean(warm.slice(0, third)) - 1
}

/** Returns whether an idle process has more open files than before the requests. */
export const leaksFiles = (before: ResourceUsage, after: ResourceUsage): boolean =>
  after.files > before.files + spareFiles
