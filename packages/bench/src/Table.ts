/** What a race came to, as text. */
import type { Comparison, SubjectResult } from "./Comparison.ts"

const formatCount = (value: number): string => Math.round(value).toLocaleString("en")

const perSecond = 1_000_000

/** A title and a table; rates are per second of CPU time. */
export const formatTable = (comparison: Comparison, results: ReadonlyArray<SubjectResult>): string => {
  const columns: ReadonlyArray<readonly [name: string, cell: (result: SubjectResult) => string]> = [
    ["× limit", ({ ratio }) => ratio.toFixed(2)],
    [`µs/${comparison.unit}`, ({ cpu }) => cpu.toFixed(1)],
    [`${comparison.unit}s/s`, ({ cpu }) => formatCount(perSecond / cpu)],
    // Where a unit is a record, its rate is said already.
    ...(comparison.records === 1
      ? []
      : [[
        "records/s",
        ({ cpu }: SubjectResult) => formatCount(comparison.records * perSecond / cpu)
      ]] as const),
    ...(comparison.showsWallTime === true
      ? [["µs on the wall", ({ wall }: SubjectResult) => wall.toFixed(1)]] as const
      : [])
  ]
  const lines = [
    [comparison.title, ...columns.map(([name]) => name)],
    ...results.map((result) => [`  ${result.name}`, ...columns.map(([, cell]) => cell(result))])
  ]
  const absent = (comparison.skipped ?? []).map(({ name, reason }) => [`  ${name}`, reason] as const)
  const first = Math.max(...[...lines, ...absent].map(([name]) => name?.length ?? 0))
  const widths = columns.map((_, column) => Math.max(...lines.map((cells) => cells[column + 1]?.length ?? 0)))
  return [
    ...lines.map(([name = "", ...cells]) =>
      [name.padEnd(first), ...cells.map((cell, column) => cell.padStart(widths[column] ?? 0))].join("  ")
    ),
    ...absent.map(([name, reason]) => `${name.padEnd(first)}  ${reason}`)
  ].join("\n")
}
