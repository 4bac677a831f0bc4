import { describe, expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { FairShare } from "../src/FairShare.ts"

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

  it("leaves room for a client that holds nothing, while ten others take as much as they may", () => {
    const Busy = fc.record({
      clients: fc.integer({ min: 1, max: 10 }),
      order: fc.array(fc.nat(1000), { minLength: 500, maxLength: 2000 })
    })
    fc.assert(fc.property(Busy, ({ clients, order }) => {
      const pool = new FairShare()
      for (const pick of order) pool.tryAcquire(`client ${pick % clients}`, 1, 1000, 0.25)
      expect(pool.tryAcquire("newcomer", 1, 1000, 0.25)).toBe(true)
    }))
  })

  it.each([
    { capacity: 64, share: 0.25, alone: 16 },
    { capacity: 100, share: 0.1, alone: 10 },
    { capacity: 512, share: 0.25, alone: 128 },
    { capacity: 2, share: 0.25, alone: 1 },
    { capacity: 64, share: 1, alone: 64 },
    { capacity: 0, share: 1, alone: 0 }
  ])("gives $alone of $capacity to a client alone with a share of $share", ({ alone, capacity, share }) => {
    const pool = new FairShare()
    let acquired = 0
    while (pool.tryAcquire("only", 1, capacity, share)) acquired += 1
    expect(acquired).toBe(alone)
  })

  it("lends idle capacity to a client alone, which returns it as it releases while others are busy", () => {
    const pool = new FairShare()
    const takeAll = (client: string) => {
      while (pool.tryAcquire(client, 1, 64, 0.9));
      return pool.held(client)
    }
    // The reserve is for the second client at once.
    expect([takeAll("first"), takeAll("second")]).toEqual([57, 6])
    for (let released = 0; released < 57; released += 1) {
      pool.release("first", 1)
      for (const client of ["first", "second"]) pool.tryAcquire(client, 1, 64, 0.9)
    }
    expect(["first", "second"].map((client) => pool.held(client))).toEqual([33, 27])
  })
})
