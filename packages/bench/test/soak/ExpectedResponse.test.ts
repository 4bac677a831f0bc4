/** The requests of a soak test, and that the faulty upstream returns the expected responses. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { forkProgram } from "../../src/ChildProgram.ts"
import { formatGet, openConnection } from "../../src/Connection.ts"
import { checkResponse } from "../../src/soak/CheckResponse.ts"
import {
  expectedList,
  expectedResponse,
  numberWithPage,
  pickNumber,
  popularNumber,
  templates
} from "../../src/soak/ExpectedResponse.ts"

/** Sends all requests to an upstream with a ratio of faults. */
const requestAll = (numbers: ReadonlyArray<number>, faults: number) =>
  Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const { sendMessage, port } = yield* forkProgram("faultyServer", { templates, faults })
    const outcomes = yield* Effect.forEach(numbers, (number) =>
      Effect.promise(async () => {
        try {
          const connection = await openConnection(port)
          const response = await connection.send(formatGet(expectedResponse(number).target))
          connection.close()
          return checkResponse(expectedResponse(number), response).verdict
        } catch {
          return "network-error"
        }
      }), { concurrency: 16 })
    return { outcomes, requestCount: yield* sendMessage }
  })))

const first = Array.from({ length: 300 }, (_, number) => number)

it("the upstream returns the expected response to every request", async () => {
  const { outcomes, requestCount } = await requestAll(first, 0)
  expect(requestCount).toBe(300)
  expect(new Set(outcomes)).toEqual(new Set(["correct"]))
})

it("an upstream that always fails returns expected responses only with a delay", async () => {
  const { outcomes } = await requestAll(first, 1)
  const count = (kind: string) => outcomes.filter((outcome) => outcome === kind).length
  // Each kind is at least 20 % of the faults, except delays (5 %)
  expect(count("correct")).toBeLessThan(60)
  for (const kind of ["network-error", "incorrect", "upstream-error"]) expect(count(kind)).toBeGreaterThan(30)
})

it("responses of different requests differ", () => {
  expect(new Set(first.map((number) => expectedResponse(number).target)).size).toBe(300)
  expect(new Set(first.map((number) => expectedResponse(number).body())).size).toBe(300)
})

it("the first request is twice as frequent as the second, and all occur", () => {
  const counts = new Map<number, number>()
  for (let index = 0; index < 100_000; index++) {
    const number = popularNumber(index / 100_000)
    counts.set(number, (counts.get(number) ?? 0) + 1)
  }
  expect(counts.size).toBe(3000)
  expect((counts.get(0) ?? 0) / (counts.get(1) ?? 1)).toBeCloseTo(2, 1)
  expect(popularNumber(0)).toBe(0)
  expect(popularNumber(1 - 2 ** -53)).toBe(2999)
})

it("some requests are unique", () => {
  const once = [pickNumber(0, 0, 0), pickNumber(0.04, 0, 1), pickNumber(0, 0.5, 2)]
  expect(new Set([...once, pickNumber(0.5, 1 - 2 ** -53, 3)]).size).toBe(4)
  expect(pickNumber(0.5, 0, 4)).toBe(pickNumber(0.9, 0, 5))
})

it("numberWithPage returns requests for pages", () => {
  const bodies = first.map((number) => expectedResponse(numberWithPage(number)).body())
  expect(Math.min(...bodies.map((body) => body.length))).toBeGreaterThan(1024)
})

it("the upstream returns the pages of a streamed list", async () => {
  const { pages, target } = expectedList(5)
  const path = target.replace("/all/", "/")
  const bodies = await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const { port } = yield* forkProgram("faultyServer", { templates, faults: 0 })
    const connection = yield* Effect.promise(() => openConnection(port))
    return yield* Effect.forEach(
      ["", "&cursor=second", "&cursor=third"],
      (cursorQuery) =>
        Effect.map(
          Effect.promise(() => connection.send(formatGet(`${path}${cursorQuery}`))),
          ({ body }) => body.toString()
        )
    )
  })))
  for (const [index, { cursor, records }] of pages().entries()) {
    expect(bodies[index]).toContain(`"result":[${records.join(",")}]`)
    expect(bodies[index]).toContain(`"cursor":${JSON.stringify(cursor ?? null)}`)
  }
  const all = pages().flatMap(({ records }) => records)
  expect([pages().length, new Set(all).size]).toEqual([3, all.length])
})
