import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Chart, ChartBuilder } from "../chart/Chart.ts"
import { drawSvg } from "../chart/SvgChart.ts"
import { drawText } from "../chart/TextChart.ts"
import { type CommandError, FileConflictError } from "../errors/CommandError.ts"
import { sizeOf, writeText } from "../files/Files.ts"
import { countOf } from "../render/Count.ts"
import { characterSet } from "../terminal/CharacterSet.ts"
import { environmentVariable } from "../terminal/EnvironmentVariable.ts"
import { withPager } from "../terminal/Pager.ts"
import { CommandTerminal, note } from "../terminal/Terminal.ts"
import { sanitize } from "../text/Sanitize.ts"
import type { ChartTarget } from "./OutputOptions.ts"
import { limitRecords, type ListJob } from "./RecordList.ts"

/** Columns of a chart in a pipe or a file, if COLUMNS is not set. */
const defaultColumns = 80

const printChart = (chart: Chart): Effect.Effect<void, CommandError, CommandTerminal> =>
  Effect.gen(function*() {
    const { out, print } = yield* CommandTerminal
    const fromEnvironment = Number(yield* environmentVariable("COLUMNS"))
    const columns = out.columns ?? (fromEnvironment >= 1 ? Math.floor(fromEnvironment) : defaultColumns)
    yield* print(drawText(chart, columns, yield* characterSet, out))
  })

/** Draws what `read` returns. Fails early if the file exists, before anything is read. */
export const drawChart = <R>(
  { file, isPrinted, mayOverwrite, pager }: ChartTarget,
  read: Effect.Effect<Chart, CommandError, R>
): Effect.Effect<void, CommandError, R | CommandTerminal> =>
  Effect.gen(function*() {
    const checkFile = file === null || mayOverwrite ? Effect.void : Effect.filterOrFail(
      sizeOf(file),
      (size) => size === null,
      () =>
        new FileConflictError({
          reason: `${file} exists`,
          hint: "use --overwrite to replace it, or choose another name"
        })
    )
    yield* checkFile
    const chart = yield* read
    if (isPrinted) yield* withPager(pager)(printChart(chart))
    if (file !== null) {
      yield* checkFile
      yield* writeText(file, drawSvg(chart))
      yield* note(sanitize(`wrote ${file}`))
    }
  })

const withNote = (chart: Chart, note: string): Chart => ({ ...chart, notes: [...chart.notes, note] })

/**
 * Draws the records of a list. After an error or an interruption prints a chart of those that arrived; a file is only
 * written if it is complete.
 */
export const drawRecords = <Item>(
  { list: { recordName }, maxItems, source }: ListJob<Item>,
  target: ChartTarget,
  builder: ChartBuilder<Item>
): Effect.Effect<void, CommandError, CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    let count = 0
    let hasMore = false
    const read = source.pages().pipe(
      limitRecords(maxItems),
      Stream.runForEach((page) =>
        Effect.gen(function*() {
          if (page.note !== null && count === 0) yield* terminal.note(page.note)
          builder.add(page.rows.map(({ item }) => item))
          count += page.rows.length
          hasMore = page.end.cursor !== null
          yield* terminal.progress(countOf(count, recordName))
        })
      ),
      Effect.ensuring(terminal.progress(null)),
      Effect.onError(() =>
        count === 0 || !target.isPrinted ? Effect.void : Effect.ignore(printChart(
          withNote(builder.chart(), `Incomplete: received only ${countOf(count, recordName)}.`)
        ))
      ),
      Effect.map(() =>
        hasMore ? withNote(builder.chart(), `More ${recordName} are not included.`) : builder.chart()
      )
    )
    yield* drawChart(target, read)
    if (hasMore) yield* terminal.note(`more ${recordName} available: use --all, or --max-items <n>`)
  })
