/** Prints the records of a list to stdout, and reports where the list ended. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { CommandError } from "../CommandError.ts"
import { formatCommandLine } from "../CommandLine.ts"
import type { CommandInvocation } from "../CommandSpec.ts"
import { countOf } from "../render/Count.ts"
import { withPager } from "../render/Pager.ts"
import { sanitize } from "../render/Sanitize.ts"
import { styled } from "../StreamInfo.ts"
import { CommandTerminal } from "../Terminal.ts"
import type { ListJob } from "./ListJob.ts"
import { makeView } from "./MakeView.ts"
import { pagerOptions } from "./OutputOptions.ts"
import { limitRecords, type RecordPage } from "./RecordSource.ts"
import { makeTextSink, type SinkText } from "./TextSink.ts"

/** Progress of a list. `cursor` resumes after the last complete page; null if there is none. */
interface ListProgress {
  readonly records: number
  readonly pages: number
  readonly cursor: string | null
  /** Records after `cursor` that are already printed. */
  readonly printedAfterCursor: number
  readonly hasMore: boolean
}

/** The records that determine the layout of a table outside a terminal: fewer than a page has by default. */
const layoutRecords = 50

/** Prints pages as they arrive. Afterwards, also after an error or interruption, prints how to resume. */
export const printRecords = <Item>(
  job: ListJob<Item>
): Effect.Effect<void, CommandError, CommandTerminal> =>
  withPager(pagerOptions(job.invocation))(printPages(job))

const printPages = <Item>(job: ListJob<Item>): Effect.Effect<void, CommandError, CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const sink = yield* makeTextSink(job, yield* makeView(job.invocation, job.source.subject), {
      // Scripts get the same table for every page size; on a terminal the first page appears at once
      layoutRecords: terminal.out.isTerminal ? 1 : layoutRecords
    })
    let progress: ListProgress = { records: 0, pages: 0, cursor: null, printedAfterCursor: 0, hasMore: true }
    let written = progress
    let isOpen = false
    const print = ({ error, text }: SinkText, next: ListProgress) =>
      Effect.gen(function*() {
        const whole = isOpen ? text : sink.start() + text
        isOpen = true
        const previous = progress
        // On interruption during a slow write the page counts as printed
        progress = next
        // After a failed write, also the records that a table held back do not
        yield* Effect.tapError(terminal.print(whole), () => Effect.sync(() => (progress = written)))
        if (error !== null) {
          progress = previous
          return yield* Effect.fail(error)
        }
        if (whole !== "") written = next
      })
    const printPage = (page: RecordPage<Item>) =>
      Effect.gen(function*() {
        const text = yield* sink.page(page)
        if (page.note !== null && progress.pages === 0) yield* terminal.note(page.note)
        yield* print(text, advance(progress, page))
        // On a terminal the rows themselves show the progress
        if (!job.source.isSinglePage && !terminal.out.isTerminal) {
          yield* terminal.progress(
            `${countOf(progress.records, job.source.recordName)}, ${countOf(progress.pages, "pages")}`
          )
        }
      })
    const printAll = job.source.pages().pipe(
      limitRecords(job.maxItems),
      Stream.mapEffect(printPage),
      Stream.runDrain,
      Effect.zipRight(sink.end),
      Effect.flatMap((text) => print(text, progress))
    )
    yield* Effect.onExit(printAll, (exit) =>
      Effect.gen(function*() {
        yield* terminal.progress(null)
        // The output remains a valid document
        if (Exit.isFailure(exit) && isOpen && !isOutputClosed(exit.cause)) {
          yield* Effect.ignore(terminal.print(sink.abort()))
        }
        if (job.inputs !== undefined) yield* job.inputs.report(exit)
        const showsCommand = job.invocation.settings.isVerbose || !terminal.err.isTerminal
        const lines = endMessage(exit, progress, job, showsCommand)
        yield* Effect.forEach(lines, (line) => terminal.note(sanitizeLine(line)), { discard: true })
        const omissions = terminal.err.isTerminal ? sink.omissions() : null
        if (omissions !== null) {
          const { wrapText } = yield* Effect.promise(() => import("../render/Width.ts"))
          const lines = wrapText(sanitize(omissions), terminal.err.columns ?? Infinity)
          yield* terminal.note(lines.map((line) => styled(terminal.err, "dim", line)).join("\n"))
        }
      }))
  })

/** Keeps the indentation of a command. */
const sanitizeLine = (line: string): string => `${/^ */.exec(line)?.[0] ?? ""}${sanitize(line.trimStart())}`

const isOutputClosed = (cause: Cause.Cause<CommandError>): boolean =>
  Option.exists(Cause.failureOption(cause), ({ _tag }) => _tag === "OutputClosedError")

/** Returns whether a list that ended like this can be continued by running it again with a cursor. */
const isResumable = (cause: Cause.Cause<CommandError>): boolean =>
  !Option.exists(
    Cause.failureOption(cause),
    ({ _tag }) => _tag === "OutputClosedError" || _tag === "UsageError"
  )

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

/** Returns the command that continues a list, on its own line. */
const continuation = (
  invocation: CommandInvocation,
  cursor: string,
  maxItems?: number
): string =>
  `  ${
    formatCommandLine(invocation, {
      cursor,
      ...(maxItems === undefined ? {} : { "max-items": String(maxItems) })
    })
  }`

/** Returns the last lines of a list: how to continue after a limit, or how to resume after an error. */
const endMessage = <Item>(
  exit: Exit.Exit<void, CommandError>,
  { cursor: printedCursor, hasMore, printedAfterCursor, records }: ListProgress,
  { inputs, invocation, maxItems, source: { isSinglePage, recordName } }: ListJob<Item>,
  showsCommand: boolean
): ReadonlyArray<string> => {
  const cursor = records === 0 && Exit.isFailure(exit) ? inputs?.unprinted() ?? null : printedCursor
  const repeatedCount = printedAfterCursor === 1 ? "record" : `${printedAfterCursor} records`
  const repeated = printedAfterCursor === 0 ? "" : ` (the last ${repeatedCount} will be repeated)`
  if (Exit.isSuccess(exit)) {
    if (!hasMore) {
      return records === 0 && invocation.settings.format === "table" ? [`no ${recordName} found`] : []
    }
    if (isSinglePage) {
      const more = `more ${recordName} available: use --all`
      return showsCommand && cursor !== null
        ? [`${more}, or continue with:`, continuation(invocation, cursor)]
        : [more]
    }
    return cursor === null
      ? [
        `stopped after ${countOf(records, recordName)}; more ${
          printedAfterCursor === 0 ? "may be" : "are"
        } available`
      ]
      : [
        `stopped after ${countOf(records, recordName)}; continue${repeated} with:`,
        continuation(invocation, cursor)
      ]
  }
  if (!isResumable(exit.cause) || isSinglePage || !hasMore || (records === 0 && cursor === null)) return []
  return cursor === null
    ? [`interrupted after ${countOf(records, recordName)}; resume from the beginning`]
    : [
      `interrupted after ${countOf(records, recordName)}; resume${repeated} with:`,
      continuation(
        invocation,
        cursor,
        maxItems === null ? undefined : maxItems - records + printedAfterCursor
      )
    ]
}
