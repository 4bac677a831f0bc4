/**
 * How long things took, in so few numbers that one can be kept for every few seconds: counts in buckets whose bounds
 * grow by a fixed factor, so that every quantile is known to within a tenth of itself.
 */

/** Buckets for each doubling of the time. */
const bucketsPerDoubling = 4

/** The upper bound of the lowest bucket, in milliseconds. */
const lowestBoundMs = 0.1

/** The highest bucket starts at about three minutes, and takes everything above. */
const bucketCount = bucketsPerDoubling * 21 + 1

/** Counts by bucket. */
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

/** Milliseconds: the middle of a bucket stands for all that is in it. */
const bucketMidpoint = (bucket: number): number => lowestBoundMs * 2 ** ((bucket - 0.5) / bucketsPerDoubling)

/** The time that so large a part of them took at most; null where there was nothing. */
export const quantile = (histogram: LatencyHistogram, probability: number): number | null => {
  const total = histogram.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const rank = Math.max(1, Math.ceil(probability * total))
  let seen = 0
  const bucket = histogram.findIndex((count) => (seen += count) >= rank)
  return Math.round(bucketMidpoint(bucket) * 1000) / 1000
}
