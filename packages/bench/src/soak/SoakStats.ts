/** What a soak test counts and samples, and detection of leaks. */
import type { ResourceUsage } from "../Processes.ts"
import type { CheckResult } from "./CheckResponse.ts"

/** The results of the requests so far, by kind. */
export interface SoakStats {
  /** Completed requests. */
  completed: number
  /** Correct responses by cache result. */
  readonly correct: Map<string, number>
  /** Correct responses by form. */
  readonly forms: Map<string, number>
  /** Errors by status and code. */
  readonly failures: Map<string, number>
  /** Requests that the client cancelled. */
  disconnected: number
  incorrect: number
  /** The reasons of the first incorrect responses. */
  readonly problems: Array<string>
}

export const makeSoakStats = (): SoakStats => ({
  completed: 0,
  correct: new Map(),
  forms: new Map(),
  failures: new Map(),
  disconnected: 0,
  incorrect: 0,
  problems: []
})

const maxReported = 5

export const recordResult = (stats: SoakStats, result: CheckResult): void => {
  switch (result.verdict) {
    case "correct":
      increment(stats.correct, result.cache)
      return increment(stats.forms, result.form)
    case "error":
      return increment(stats.failures, result.name)
    case "incorrect":
      stats.incorrect += 1
      if (stats.problems.length < maxReported) stats.problems.push(result.reason)
  }
}

const increment = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

/** The resource usage of the proxy after a number of completed requests. */
export interface Sample extends ResourceUsage {
  readonly completed: number
}

/** The allowed growth of memory from the third to the last quarter. */
export const tolerance = 0.1

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

/**
 * Returns the growth of memory from the third to the last quarter of the requests. In the first half the resident memory of a
 * process on Node.js 24 grows by a third, while its live heap stays at 33 to 36 MB.
 */
export const memoryGrowth = (samples: ReadonlyArray<Sample>, requests: number): number => {
  const warm = samples.filter(({ completed }) => completed * 2 > requests).map(({ resident }) => resident)
  const quarter = Math.floor(warm.length / 2)
  return quarter === 0 ? Number.NaN : mean(warm.slice(-quarter)) / mean(warm.slice(0, quarter)) - 1
}

/** Returns whether an idle process has more open files than before the requests. */
export const leaksFiles = (before: ResourceUsage, after: ResourceUsage): boolean =>
  after.files > before.files + spareFiles
