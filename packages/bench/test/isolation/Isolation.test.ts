/** A short isolation benchmark of the bundled proxy. Latencies are not checked. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { sample } from "../../../core/test/support/sample.ts"
import { type IsolationResult, runIsolation } from "../../src/isolation/Isolation.ts"
import { misbehaviors } from "../../src/isolation/Misbehavior.ts"

it("measures two clients, undisturbed and while a third behaves badly", async () => {
  const results: Array<IsolationResult> = []
  const names = sample(["hanging upstream", "reconnect storm"], 2)
  const selected = misbehaviors.filter(({ name }) => names.includes(name))
  await Effect.runPromise(
    runIsolation(20, (result) => Effect.sync(() => void results.push(result)), selected, 0)
  )
  expect(results.map(({ cached, name, uncached }) => [name, cached.failures, uncached.failures]))
    .toEqual([{ name: "undisturbed" }, ...selected].map(({ name }) => [name, 0, 0]))
  for (const { cached, uncached } of results) {
    for (const { p50, p99 } of [cached, uncached]) expect(p99).toBeGreaterThanOrEqual(p50)
  }
})
