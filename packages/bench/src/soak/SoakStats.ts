/** What became of the requests of a soak, counted. */
import type { CheckResult } from "./CheckResponse.ts"

export interface SoakStats {
  /** Requests that are over. */
  completed: number
  /** Right answers, by what the proxy said of its cache. */
  readonly correct: Map<string, number>
  /** Right answers, by the form that they came in. */
  readonly forms: Map<string, number>
  /** Failures by status and code. */
  readonly failures: Map<string, number>
  /** Requests whose client went away. */
  disconnected: number
  incorrect: number
  /** The first few wrong answers. */
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
      if (stats.problems.length < maxReported) stats.problems.push(result.problem)
  }
}

const increment = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
