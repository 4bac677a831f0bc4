/** What a race came to, as text. */
import type { Race, Result } from "./Race.ts"

const whole = (value: number): string => Math.round(value).toLocaleString("en")

const perSecond = 1_000_000

/** A title and a table; rates are per second of CPU time. */
export const table = (race: Race, results: ReadonlyArray<Result>): string => {
  const header = [race.title, "× limit", `µs/${race.unit}`, `${race.unit}s/s`, "records/s"]
  const rows = results.map(({ cpu, name, ratio }) => [
    `  ${name}`,
    ratio.toFixed(2),
    cpu.toFixed(1),
    whole(perSecond / cpu),
    whole(race.records * perSecond / cpu)
  ])
  // Where a unit is a record, its rate is said already.
  const columns = race.records === 1 ? 4 : 5
  const lines = [header, ...rows].map((cells) => cells.slice(0, columns))
  const widths = header.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)))
  return lines.map((cells) =>
    cells.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
    ).join("  ")
  ).join("\n")
}
