/** Prints the records of a list to stdout, and reports where the list ended. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { CommandError } from "../errors/CommandError.ts"
import { formatCommandLine } from "../invocation/CommandLine.ts"
import { countOf } from "../render/Count.ts"
import { withPager } from "../terminal/Pager.ts"
import { styled } from "../terminal/StreamInfo.ts"
import { CommandTerminal, drainTime } from "../terminal/Terminal.ts"
import { sanitize } from "../text/Sanitize.ts"
import { makeView, pagerOptions } from "./OutputOptions.ts"
import { limitRecords, type ListJob, type RecordPage, type ShownList } from "./RecordList.ts"
import { makeTextSink } from "./TextSink.ts"

/** Prints pages as they arrive. Afterwards, also after an error or interruption, prints how to resume. */
export const printRecords = <Item>(
  job: ListJob<Item, ShownList<Item>>
): Effect.Effect<void, CommandError, CommandTerminal> =>
  Effect.zipRight(
    withPager(pagerOptions(job.invocation))(printPages(job)),
    job.transform?.status ?? Effect.void
  )

const printPages = <Item>(
  job: ListJob<Item, ShownList<Item>>
): Effect.Effect<void, CommandError, CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const { inputs, invocation, list, source } = job
    const view = yield* makeView(invocation, source.subject)
    const sink = yield* makeTextSink(list, job, view, !source.isSinglePage)
    let progress = beginning
    /** Pages whose records `--jq` holds back. */
    const held: Array<RecordPage<Item>> = []
    let hasPage = false
    /** Whether some results of `--jq` are printed, but not all of their page. */
    let isPartial = false
    const printPage = (page: RecordPage<Item>) =>
      Effect.gen(function*() {
        if (page.note !== null && !hasPage) yield* terminal.note(page.note)
        hasPage = true
        if (job.transform?.holdsRecords === true) held.push(page)
        const before = progress
        yield* sink.page(page.rows)((count, isPagePartial) => {
          isPartial = isPagePartial
          progress = advance(before, page, count)
        })
        // On a terminal the rows themselves show the progress
        if (!source.isSinglePage && !terminal.out.isTerminal) {
          const { pages, records } = progress
          yield* terminal.progress(`${countOf(records, list.recordName)}, ${countOf(pages, "pages")}`)
        }
      })
    const printEnd = Effect.suspend(() =>
      sink.end((count, isEndPartial) => {
        isPartial = isEndPartial
        if (count > 0) progress = held.splice(0).reduce((all, page) => advance(all, page, count), progress)
      })
    )
    yield* source.pages().pipe(
      limitRecords(job.maxItems),
      Stream.runForEach(printPage),
      Effect.zipRight(printEnd),
      Effect.onExit((exit) =>
        Effect.gen(function*() {
          yield* terminal.progress(null)
          // The output remains a valid document
          if (Exit.isFailure(exit) && hasPage && !failedWith(exit, "OutputClosedError")) {
            yield* Effect.ignore(Effect.timeout(Effect.interruptible(sink.abort), drainTime))
          }
          if (inputs !== undefined) yield* inputs.report(exit)
          const lines = endMessage(exit, { ...progress, isPartial }, job, terminal.err.isTerminal)
          // Keeps the indentation of a command
          yield* Effect.forEach(lines, (line) => terminal.note(line.replace(/\S.*/s, sanitize)), {
            discard: true
          })
          const omissions = terminal.err.isTerminal ? sink.omissions() : null
          if (omissions !== null) {
            const { wrapText } = yield* Effect.promise(() => import("../text/Width.ts"))
            const lines = wrapText(sanitize(omissions), terminal.err.columns ?? Infinity)
            yield* terminal.note(lines.map((line) => styled(terminal.err, "dim", line)).join("\n"))
          }
        })
      )
    )
  })

/** How much of a list is printed, and where it continues. */
interface ListProgress {
  readonly records: number
  readonly pages: number
  /** Null at the end of the list; undefined if the list cannot be continued there. */
  readonly cursor: string | null | undefined
}

const beginning: ListProgress = { records: 0, pages: 0, cursor: undefined }

/** Adds so many records of a page, at most all of them. */
const advance = (before: ListProgress, { end, rows }: RecordPage<unknown>, count: number): ListProgress => {
  const { cursor, pages, records } = before
  return count >= rows.length
    ? { records: records + rows.length, pages: pages + 1, cursor: end.cursor }
    : { records: records + count, pages, cursor: count === 0 ? cursor : rows[count - 1]?.after().cursor }
}

const failedWith = (
  exit: Exit.Exit<unknown, CommandError>,
  ...tags: ReadonlyArray<CommandError["_tag"]>
): boolean =>
  Exit.isFailure(exit) && Option.exists(Cause.failureOption(exit.cause), ({ _tag }) => tags.includes(_tag))

/** Returns the last lines of a list: how to continue after a limit, or how to resume after an error. */
const endMessage = <Item>(
  exit: Exit.Exit<void, CommandError>,
  { cursor: end, isPartial, records }: ListProgress & { readonly isPartial: boolean },
  { invocation, list: { recordName }, maxItems, source: { isSinglePage } }: ListJob<Item, ShownList<Item>>,
  isTerminal: boolean
): ReadonlyArray<string> => {
  const hasFailed = Exit.isFailure(exit)
  // Without a cursor more pages are possible
  const hasMore = end !== null
  const cursor = end ?? null
  /** The command that continues the list, on its own line. */
  const continuation = (maxItems: number | null) => [
    `  ${
      formatCommandLine(invocation, { cursor, ...maxItems === null ? {} : { "max-items": String(maxItems) } })
    }`
  ]
  if (!hasFailed && !hasMore) {
    // Other formats are for programs, which an empty output tells as much
    const isForReaders = isTerminal || invocation.settings.format === "table"
    return records === 0 && isForReaders ? [`no ${recordName} found`] : []
  }
  if (!hasFailed && isSinglePage) {
    const more = `more ${recordName} available: use --all`
    return (invocation.settings.isVerbose || !isTerminal) && cursor !== null
      ? [`${more}, or continue with:`, ...continuation(null)]
      : [more]
  }
  const count = countOf(records, recordName)
  if (!hasFailed) {
    return cursor === null
      ? [`stopped after ${count}; more may be available`]
      : [`stopped after ${count}; continue with:`, ...continuation(null)]
  }
  // Another run with a cursor would end in the same way
  if (failedWith(exit, "OutputClosedError", "UsageError")) return []
  if (!hasMore || (records === 0 && (isSinglePage || cursor === null))) return []
  const repeated = isPartial ? " (the results of the last page will be repeated)" : ""
  return cursor === null
    ? [`interrupted after ${count}; resume from the beginning`]
    : [
      `interrupted after ${count}; resume${repeated} with:`,
      ...continuation(maxItems === null ? null : maxItems - records)
    ]
}
