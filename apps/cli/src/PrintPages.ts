/** Printing a list page by page, and saying where it stopped. */
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
  /** More than one page. */
  readonly isStreaming: boolean
  readonly maxItems: number | null
  readonly format: OutputFormat
}

/** How far a walk came. `cursor` continues after the last page that was printed whole; null: nothing does. */
interface ListProgress {
  readonly records: number
  readonly pages: number
  readonly cursor: string | null
  /** Records behind `cursor` that were printed already. */
  readonly printedAfterCursor: number
  readonly hasMore: boolean
}

interface PrintedPage {
  readonly text: string
  readonly note: string | null
}

/** Prints pages as they come, and ends with what is left to do, whichever way it ends. */
export const printPages = <Output extends Page<unknown>, R>(
  pages: Stream.Stream<Output, CommandError, R>,
  options: PrintOptions,
  print: (page: Output, printedCount: number) => PrintedPage,
  end: () => string
): Effect.Effect<void, CommandError, R | CommandTerminal> =>
  Effect.gen(function*() {
    const screen = yield* CommandTerminal
    let progress: ListProgress = { records: 0, pages: 0, cursor: null, printedAfterCursor: 0, hasMore: true }
    const printPage = (page: Output) =>
      Effect.gen(function*() {
        const printedCount = Math.min(
          page.result.length,
          options.maxItems === null ? Infinity : options.maxItems - progress.records
        )
        const { note: remark, text } = print(page, printedCount)
        if (remark !== null && progress.pages === 0) yield* screen.note(remark)
        const previous = progress
        // Whoever is interrupted while the reader is slow has handed the page over already; a page that could not be
        // written has not
        progress = advance(previous, page, printedCount)
        yield* Effect.tapError(screen.print(text), () => Effect.sync(() => (progress = previous)))
        // Rows that scroll by show better how far things are
        if (options.isStreaming && !screen.out.isTerminal) {
          yield* screen.progress(`${progress.records} ${options.recordName}, ${progress.pages} pages`)
        }
        return options.maxItems !== null && progress.records >= options.maxItems
      })
    const printAll = pages.pipe(
      Stream.mapEffect(printPage),
      Stream.takeUntil((isComplete) => isComplete),
      Stream.runDrain,
      Effect.zipRight(Effect.suspend(() => screen.print(end())))
    )
    yield* Effect.onExit(printAll, (exit) =>
      Effect.zipRight(
        screen.progress(null),
        Effect.flatMap(
          Effect.sync(() => endMessage(exit, progress, options)),
          (line) => line === null ? Effect.void : screen.note(sanitize(line))
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
    // A page without the key says nothing of what is behind it
    hasMore: !isWholePage || page.cursor === undefined || cursor !== null
  }
}

/** What remains to be said: how to go on after a part, and where to resume after a break. */
const endMessage = (
  exit: Exit.Exit<void, CommandError>,
  progress: ListProgress,
  options: PrintOptions
): string | null => {
  const { printedAfterCursor: beyond, cursor, hasMore: more, records } = progress
  const resume = cursor === null ? "from the beginning" : `with --cursor ${cursor}`
  const repeated = beyond === 0 ? "" : ` (the last ${beyond} of them come again)`
  if (Exit.isSuccess(exit)) {
    if (!more) return records === 0 && options.format === "table" ? `no ${options.recordName}` : null
    if (options.isStreaming && cursor === null) {
      return `stopped after ${records} ${options.recordName}; there ${beyond === 0 ? "may be" : "are"} more`
    }
    if (options.isStreaming) {
      return `stopped after ${records} ${options.recordName}; go on ${resume}${repeated}`
    }
    return options.format === "json"
      ? null
      : `there are more ${options.recordName}: read all with --all, or go on ${resume}`
  }
  const isClosed = Option.exists(Cause.failureOption(exit.cause), ({ _tag }) => _tag === "OutputClosedError")
  if (isClosed || !options.isStreaming || !more || records === 0) return null
  return `broke off after ${records} ${options.recordName}; resume ${resume}${repeated}`
}
