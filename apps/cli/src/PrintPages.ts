/** Prints the pages of a list, and reports where the list ended. */
import { nextCursor, type Page } from "@blockquarry/core/Page"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { CommandError } from "./CommandError.ts"
import type { OutputFormat } from "./render/OutputFormat.ts"
import { sanitize } from "./render/Sanitize.ts"
import { CommandTerminal } from "./Terminal.ts"

export interface PrintOptions {
  readonly recordName: string
  /** Whether more than one page may be printed. */
  readonly isStreaming: boolean
  readonly maxItems: number | null
  readonly format: OutputFormat
}

/** Progress of a list. `cursor` resumes after the last complete page; null if there is none. */
interface ListProgress {
  readonly records: number
  readonly pages: number
  readonly cursor: string | null
  /** Records after `cursor` that are already printed. */
  readonly printedAfterCursor: number
  readonly hasMore: boolean
}

interface PrintedPage {
  readonly text: string
  readonly note: string | null
}

/** Prints pages as they arrive. Afterwards, also after an error or interruption, prints how to resume. */
export const printPages = <Output extends Page<unknown>, R>(
  pages: Stream.Stream<Output, CommandError, R>,
  options: PrintOptions,
  print: (page: Output, printedCount: number) => PrintedPage,
  end: () => string
): Effect.Effect<void, CommandError, R | CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    let progress: ListProgress = { records: 0, pages: 0, cursor: null, printedAfterCursor: 0, hasMore: true }
    const printPage = (page: Output) =>
      Effect.gen(function*() {
        const printedCount = Math.min(
          page.result.length,
          options.maxItems === null ? Infinity : options.maxItems - progress.records
        )
        const { note, text } = print(page, printedCount)
        if (note !== null && progress.pages === 0) yield* terminal.note(note)
        const previous = progress
        // On interruption during a slow write the page counts as printed, after a failed write it does not
        progress = advance(previous, page, printedCount)
        yield* Effect.tapError(terminal.print(text), () => Effect.sync(() => (progress = previous)))
        // On a terminal the rows themselves show the progress
        if (options.isStreaming && !terminal.out.isTerminal) {
          yield* terminal.progress(`${progress.records} ${options.recordName}, ${progress.pages} pages`)
        }
        return options.maxItems !== null && progress.records >= options.maxItems
      })
    const printAll = pages.pipe(
      Stream.mapEffect(printPage),
      Stream.takeUntil((isComplete) => isComplete),
      Stream.runDrain,
      Effect.zipRight(Effect.suspend(() => terminal.print(end())))
    )
    yield* Effect.onExit(printAll, (exit) =>
      Effect.zipRight(
        terminal.progress(null),
        Effect.flatMap(
          Effect.sync(() => endMessage(exit, progress, options)),
          (line) => line === null ? Effect.void : terminal.note(sanitize(line))
        )
      ))
  })

const advance = (previous: ListProgress, page: Page<unknown>, printedCount: number): ListProgress => {
  const cursor = nextCursor(page) ?? null
  const isWholePage = printedCount === page.result.length
  return {
    records: previous.records + printedCount,
    pages: previous.pages + 1,
    cursor: isWholePage ? cursor : previous.cursor,
    printedAfterCursor: isWholePage ? 0 : printedCount,
    // Without a `cursor` field more pages are possible
    hasMore: !isWholePage || page.cursor === undefined || cursor !== null
  }
}

/** Returns the last message of a list: how to continue after a limit, or how to resume after an error. */
const endMessage = (
  exit: Exit.Exit<void, CommandError>,
  progress: ListProgress,
  options: PrintOptions
): string | null => {
  const { printedAfterCursor, cursor, hasMore, records } = progress
  const resume = cursor === null ? "from the beginning" : `with --cursor ${cursor}`
  const repeatedCount = printedAfterCursor === 1 ? "record" : `${printedAfterCursor} records`
  const repeated = printedAfterCursor === 0 ? "" : ` (the last ${repeatedCount} will be repeated)`
  if (Exit.isSuccess(exit)) {
    if (!hasMore) return records === 0 && options.format === "table" ? `no ${options.recordName} found` : null
    if (options.isStreaming && cursor === null) {
      return `stopped after ${records} ${options.recordName}; more ${
        printedAfterCursor === 0 ? "may be" : "are"
      } available`
    }
    if (options.isStreaming) {
      return `stopped after ${records} ${options.recordName}; continue ${resume}${repeated}`
    }
    return options.format === "json"
      ? null
      : `more ${options.recordName} available: use --all, or continue ${resume}`
  }
  const isClosed = Option.exists(Cause.failureOption(exit.cause), ({ _tag }) => _tag === "OutputClosedError")
  if (isClosed || !options.isStreaming || !hasMore || records === 0) return null
  return `interrupted after ${records} ${options.recordName}; resume ${resume}${repeated}`
}
