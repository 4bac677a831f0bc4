/** The heap that keeps the largest, and never more of them than it may. */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { BoundedHeap } from "../../../src/internal/pagination/BoundedHeap.ts"

const smaller = (a: number, b: number) => a < b

describe("a heap", () => {
  it("keeps at every moment the largest of what it was offered so far, and no more", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.integer({ min: -9, max: 9 })),
        FastCheck.nat(12),
        (values, most) => {
          const heap = new BoundedHeap(smaller, most)
          for (const [index, value] of values.entries()) {
            heap.offer(value)
            const sofar = values.slice(0, index + 1).toSorted((a, b) => b - a)
            expect(heap.drain()).toEqual(sofar.slice(0, most))
          }
        }
      )
    )
  })

  it("compares a value that is too small once, so that a long walk is cheap", () => {
    let compared = 0
    const heap = new BoundedHeap((a: number, b: number) => {
      compared += 1
      return a < b
    }, 100)
    for (let value = 1000; value > 900; value--) heap.offer(value)
    compared = 0
    for (let value = 0; value < 500; value++) heap.offer(value)
    expect(compared).toBe(500)
  })
})
