/** Formats the results of comparisons. */
import type { Comparison, SubjectResult } from "./Comparison.ts"

const formatCount = (value: number): string => Math.round(value).toLocaleString("en")

const perSecond = 1_000_000

/** Formats a title and a table. Rates are per second of CPU time. */
export const formatTable = (comparison: Comparison, results: ReadonlyArray<SubjectResult>): string => {
  const columns: ReadonlyArray<readonly [name: string, cell: (result: SubjectResult) => string]> = [
    ["× baseline", ({ ratio }) => ratio.toFixed(2)],
    [`µs/${comparison.unit}`, ({ cpu }) => cpu.toFixed(1)],
    [`${comparison.unit}s/s`, ({ cpu }) => formatCount(perSecond / cpu)],
    // For one record per iteration the rate is already in the table
    ...(comparison.records === 1
      ? []
      : [[
        "records/s",
        ({ cpu }: SubjectResult) => formatCount(comparison.records * perSecond / cpu)
      ]] as const),
    ...(comparison.showsWallTime === true
      ? [["wall µs", ({ wall }: SubjectResult) => wall.toFixed(1)]] as const
      : [])
  ]
  const lines = [
    [comparison.title, ...columns.map(([name]) => name)],
    ...results.map((result) => [`  ${result.name}`, ...columns.map(([, cell]) => cell(result))])
  ]
  const skipped = (comparison.skipped ?? []).map(({ name, reason }) => [`  ${name}`, reason] as const)
  const first = Math.max(...[...lines, ...skipped].map(([name]) => name?.length ?? 0))
  const widths = columns.map((_, column) => Math.max(...lines.map((cells) => cells[column + 1]?.length ?? 0)))
  return [
    ...lines.map(([name = "", ...cells]) =>
      [name.padEnd(first), ...cells.map((cell, column) => cell.padStart(widths[column] ?? 0))].join("  ")
    ),
    ...skipped.map(([name, reason]) => `${name.padEnd(first)}  ${reason}`)
  ].join("\n")
}
