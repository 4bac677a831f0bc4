/** Prints the records of a list to stdout, and reports where the list ended. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { CommandError } from "../CommandError.ts"
import { makeJson } from "../formats/Json.ts"
import { ndjson } from "../formats/Ndjson.ts"
import type { RecordFormat } from "../formats/RecordFormat.ts"
import { sanitize } from "../render/Sanitize.ts"
import { makeTablePrinter } from "../render/TablePrinter.ts"
import { CommandTerminal, type StreamInfo } from "../Terminal.ts"
import type { ListJob } from "./ListJob.ts"
import { limitRecords, type RecordPage } from "./RecordSource.ts"

/** Progress of a list. `cursor` resumes after the last complete page; null if there is none. */
interface ListProgress {
  readonly records: number
  readonly pages: number
  readonly cursor: string | null
  /** Records after `cursor` that are already printed. */
  readonly printedAfterCursor: number
  readonly hasMore: boolean
}

/** Prints pages as they arrive. Afterwards, also after an error or interruption, prints how to resume. */
export const printRecords = <Item>(
  job: ListJob<Item>
): Effect.Effect<void, CommandError, CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const sink = textSink(job, terminal.out)
    let progress: ListProgress = { records: 0, pages: 0, cursor: null, printedAfterCursor: 0, hasMore: true }
    const printPage = (page: RecordPage<Item>) =>
      Effect.gen(function*() {
        const text = yield* sink.page(page)
        if (page.note !== null && progress.pages === 0) yield* terminal.note(page.note)
        const previous = progress
        // On interruption during a slow write the page counts as printed, after a failed write it does not
        progress = advance(previous, page)
        yield* Effect.tapError(
          terminal.print(previous.pages === 0 ? sink.start() + text : text),
          () => Effect.sync(() => (progress = previous))
        )
        // On a terminal the rows themselves show the progress
        if (!job.source.isSinglePage && !terminal.out.isTerminal) {
          yield* terminal.progress(`${progress.records} ${job.source.recordName}, ${progress.pages} pages`)
        }
      })
    const printAll = job.source.pages().pipe(
      limitRecords(job.maxItems),
      Stream.mapEffect(printPage),
      Stream.runDrain,
      Effect.zipRight(sink.end),
      Effect.flatMap((text) => terminal.print(progress.pages === 0 ? sink.start() + text : text))
    )
    yield* Effect.onExit(printAll, (exit) =>
      Effect.zipRight(
        terminal.progress(null),
        Effect.flatMap(
          Effect.sync(() => endMessage(exit, progress, job)),
          (line) => line === null ? Effect.void : terminal.note(sanitize(line))
        )
      ))
  })

/** Makes text of pages. */
interface TextSink<in Item> {
  readonly start: () => string
  readonly page: (page: RecordPage<Item>) => Effect.Effect<string, CommandError>
  readonly end: Effect.Effect<string, CommandError>
}

const textSink = <Item>(job: ListJob<Item>, stream: StreamInfo): TextSink<Item> => {
  const { format } = job.invocation.settings
  switch (format) {
    case "ndjson":
      return formatSink(job, ndjson)
    case "json":
      return formatSink(job, makeJson())
    case "table": {
      const print = makeTablePrinter(job.columns, stream)
      return {
        start: () => "",
        page: (page) => Effect.sync(() => print(page.items)),
        end: Effect.succeed("")
      }
    }
  }
}

const formatSink = <Item>(
  { transform }: ListJob<Item>,
  format: RecordFormat
): TextSink<Item> => ({
  start: format.start,
  page: (page) =>
    Effect.map(
      transform === null ? Effect.sync(page.records) : transform.apply(page.records()),
      format.records
    ),
  end: Effect.map(
    transform === null ? Effect.succeed([]) : transform.end,
    (rest) => format.records(rest) + format.end()
  )
})

const advance = (previous: ListProgress, page: RecordPage<unknown>): ListProgress => {
  const isWholePage = page.omittedCount === 0
  return {
    records: previous.records + page.items.length,
    pages: previous.pages + 1,
    cursor: isWholePage ? page.nextCursor ?? null : previous.cursor,
    printedAfterCursor: isWholePage ? 0 : page.items.length,
    // Without a cursor more pages are possible
    hasMore: page.nextCursor !== null
  }
}

/** Returns the last message of a list: how to continue after a limit, or how to resume after an error. */
const endMessage = <Item>(
  exit: Exit.Exit<void, CommandError>,
  progress: ListProgress,
  { invocation, source: { isSinglePage, recordName } }: ListJob<Item>
): string | null => {
  const { printedAfterCursor, cursor, hasMore, records } = progress
  const resume = cursor === null ? "from the beginning" : `with --cursor ${cursor}`
  const repeatedCount = printedAfterCursor === 1 ? "record" : `${printedAfterCursor} records`
  const repeated = printedAfterCursor === 0 ? "" : ` (the last ${repeatedCount} will be repeated)`
  if (Exit.isSuccess(exit)) {
    if (!hasMore) {
      return records === 0 && invocation.settings.format === "table" ? `no ${recordName} found` : null
    }
    if (!isSinglePage && cursor === null) {
      return `stopped after ${records} ${recordName}; more ${
        printedAfterCursor === 0 ? "may be" : "are"
      } available`
    }
    if (!isSinglePage) return `stopped after ${records} ${recordName}; continue ${resume}${repeated}`
    return `more ${recordName} available: use --all, or continue ${resume}`
  }
  const isClosed = Option.exists(Cause.failureOption(exit.cause), ({ _tag }) => _tag === "OutputClosedError")
  if (isClosed || isSinglePage || !hasMore || records === 0) return null
  return `interrupted after ${records} ${recordName}; resume ${resume}${repeated}`
}
