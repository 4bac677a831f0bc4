/**
 * How long things took, in so few numbers that one can be kept for every few seconds: counts in buckets whose bounds
 * grow by a fixed factor, so that every quantile is known to within a tenth of itself.
 */

/** Buckets for each doubling of the time. */
const perDoubling = 4

/** The upper bound of the lowest bucket, in milliseconds. */
const lowest = 0.1

/** The highest bucket starts at about three minutes, and takes everything above. */
const size = perDoubling * 21 + 1

/** Counts by bucket. */
export type Histogram = Uint32Array

export const make = (): Histogram => new Uint32Array(size)

const bucketOf = (millis: number): number =>
  millis > lowest ? Math.min(size - 1, Math.ceil(Math.log2(millis / lowest) * perDoubling)) : 0

export const add = (histogram: Histogram, millis: number): void => {
  const bucket = bucketOf(millis)
  histogram[bucket] = (histogram[bucket] ?? 0) + 1
}

/** Milliseconds: the middle of a bucket stands for all that is in it. */
const middle = (bucket: number): number => lowest * 2 ** ((bucket - 0.5) / perDoubling)

/** The time that so large a part of them took at most; null where there was nothing. */
export const quantile = (histogram: Histogram, part: number): number | null => {
  const total = histogram.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const rank = Math.max(1, Math.ceil(part * total))
  let seen = 0
  const bucket = histogram.findIndex((count) => (seen += count) >= rank)
  return Math.round(middle(bucket) * 1000) / 1000
}
