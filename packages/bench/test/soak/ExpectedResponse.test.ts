/** Questions of a soak, and that the service which fails answers them by the same rule. */
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

/** Asks all of them at a service of which a part fails. */
const requestAll = (numbers: ReadonlyArray<number>, faults: number) =>
  Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const { sendMessage: ask, port } = yield* forkProgram("faultyServer", { templates, faults })
    const outcomes = yield* Effect.forEach(numbers, (number) =>
      Effect.promise(async () => {
        try {
          const connection = await openConnection(port)
          const answer = await connection.send(formatGet(expectedResponse(number).target))
          connection.close()
          return checkResponse(expectedResponse(number), answer).verdict
        } catch {
          return "broken"
        }
      }), { concurrency: 16 })
    return { outcomes, asked: yield* ask }
  })))

const first = Array.from({ length: 300 }, (_, number) => number)

it("the service gives the right answer to every question, of every kind", async () => {
  const { asked, outcomes } = await requestAll(first, 0)
  expect(asked).toBe(300)
  expect(new Set(outcomes)).toEqual(new Set(["correct"]))
})

it("a service that always fails gives a right answer only where it is late", async () => {
  const { outcomes } = await requestAll(first, 1)
  const count = (kind: string) => outcomes.filter((outcome) => outcome === kind).length
  // Each kind is a fifth of the faults at least, but for the twentieth that is late.
  expect(count("correct")).toBeLessThan(60)
  for (const kind of ["broken", "incorrect", "upstream-error"]) expect(count(kind)).toBeGreaterThan(30)
})

it("no two questions have the same answer", () => {
  expect(new Set(first.map((number) => expectedResponse(number).target)).size).toBe(300)
  expect(new Set(first.map((number) => expectedResponse(number).body())).size).toBe(300)
})

it("the first question comes twice as often as the second, and the last one comes too", () => {
  const counts = new Map<number, number>()
  for (let part = 0; part < 100_000; part++) {
    const number = popularNumber(part / 100_000)
    counts.set(number, (counts.get(number) ?? 0) + 1)
  }
  expect(counts.size).toBe(3000)
  expect((counts.get(0) ?? 0) / (counts.get(1) ?? 1)).toBeCloseTo(2, 1)
  expect(popularNumber(0)).toBe(0)
  expect(popularNumber(1 - 2 ** -53)).toBe(2999)
})

it("some questions are asked once", () => {
  const once = [pickNumber(0, 0, 0), pickNumber(0.04, 0, 1), pickNumber(0, 0.5, 2)]
  expect(new Set([...once, pickNumber(0.5, 1 - 2 ** -53, 3)]).size).toBe(4)
  expect(pickNumber(0.5, 0, 4)).toBe(pickNumber(0.9, 0, 5))
})

it("every number leads to a question that is answered with a page", () => {
  const answers = first.map((number) => expectedResponse(numberWithPage(number)).body())
  expect(Math.min(...answers.map((answer) => answer.length))).toBeGreaterThan(1024)
})

it("the service has the pages of a whole list", async () => {
  const { pages, target } = expectedList(5)
  const path = target.replace("/all/", "/")
  const bodies = await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const { port } = yield* forkProgram("faultyServer", { templates, faults: 0 })
    const connection = yield* Effect.promise(() => openConnection(port))
    return yield* Effect.forEach(
      ["", "&cursor=second", "&cursor=third"],
      (more) =>
        Effect.map(
          Effect.promise(() => connection.send(formatGet(`${path}${more}`))),
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
