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

/** Formats a title and a table. Rates are per second of CPU time. */
export const formatTable = (
  { records, title, unit }: Comparison,
  results: ReadonlyArray<SubjectResult>
): string => {
  const lines = [
    [title, "× baseline", `µs/${unit}`, `${unit}s/s`, "records/s", "target"],
    ...results.map((result) => [
      `  ${result.name}`,
      result.ratio.toFixed(2),
      result.cost.toFixed(1),
      formatCount(perSecond / result.cost),
      formatCount(records * perSecond / result.cost),
      formatTarget(result)
    ])
  ]
  const widths =
    lines[0]?.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0))) ?? []
  return lines.map((cells) =>
    cells.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
    ).join("  ").trimEnd()
  ).join("\n")
}

/** Returns one row for each subject, for `bench --json`. Costs are CPU time in microseconds. */
export const toRows = (
  benchmark: string,
  { title, unit }: Comparison,
  results: ReadonlyArray<SubjectResult>
) =>
  results.map((result) => ({
    benchmark,
    comparison: title,
    unit,
    ...result,
    meetsTarget: meetsTarget(result)
  }))
