/** Questions of a soak, and that the service which fails answers them by the same rule. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { forked } from "../../src/Child.ts"
import { connect, get } from "../../src/Connection.ts"
import { check } from "../../src/soak/Check.ts"
import { list, pageNumber, pick, popularNumber, question, templates } from "../../src/soak/Question.ts"

/** Asks all of them at a service of which a part fails. */
const asking = (numbers: ReadonlyArray<number>, faults: number) =>
  Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const { ask, port } = yield* forked("faulty", { templates, faults })
    const outcomes = yield* Effect.forEach(numbers, (number) =>
      Effect.promise(async () => {
        try {
          const connection = await connect(port)
          const answer = await connection.ask(get(question(number).target))
          connection.hangUp()
          return check(question(number), answer).is
        } catch {
          return "broken"
        }
      }), { concurrency: 16 })
    return { outcomes, asked: yield* ask }
  })))

const first = Array.from({ length: 300 }, (_, number) => number)

it("the service gives the right answer to every question, of every kind", async () => {
  const { asked, outcomes } = await asking(first, 0)
  expect(asked).toBe(300)
  expect(new Set(outcomes)).toEqual(new Set(["right"]))
})

it("a service that always fails gives a right answer only where it is late", async () => {
  const { outcomes } = await asking(first, 1)
  const count = (kind: string) => outcomes.filter((outcome) => outcome === kind).length
  // Each kind is a fifth of the faults at least, but for the twentieth that is late.
  expect(count("right")).toBeLessThan(60)
  for (const kind of ["broken", "wrong", "passed on"]) expect(count(kind)).toBeGreaterThan(30)
})

it("no two questions have the same answer", () => {
  expect(new Set(first.map((number) => question(number).target)).size).toBe(300)
  expect(new Set(first.map((number) => question(number).answer())).size).toBe(300)
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
  const once = [pick(0, 0, 0), pick(0.04, 0, 1), pick(0, 0.5, 2)]
  expect(new Set([...once, pick(0.5, 1 - 2 ** -53, 3)]).size).toBe(4)
  expect(pick(0.5, 0, 4)).toBe(pick(0.9, 0, 5))
})

it("every number leads to a question that is answered with a page", () => {
  const answers = first.map((number) => question(pageNumber(number)).answer())
  expect(Math.min(...answers.map((answer) => answer.length))).toBeGreaterThan(1024)
})

it("the service has the pages of a whole list", async () => {
  const { pages, target } = list(5)
  const path = target.replace("/all/", "/")
  const bodies = await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const { port } = yield* forked("faulty", { templates, faults: 0 })
    const connection = yield* Effect.promise(() => connect(port))
    return yield* Effect.forEach(
      ["", "&cursor=second", "&cursor=third"],
      (more) =>
        Effect.map(Effect.promise(() => connection.ask(get(`${path}${more}`))), ({ body }) => body.toString())
    )
  })))
  for (const [index, { cursor, records }] of pages().entries()) {
    expect(bodies[index]).toContain(`"result":[${records.join(",")}]`)
    expect(bodies[index]).toContain(`"cursor":${JSON.stringify(cursor ?? null)}`)
  }
  const all = pages().flatMap(({ records }) => records)
  expect([pages().length, new Set(all).size]).toEqual([3, all.length])
})
