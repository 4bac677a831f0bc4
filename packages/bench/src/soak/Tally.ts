/** What became of the requests of a soak, counted. */
import type { Outcome } from "./Check.ts"

export interface Tally {
  /** Requests that are over. */
  done: number
  /** Right answers, by what the proxy said of its cache. */
  readonly right: Map<string, number>
  /** Right answers, by the form that they came in. */
  readonly forms: Map<string, number>
  /** Failures by status and code. */
  readonly failures: Map<string, number>
  /** Requests whose client went away. */
  hungUp: number
  wrong: number
  /** The first few wrong answers. */
  readonly problems: Array<string>
}

export const make = (): Tally => ({
  done: 0,
  right: new Map(),
  forms: new Map(),
  failures: new Map(),
  hungUp: 0,
  wrong: 0,
  problems: []
})

const shown = 5

export const add = (tally: Tally, outcome: Outcome): void => {
  switch (outcome.is) {
    case "right":
      count(tally.right, outcome.cache)
      return count(tally.forms, outcome.form)
    case "failed":
    case "passed on":
      return count(tally.failures, outcome.name)
    case "wrong":
      tally.wrong += 1
      if (tally.problems.length < shown) tally.problems.push(outcome.problem)
  }
}

const count = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
