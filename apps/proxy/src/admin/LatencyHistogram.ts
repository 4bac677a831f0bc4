/**
 * A latency histogram that is small enough to store one per time series slot. Bucket bounds grow by a constant factor, so
 * the relative error of a quantile is at most 10 %.
 */

const bucketsPerDoubling = 4

/** Upper bound of the lowest bucket, in milliseconds. */
const lowestBoundMs = 0.1

/** The highest bucket starts at about 3 min and has no upper bound. */
const bucketCount = bucketsPerDoubling * 21 + 1

export type LatencyHistogram = Uint32Array

export const make = (): LatencyHistogram => new Uint32Array(bucketCount)

const bucketOf = (millis: number): number =>
  millis > lowestBoundMs
    ? Math.min(bucketCount - 1, Math.ceil(Math.log2(millis / lowestBoundMs) * bucketsPerDoubling))
    : 0

export const add = (histogram: LatencyHistogram, millis: number): void => {
  const bucket = bucketOf(millis)
  histogram[bucket] = (histogram[bucket] ?? 0) + 1
}

const bucketMidpoint = (bucket: number): number => lowestBoundMs * 2 ** ((bucket - 0.5) / bucketsPerDoubling)

/** Returns a quantile in milliseconds, or `null` if the histogram is empty. */
export const quantile = (histogram: LatencyHistogram, probability: number): number | null => {
  const total = histogram.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const rank = Math.max(1, Math.ceil(probability * total))
  let seen = 0
  const bucket = histogram.findIndex((count) => (seen += count) >= rank)
  return Math.round(bucketMidpoint(bucket) * 1000) / 1000
}
