/** Tests the heap that keeps the largest values. */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { BoundedHeap } from "../../../src/internal/pagination/BoundedHeap.ts"

const smaller = (a: number, b: number) => a < b

describe("BoundedHeap", () => {
  it("keeps the largest values offered so far, up to its capacity", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.integer({ min: -9, max: 9 })),
        FastCheck.nat(12),
        (values, capacity) => {
          const heap = new BoundedHeap(smaller, capacity)
          for (const [index, value] of values.entries()) {
            heap.offer(value)
            const offered = values.slice(0, index + 1).toSorted((a, b) => b - a)
            expect(heap.drain()).toEqual(offered.slice(0, capacity))
          }
        }
      )
    )
  })

  it("compares a value that is too small only once", () => {
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
