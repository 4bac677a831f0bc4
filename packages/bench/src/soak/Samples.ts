/** What the proxy held while it was asked, and whether that grew. */
import type { ResourceUsage } from "../ProcessStats.ts"

/** What it held once so many requests were over. */
export interface Sample extends ResourceUsage {
  readonly completed: number
}

/** Memory may be so much more in the last third than in the first. */
export const tolerance = 0.15

/** A process may find a file or two worth keeping open, but not one for each of many requests. */
const spareFiles = 4

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** The mean memory in each tenth of the requests. */
export const meanByTenth = (samples: ReadonlyArray<Sample>, requests: number): ReadonlyArray<number> =>
  Array.from({ length: 10 }, (_, tenth) =>
    mean(
      samples.filter(({ completed: done }) => Math.min(9, Math.floor(done * 10 / requests)) === tenth)
        .map(({ resident }) => resident)
    ))

/** By how much memory grew from the first third to the last, once the first tenth has warmed it up. */
export const memoryGrowth = (samples: ReadonlyArray<Sample>, requests: number): number => {
  const warm = samples.filter(({ completed: done }) => done * 10 > requests).map(({ resident }) => resident)
  const third = Math.floor(warm.length / 3)
  return third === 0 ? Number.NaN : mean(warm.slice(-third)) / mean(warm.slice(0, third)) - 1
}

/** Whether a process that has come to rest holds more files than before it was asked. */
export const leaksFiles = (before: ResourceUsage, after: ResourceUsage): boolean =>
  after.files > before.files + spareFiles
