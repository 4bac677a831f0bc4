/** Measures the units that are sent in a window of time. */

export interface SentRequest {
  readonly at: number
  readonly cost: number
}

/** Returns the most units in any window of `window` milliseconds, both ends included. */
export const maxInWindow = (sent: ReadonlyArray<SentRequest>, window: number): number => {
  const sorted = sent.toSorted((a, b) => a.at - b.at)
  let max = 0
  let units = 0
  let oldest = 0
  for (const { at, cost } of sorted) {
    units += cost
    for (let first = sorted[oldest]; first !== undefined && first.at < at - window; first = sorted[oldest]) {
      units -= first.cost
      oldest += 1
    }
    max = Math.max(max, units)
  }
  return max
}
