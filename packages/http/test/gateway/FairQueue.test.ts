/** Tests the shares of clients. The laws of admission show that no item is lost, and the order within a client. */
import type { CallClient } from "@blockquarry/http/gateway/CallContext"
import { FairQueue, type QueuedItem } from "@blockquarry/http/gateway/FairQueue"
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"

const client = (name: string, weight = 1): CallClient => ({ name, weight, share: 1 })

const always = () => true

const weights = FastCheck.array(FastCheck.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 5 })

const maxItemCost = 10

/** Serves the next eligible item. */
const serveNext = (
  queue: FairQueue<QueuedItem>,
  isEligible: (item: QueuedItem) => boolean = always
): QueuedItem | undefined => {
  const item = queue.next(isEligible)
  if (item !== undefined) queue.serve(item)
  return item
}

/** Creates a queue in which each client has `length` items. The order of arrival and the costs are random. */
const filledQueue = (weights: ReadonlyArray<number>, length: number, random: () => number) => {
  const queue = new FairQueue<QueuedItem>()
  const items = weights.flatMap((weight, index) =>
    Array.from({ length }, (): QueuedItem => ({
      client: client(`${index}`, weight),
      cost: 1 + Math.floor(random() * maxItemCost),
      arrival: random()
    }))
  ).toSorted((a, b) => a.arrival - b.arrival)
  for (const item of items) queue.add(item)
  return queue
}

/** Returns numbers from 0 to 1 from a seed. */
const randomFrom = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Returns the largest difference between two clients in what they were served per weight. */
const unfairness = (served: ReadonlyArray<number>, weights: ReadonlyArray<number>): number => {
  const perWeight = served.map((cost, index) => cost / (weights[index] ?? 1))
  return Math.max(...perWeight) - Math.min(...perWeight)
}

describe("FairQueue", () => {
  it("serves waiting clients in proportion to their weights, up to the cost of one item each, and gives nothing for a time away", () => {
    const away = FastCheck.constantFrom("never", "absent", "not eligible")
    FastCheck.assert(FastCheck.property(weights, FastCheck.nat(), away, (weights, seed, away) => {
      const random = randomFrom(seed)
      const queue = filledQueue(weights, 80, random)
      const clients = weights.map((weight, index) => client(`${index}`, weight))
      if (away !== "never") {
        const late = client(`${weights.length}`, 2)
        const add = () => {
          for (let count = 0; count < 80; count += 1) queue.add({ client: late, cost: 5, arrival: random() })
        }
        if (away === "not eligible") add()
        for (let count = 0; count < 100; count += 1) serveNext(queue, (item) => item.client !== late)
        if (away === "absent") add()
        clients.push(late)
      }
      const served = clients.map(() => 0)
      const allWeights = clients.map(({ weight }) => weight)
      while (clients.every((each) => queue.sizeOf(each) > 0)) {
        const item = serveNext(queue)
        const index = Number(item?.client.name)
        served[index] = (served[index] ?? 0) + (item?.cost ?? 0)
        expect(unfairness(served, allWeights)).toBeLessThanOrEqual(2 * maxItemCost / Math.min(...allWeights))
      }
    }))
  })

  it("estimates the cost until an item is served, up to the cost of one item of each client", () => {
    FastCheck.assert(
      FastCheck.property(
        weights,
        FastCheck.nat(),
        FastCheck.nat(100),
        FastCheck.integer({ min: 1, max: maxItemCost }),
        (weights, seed, servedBefore, cost) => {
          const queue = filledQueue(weights, 30, randomFrom(seed))
          for (let count = 0; count < servedBefore; count += 1) serveNext(queue)
          const last: QueuedItem = { client: client("0", weights[0]), cost, arrival: 2 }
          const estimate = queue.costUntilServed(last)
          queue.add(last)
          let actual = 0
          for (let item = serveNext(queue); item !== undefined; item = serveNext(queue)) {
            actual += item.cost
            if (item === last) break
          }
          const totalWeight = weights.reduce((sum, weight) => sum + weight, 0)
          const tolerance = 2 * maxItemCost * (weights.length + totalWeight / (weights[0] ?? 1))
          expect(Math.abs(actual - estimate)).toBeLessThanOrEqual(tolerance)
        }
      )
    )
  })
})
