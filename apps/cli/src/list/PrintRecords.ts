/** Prints the records of a list to stdout, and reports where the list ended. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { CommandError } from "../errors/CommandError.ts"
import { formatCommandLine } from "../invocation/CommandLine.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import { countOf } from "../render/Count.ts"
import { withPager } from "../terminal/Pager.ts"
import { styled } from "../terminal/StreamInfo.ts"
import { CommandTerminal, drainTime } from "../terminal/Terminal.ts"
import { sanitize } from "../text/Sanitize.ts"
import type { ListJob } from "./ListJob.ts"
import { type ListProgress, trackProgress } from "./ListProgress.ts"
import { makeView } from "./MakeView.ts"
import { pagerOptions } from "./OutputOptions.ts"
import { limitRecords, type RecordPage } from "./RecordSource.ts"
import { makePrintTexts, makeTextSink, type SinkTexts } from "./TextSink.ts"

/** The records that determine the layout of a table outside a terminal: fewer than a page has by default. */
const layoutRecords = 50

/** Prints pages as they arrive. Afterwards, also after an error or interruption, prints how to resume. */
export const printRecords = <Item>(
  job: ListJob<Item>
): Effect.Effect<void, CommandError, CommandTerminal> =>
  Effect.zipRight(
    withPager(pagerOptions(job.invocation))(printPages(job)),
    job.transform?.status ?? Effect.void
  )

const printPages = <Item>(job: ListJob<Item>): Effect.Effect<void, CommandError, CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const sink = yield* makeTextSink(job, yield* makeView(job.invocation, job.source.subject), {
      // Scripts get the same table for every page size; on a terminal the first page appears at once
      layoutRecords: terminal.out.isTerminal ? 1 : layoutRecords
    })
    const { addPage, addRecords, progress } = trackProgress()
    let hasPage = false
    const printTexts = makePrintTexts(sink, terminal)
    /** Whether some results of `--jq` are printed, but not all of their page. */
    let isPartial = false
    const print = (texts: SinkTexts) => {
      hasPage = true
      let counted = 0
      return printTexts(texts, (count) => {
        const records = texts.recordsAfter(count)
        if (texts.recordsAfter(texts.texts.length) > 0) isPartial = count > 0 && records === 0
        if (records > counted) addRecords(records - counted)
        counted = records
      })
    }
    const printPage = (page: RecordPage<Item>) =>
      Effect.gen(function*() {
        const texts = yield* sink.page(page)
        if (page.note !== null && !hasPage) yield* terminal.note(page.note)
        addPage(page)
        yield* print(texts)
        // On a terminal the rows themselves show the progress
        if (!job.source.isSinglePage && !terminal.out.isTerminal) {
          const { pages, records } = progress()
          yield* terminal.progress(`${countOf(records, job.source.recordName)}, ${countOf(pages, "pages")}`)
        }
      })
    const printAll = job.source.pages().pipe(
      limitRecords(job.maxItems),
      Stream.mapEffect(printPage),
      Stream.runDrain,
      Effect.zipRight(sink.end),
      Effect.flatMap(print)
    )
    yield* Effect.onExit(printAll, (exit) =>
      Effect.gen(function*() {
        yield* terminal.progress(null)
        // The output remains a valid document
        if (Exit.isFailure(exit) && hasPage && !failedWith(exit.cause, "OutputClosedError")) {
          yield* Effect.ignore(Effect.timeout(Effect.interruptible(print(sink.abort())), drainTime))
        }
        if (job.inputs !== undefined) yield* job.inputs.report(exit)
        const lines = endMessage(exit, { ...progress(), isPartial }, job, terminal.err.isTerminal)
        yield* Effect.forEach(lines, (line) => terminal.note(sanitizeLine(line)), { discard: true })
        const omissions = terminal.err.isTerminal ? sink.omissions() : null
        if (omissions !== null) {
          const { wrapText } = yield* Effect.promise(() => import("../text/Width.ts"))
          const lines = wrapText(sanitize(omissions), terminal.err.columns ?? Infinity)
          yield* terminal.note(lines.map((line) => styled(terminal.err, "dim", line)).join("\n"))
        }
      }))
  })

/** Keeps the indentation of a command. */
const sanitizeLine = (line: string): string => `${/^ */.exec(line)?.[0] ?? ""}${sanitize(line.trimStart())}`

/** Returns whether a command failed with one of these errors. */
const failedWith = (
  cause: Cause.Cause<CommandError>,
  ...tags: ReadonlyArray<CommandError["_tag"]>
): boolean => Option.exists(Cause.failureOption(cause), ({ _tag }) => tags.includes(_tag))

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
  { cursor: printedCursor, hasMore, isPartial, records }: ListProgress & { readonly isPartial: boolean },
  { inputs, invocation, maxItems, source: { isSinglePage, recordName } }: ListJob<Item>,
  isTerminal: boolean
): ReadonlyArray<string> => {
  const cursor = records === 0 && Exit.isFailure(exit) ? inputs?.unprinted() ?? null : printedCursor
  if (Exit.isSuccess(exit)) {
    if (!hasMore) {
      // Other formats are for programs, which an empty output tells as much
      const isForReaders = isTerminal || invocation.settings.format === "table"
      return records === 0 && isForReaders ? [`no ${recordName} found`] : []
    }
    if (isSinglePage) {
      const more = `more ${recordName} available: use --all`
      return (invocation.settings.isVerbose || !isTerminal) && cursor !== null
        ? [`${more}, or continue with:`, continuation(invocation, cursor)]
        : [more]
    }
    const stopped = `stopped after ${countOf(records, recordName)}`
    return cursor === null
      ? [`${stopped}; more may be available`]
      : [`${stopped}; continue with:`, continuation(invocation, cursor)]
  }
  // Another run with a cursor would end in the same way
  if (failedWith(exit.cause, "OutputClosedError", "UsageError")) return []
  if (!hasMore || (records === 0 && (isSinglePage || cursor === null))) return []
  const interrupted = `interrupted after ${countOf(records, recordName)}`
  const repeated = isPartial ? " (the results of the last page will be repeated)" : ""
  return cursor === null
    ? [`${interrupted}; resume from the beginning`]
    : [
      `${interrupted}; resume${repeated} with:`,
      continuation(invocation, cursor, maxItems === null ? undefined : maxItems - records)
    ]
}
