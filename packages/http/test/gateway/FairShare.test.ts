import { describe, expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { FairShare } from "../../src/gateway/FairShare.ts"

const Step = fc.record({
  client: fc.constantFrom("a", "b", "c", "d"),
  amount: fc.integer({ min: 1, max: 40 }),
  release: fc.boolean()
})

describe("FairShare", () => {
  it("gives a client that holds nothing all that is free, and another its share of what others leave", () => {
    const Scenario = fc.record({
      capacity: fc.integer({ min: 0, max: 100 }),
      share: fc.constantFrom(0.05, 0.1, 0.25, 1 / 3, 0.5, 0.9, 1),
      steps: fc.array(Step)
    })
    fc.assert(fc.property(Scenario, ({ capacity, share, steps }) => {
      const pool = new FairShare()
      const expected = new Map<string, number>()
      const total = () => [...expected.values()].reduce((sum, amount) => sum + amount, 0)
      for (const { amount, client, release } of steps) {
        const before = expected.get(client) ?? 0
        if (release) {
          const released = Math.min(amount, before)
          pool.release(client, amount)
          expected.set(client, before - released)
        } else {
          const free = capacity - total()
          const acquired = pool.tryAcquire(client, amount, capacity, share)
          expect(acquired).toBe(
            amount <= free && (before === 0 || before + amount <= share * (free + before))
          )
          if (acquired) expected.set(client, before + amount)
        }
        expect(pool.held(client)).toBe(expected.get(client) ?? 0)
        expect(pool.used).toBe(total())
      }
    }))
  })
})
