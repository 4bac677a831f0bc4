/** Quantiles are accurate to within 10 %. */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as LatencyHistogram from "../../src/admin/LatencyHistogram.ts"

/** Returns the exact quantile: the smallest value that at least this fraction of the values does not exceed. */
const exactQuantile = (values: ReadonlyArray<number>, part: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN
}

describe("a quantile", () => {
  it.prop(
    "is within 10 % of the exact quantile",
    [
      FastCheck.array(FastCheck.double({ min: 0.1, max: 150_000, noNaN: true }), { minLength: 1 }),
      FastCheck.constantFrom(0.5, 0.95, 0.99)
    ],
    ([values, part]) => {
      const histogram = LatencyHistogram.make()
      for (const value of values) LatencyHistogram.add(histogram, value)
      const found = LatencyHistogram.quantile(histogram, part) ?? Number.NaN
      const right = exactQuantile(values, part)
      expect(found).toBeGreaterThanOrEqual(right / 1.1)
      expect(found).toBeLessThanOrEqual(right * 1.1)
    }
  )

  it("is undefined without values", () => {
    expect(LatencyHistogram.quantile(LatencyHistogram.make(), 0.5)).toBe(null)
  })

  it("counts values out of range in the outermost buckets", () => {
    const histogram = LatencyHistogram.make()
    for (const value of [-1, 0, 1e12]) LatencyHistogram.add(histogram, value)
    expect(LatencyHistogram.quantile(histogram, 0.5)).toBeLessThanOrEqual(0.1)
    expect(LatencyHistogram.quantile(histogram, 1)).toBeGreaterThan(180_000)
  })
})
