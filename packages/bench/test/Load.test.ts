import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { formatGet } from "../src/Connection.ts"
import * as Load from "../src/Load.ts"
import { startStubServer } from "../src/StubServer.ts"

it("sends the given number of requests and counts correct responses", async () => {
  const program = Effect.gen(function*() {
    const { baseUrl, requestCount } = yield* startStubServer({
      "/correct": "expected",
      "/incorrect": "other"
    })
    let count = 0
    const load: Load.LoadOptions = {
      port: Number(new URL(baseUrl).port),
      connections: 4,
      next: () => formatGet(["/correct", "/incorrect", "/correct?again"][count++ % 3] ?? ""),
      isCorrect: ({ body }) => body.toString() === "expected"
    }
    const before = yield* requestCount
    const results = [yield* Load.run(load, 30), yield* Load.run(load, 1)]
    return {
      before,
      correct: results.map(({ correct }) => correct),
      incorrect: results.map(({ incorrect }) => incorrect?.body.toString()),
      after: yield* requestCount
    }
  })
  expect(await Effect.runPromise(Effect.scoped(program))).toEqual({
    before: 0,
    correct: [20, 1],
    incorrect: ["other", undefined],
    after: 31
  })
})
