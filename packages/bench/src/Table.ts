/** Formats the results of comparisons. */
import type { Comparison, SubjectResult } from "./Comparison.ts"

const formatCount = (value: number): string => Math.round(value).toLocaleString("en")

const perSecond = 1_000_000

/** Whether a result is within its target. Null if it has none. */
export const meetsTarget = ({ cost, ratio, target }: SubjectResult): boolean | null =>
  target?.cost === undefined && target?.ratio === undefined
    ? null
    : cost <= (target.cost ?? Infinity) && ratio <= (target.ratio ?? Infinity)

const formatTarget = (result: SubjectResult): string => {
  const { cost, ratio } = result.target ?? {}
  const bounds = [
    ...(ratio === undefined ? [] : [ratio.toFixed(2)]),
    ...(cost === undefined ? [] : [formatCount(cost)])
  ]
  return bounds.length === 0
    ? ""
    : `≤ ${bounds.join(", ")} ${meetsTarget(result) === true ? "met" : "missed"}`
}

/** Formats a title and a table. Rates are per second of CPU time. */
export const formatTable = (comparison: Comparison, results: ReadonlyArray<SubjectResult>): string => {
  const { costUnit, unit } = comparison
  const columns: ReadonlyArray<readonly [name: string, cell: (result: SubjectResult) => string]> = [
    ["× baseline", ({ ratio }) => ratio.toFixed(2)],
    ...(costUnit === undefined
      ? [
        [`µs/${unit}`, ({ cost }: SubjectResult) => cost.toFixed(1)],
        [`${unit}s/s`, ({ cost }: SubjectResult) => formatCount(perSecond / cost)]
      ] as const
      : [[`${costUnit}/${unit}`, ({ cost }: SubjectResult) => formatCount(cost)]] as const),
    // For one record per iteration the rate is already in the table
    ...(comparison.records === 1
      ? []
      : [[
        "records/s",
        ({ cost }: SubjectResult) => formatCount(comparison.records * perSecond / cost)
      ]] as const),
    ...(comparison.showsWallTime === true
      ? [["wall µs", ({ wall }: SubjectResult) => wall.toFixed(1)]] as const
      : []),
    ...(results.some((result) => meetsTarget(result) !== null) ? [["target", formatTarget]] as const : [])
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
