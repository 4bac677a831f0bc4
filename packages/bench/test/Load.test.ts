/** The closed loop, against a service that counts. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { get } from "../src/Connection.ts"
import * as Load from "../src/Load.ts"
import { serve } from "../src/Server.ts"

it("asks as often as it should, and counts right answers alone", async () => {
  const outcome = Effect.gen(function*() {
    const { address, asked } = yield* serve({ "/right": "right", "/wrong": "false" })
    let turn = 0
    const load: Load.Load = {
      port: Number(new URL(address).port),
      connections: 4,
      next: () => get(["/right", "/wrong", "/right?again"][turn++ % 3] ?? ""),
      isRight: ({ body }) => body.toString() === "right"
    }
    const before = yield* asked
    const outcomes = [yield* Load.run(load, 30), yield* Load.run(load, 1)]
    return {
      before,
      right: outcomes.map(({ right }) => right),
      wrong: outcomes.map(({ wrong }) => wrong?.body.toString()),
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
