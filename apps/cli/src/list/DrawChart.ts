/** Draws charts to the terminal and to files. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Chart, ChartBuilder } from "../chart/Chart.ts"
import { drawSvg } from "../chart/SvgChart.ts"
import { drawText } from "../chart/TextChart.ts"
import { type CommandError, ExportConflictError } from "../errors/CommandError.ts"
import { replaceText, sizeOf } from "../files/Files.ts"
import { countOf } from "../render/Count.ts"
import { characterSet } from "../terminal/CharacterSet.ts"
import { environmentVariable } from "../terminal/EnvironmentVariable.ts"
import { withPager } from "../terminal/Pager.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { sanitize } from "../text/Sanitize.ts"
import type { ChartTarget } from "./ChartOptions.ts"
import type { ListJob } from "./ListJob.ts"
import { limitRecords } from "./RecordSource.ts"

/** Columns of a chart in a pipe or a file, if COLUMNS is not set. */
const defaultColumns = 80

/** Fails early if the file exists, before anything is read. */
const checkFile = ({ file, mayOverwrite }: ChartTarget): Effect.Effect<void, CommandError> =>
  file === null || mayOverwrite
    ? Effect.void
    : Effect.flatMap(sizeOf(file), (size) =>
      size === null ? Effect.void : new ExportConflictError({
        reason: `${file} exists`,
        hint: "use --overwrite to replace it, or choose another name"
      }))

const printChart = (chart: Chart): Effect.Effect<void, CommandError, CommandTerminal> =>
  Effect.gen(function*() {
    const { out, print } = yield* CommandTerminal
    const fromEnvironment = Number(yield* environmentVariable("COLUMNS"))
    const columns = out.columns ?? (fromEnvironment >= 1 ? Math.floor(fromEnvironment) : defaultColumns)
    yield* print(drawText(chart, columns, yield* characterSet, out))
  })

const output = (chart: Chart, target: ChartTarget): Effect.Effect<void, CommandError, CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    if (target.isPrinted) yield* withPager(target.pager)(printChart(chart))
    if (target.file !== null) {
      yield* checkFile(target)
      yield* replaceText(target.file, drawSvg(chart))
      yield* terminal.note(sanitize(`wrote ${target.file}`))
    }
  })

const withNote = (chart: Chart, note: string): Chart => ({ ...chart, notes: [...chart.notes, note] })

/**
 * Draws the records of a list. After an error or an interruption prints a chart of those that arrived; a file is only
 * written if it is complete.
 */
export const drawRecords = <Item>(
  { maxItems, source }: ListJob<Item>,
  target: ChartTarget,
  builder: ChartBuilder<Item>
): Effect.Effect<void, CommandError, CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    yield* checkFile(target)
    let count = 0
    let hasMore = false
    yield* source.pages().pipe(
      limitRecords(maxItems),
      Stream.runForEach((page) =>
        Effect.gen(function*() {
          if (page.note !== null && count === 0) yield* terminal.note(page.note)
          builder.add(page.items)
          count += page.items.length
          hasMore = page.nextCursor !== null
          yield* terminal.progress(countOf(count, source.recordName))
        })
      ),
      Effect.ensuring(terminal.progress(null)),
      Effect.onError(() =>
        count === 0 || !target.isPrinted ? Effect.void : Effect.ignore(printChart(
          withNote(builder.chart(), `Incomplete: received only ${countOf(count, source.recordName)}.`)
        ))
      )
    )
    const chart = builder.chart()
    yield* output(
      hasMore ? withNote(chart, `More ${source.recordName} are not included.`) : chart,
      target
    )
    if (hasMore) {
      yield* terminal.note(`more ${source.recordName} available: use --all, or --max-items <n>`)
    }
  })

/** Draws one record, which `read` returns. */
export const drawRecord = <A, R>(
  read: Effect.Effect<A, CommandError, R>,
  target: ChartTarget,
  toChart: (record: A) => Chart
): Effect.Effect<void, CommandError, R | CommandTerminal> =>
  Effect.gen(function*() {
    yield* checkFile(target)
    yield* output(toChart(yield* read), target)
  })
