/** Results as data, for `bench --json`. */
import type { Comparison, SubjectResult } from "./Comparison.ts"
import { meetsTarget } from "./Table.ts"

/** Returns one row for each subject. */
export const toRows = (benchmark: string, comparison: Comparison, results: ReadonlyArray<SubjectResult>) =>
  results.map((result) => ({
    benchmark,
    comparison: comparison.title,
    subject: result.name,
    baseline: result.baseline,
    costUnit: comparison.costUnit ?? "µs of CPU time",
    per: comparison.unit,
    baselineCost: result.baselineCost,
    cost: result.cost,
    wallMicroseconds: result.wall,
    ratio: result.ratio,
    recordsPerSecond: comparison.costUnit === undefined ? comparison.records * 1_000_000 / result.cost : null,
    target: result.target ?? null,
    meetsTarget: meetsTarget(result)
  }))
