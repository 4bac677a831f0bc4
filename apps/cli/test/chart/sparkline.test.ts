import { describe, expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { sparkline } from "../../src/chart/Sparkline.ts"

const bars = "▁▂▃▄▅▆▇█"

describe("sparkline", () => {
  it("draws the minimum as the lowest bar and the maximum as the highest", () => {
    expect(sparkline([1, 2, 3, 8], 10)).toBe("▁▂▃█")
    expect(sparkline([8, 1], 10, "ascii")).toBe("@_")
  })

  it("draws the last values if there are more than fit", () => {
    expect(sparkline([9, 9, 9, 1, 2], 2)).toBe("▁█")
    expect(sparkline([1, 2], 0)).toBe("")
  })

  it("draws equal values at half height", () => {
    expect(sparkline([5, 5, 5], 10)).toBe("▅▅▅")
    expect(sparkline([0], 10)).toBe("▅")
    expect(sparkline([], 10)).toBe("")
  })

  it("leaves a gap for a value that is not finite", () => {
    expect(sparkline([1, Number.NaN, 2, Infinity], 10)).toBe("▁ █ ")
  })

  it("draws one bar per value, and higher bars for higher values", () => {
    fc.assert(fc.property(
      fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 50 }),
      (values) => {
        const heights = [...sparkline(values, values.length)].map((bar) => bars.indexOf(bar))
        expect(heights).toHaveLength(values.length)
        for (const [i, a] of values.entries()) {
          expect(heights[i]).toBeGreaterThanOrEqual(0)
          for (const [j, b] of values.entries()) {
            if (a < b) expect(heights[i]).toBeLessThanOrEqual(heights[j] ?? -1)
          }
        }
      }
    ))
  })
})
