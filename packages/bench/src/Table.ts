/** What a race came to, as text. */
import type { Race, Result } from "./Race.ts"

const whole = (value: number): string => Math.round(value).toLocaleString("en")

const perSecond = 1_000_000

/** A title and a table; rates are per second of CPU time. */
export const table = (race: Race, results: ReadonlyArray<Result>): string => {
  const columns: ReadonlyArray<readonly [name: string, cell: (result: Result) => string]> = [
    ["× limit", ({ ratio }) => ratio.toFixed(2)],
    [`µs/${race.unit}`, ({ cpu }) => cpu.toFixed(1)],
    [`${race.unit}s/s`, ({ cpu }) => whole(perSecond / cpu)],
    // Where a unit is a record, its rate is said already.
    ...(race.records === 1
      ? []
      : [["records/s", ({ cpu }: Result) => whole(race.records * perSecond / cpu)]] as const),
    ...(race.showsWall === true ? [["µs on the wall", ({ wall }: Result) => wall.toFixed(1)]] as const : [])
  ]
  const lines = [
    [race.title, ...columns.map(([name]) => name)],
    ...results.map((result) => [`  ${result.name}`, ...columns.map(([, cell]) => cell(result))])
  ]
  const absent = (race.absent ?? []).map(({ name, reason }) => [`  ${name}`, reason] as const)
  const first = Math.max(...[...lines, ...absent].map(([name]) => name?.length ?? 0))
  const widths = columns.map((_, column) => Math.max(...lines.map((cells) => cells[column + 1]?.length ?? 0)))
  return [
    ...lines.map(([name = "", ...cells]) =>
      [name.padEnd(first), ...cells.map((cell, column) => cell.padStart(widths[column] ?? 0))].join("  ")
    ),
    ...absent.map(([name, reason]) => `${name.padEnd(first)}  ${reason}`)
  ].join("\n")
}
