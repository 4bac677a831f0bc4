/** Results as tables and as data. */
import type { Comparison, SubjectResult } from "./Comparison.ts"

const formatCount = (value: number): string => Math.round(value).toLocaleString("en")

const perSecond = 1_000_000

/** Whether a result is within its target. Null if it has none. */
export const meetsTarget = ({ cost, ratio, target }: SubjectResult): boolean | null =>
  target === undefined ? null : cost <= (target.cost ?? Infinity) && ratio <= (target.ratio ?? Infinity)

const formatTarget = (result: SubjectResult): string => {
  if (result.target === undefined) return ""
  const { cost, ratio } = result.target
  const bounds = [ratio?.toFixed(2) ?? [], cost === undefined ? [] : formatCount(cost)].flat()
  return `≤ ${bounds.join(", ")} ${meetsTarget(result) === true ? "met" : "missed"}`
}

type Column = readonly [name: string, cell: (result: SubjectResult) => string]

/** Formats a title and a table. Rates are per second of CPU time. */
export const formatTable = (comparison: Comparison, results: ReadonlyArray<SubjectResult>): string => {
  const { costUnit, records, title, unit } = comparison
  const rateOf = (count: number): Column["1"] => ({ cost }) => formatCount(count * perSecond / cost)
  const costs: ReadonlyArray<Column> = costUnit === undefined
    ? [[`µs/${unit}`, ({ cost }) => cost.toFixed(1)], [`${unit}s/s`, rateOf(1)]]
    : [[`${costUnit}/${unit}`, ({ cost }) => formatCount(cost)]]
  const recordRates: ReadonlyArray<Column> = records === 1 ? [] : [["records/s", rateOf(records)]]
  const targets: ReadonlyArray<Column> = results.some(({ target }) => target !== undefined)
    ? [["target", formatTarget]]
    : []
  const columns = [
    ["× baseline", ({ ratio }) => ratio.toFixed(2)] satisfies Column,
    ...costs,
    ...recordRates,
    ["wall µs", ({ wall }) => wall.toFixed(1)] satisfies Column,
    ...targets
  ]
  const lines = [
    [title, ...columns.map(([name]) => name)],
    ...results.map((result) => [`  ${result.name}`, ...columns.map(([, cell]) => cell(result))])
  ]
  const widths =
    lines[0]?.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0))) ?? []
  return lines.map((cells) =>
    cells.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
    ).join("  ")
  ).join("\n")
}

/** Returns one row for each subject, for `bench --json`. */
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
    recordsPerSecond: comparison.costUnit === undefined ? comparison.records * perSecond / result.cost : null,
    target: result.target ?? null,
    meetsTarget: meetsTarget(result)
  }))
