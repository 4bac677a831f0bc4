import { describe, expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { sparkline } from "../../src/chart/Sparkline.ts"

const bars = "▁▂▃▄▅▆▇█"

describe("sparkline", () => {
  it.each([
    ["the minimum as the lowest bar, the maximum as the highest", [1, 2, 3, 8], "▁▂▃█"],
    ["equal values at half height", [5, 5, 5], "▅▅▅"],
    ["nothing of no values", [], ""]
  ])("draws %s", (_, values, drawn) => {
    expect(sparkline(values, "unicode")).toBe(drawn)
  })

  it("draws one bar per value, and higher bars for higher values", () => {
    fc.assert(fc.property(
      fc.array(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 50 }),
      (values) => {
        const heights = [...sparkline(values, "unicode")].map((bar) => bars.indexOf(bar))
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
