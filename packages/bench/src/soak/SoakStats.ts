/** Counts the results of a soak test. */
import type { CheckResult } from "./CheckResponse.ts"

export interface SoakStats {
  /** Completed requests. */
  completed: number
  /** Correct responses by cache result. */
  readonly correct: Map<string, number>
  /** Correct responses by kind. */
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
    case "proxy-error":
    case "upstream-error":
      return increment(stats.failures, result.name)
    case "incorrect":
      stats.incorrect += 1
      if (stats.problems.length < maxReported) stats.problems.push(result.reason)
  }
}

const increment = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
