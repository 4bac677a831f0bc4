import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { toRows } from "../src/Report.ts"

it("a row has the costs of its subject and of the baseline, and the target", () => {
  const comparison = {
    title: "a page",
    unit: "page",
    records: 100,
    baseline: { name: "limit", batch: Effect.succeed },
    blockquarry: []
  }
  const results = [
    { name: "limit", baseline: "limit", baselineCost: 20, cost: 20, wall: 25, ratio: 1 },
    {
      name: "ours",
      baseline: "limit",
      baselineCost: 20,
      cost: 50,
      wall: 60,
      ratio: 2.5,
      target: { ratio: 2 }
    }
  ]
  expect(toRows("pages", comparison, results)).toMatchObject([
    { subject: "limit", cost: 20, target: null, meetsTarget: null },
    {
      benchmark: "pages",
      comparison: "a page",
      subject: "ours",
      baseline: "limit",
      baselineCost: 20,
      cost: 50,
      costUnit: "µs of CPU time",
      per: "page",
      ratio: 2.5,
      recordsPerSecond: 2_000_000,
      target: { ratio: 2 },
      meetsTarget: false
    }
  ])
})
