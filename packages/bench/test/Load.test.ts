/** The closed loop, against a service that counts. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { formatGet } from "../src/Connection.ts"
import * as Load from "../src/Load.ts"
import { startStubServer } from "../src/StubServer.ts"

it("asks as often as it should, and counts right answers alone", async () => {
  const outcome = Effect.gen(function*() {
    const { baseUrl: address, requestCount: asked } = yield* startStubServer({
      "/right": "right",
      "/wrong": "false"
    })
    let turn = 0
    const load: Load.LoadOptions = {
      port: Number(new URL(address).port),
      connections: 4,
      next: () => formatGet(["/right", "/wrong", "/right?again"][turn++ % 3] ?? ""),
      isCorrect: ({ body }) => body.toString() === "right"
    }
    const before = yield* asked
    const outcomes = [yield* Load.run(load, 30), yield* Load.run(load, 1)]
    return {
      before,
      right: outcomes.map(({ correct: right }) => right),
      wrong: outcomes.map(({ incorrect: wrong }) => wrong?.body.toString()),
      after: yield* asked
    }
  })
  expect(await Effect.runPromise(Effect.scoped(outcome))).toEqual({
    before: 0,
    right: [20, 1],
    wrong: ["false", undefined],
    after: 31
  })
})
