import { describe, expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { sparkline } from "../../src/chart/Sparkline.ts"

const bars = "▁▂▃▄▅▆▇█"

describe("sparkline", () => {
  it.each([
    ["the minimum as the lowest bar, the maximum as the highest", [1, 2, 3, 8], 10, "▁▂▃█"],
    ["the last values if there are more than fit", [9, 9, 9, 1, 2], 2, "▁█"],
    ["no bars without columns", [1, 2], 0, ""],
    ["equal values at half height", [5, 5, 5], 10, "▅▅▅"],
    ["nothing of no values", [], 10, ""],
    ["a gap for a value that is not finite", [1, Number.NaN, 2, Infinity], 10, "▁ █ "]
  ])("draws %s", (_, values, width, drawn) => {
    expect(sparkline(values, width)).toBe(drawn)
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
