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
    const { addPage, addRecords, progress } = trackProgress()
    let hasPage = false
    /** Whether some results of `--jq` are printed, but not all of their page. */
    let isPartial = false
    const counting = () => {
      let counted = 0
      return (records: number, isPagePartial: boolean) => {
        isPartial = isPagePartial
        if (records > counted) addRecords(records - counted)
        counted = records
      }
    }
    const printPage = (page: RecordPage<Item>) =>
      Effect.gen(function*() {
        if (page.note !== null && !hasPage) yield* terminal.note(page.note)
        hasPage = true
        addPage(page)
        yield* sink.page(page.rows)(counting())
        // On a terminal the rows themselves show the progress
        if (!source.isSinglePage && !terminal.out.isTerminal) {
          const { pages, records } = progress()
          yield* terminal.progress(`${countOf(records, list.recordName)}, ${countOf(pages, "pages")}`)
        }
      })
    yield* source.pages().pipe(
      limitRecords(job.maxItems),
      Stream.runForEach(printPage),
      Effect.zipRight(Effect.suspend(() => sink.end(counting()))),
      Effect.onExit((exit) =>
        Effect.gen(function*() {
          yield* terminal.progress(null)
          // The output remains a valid document
          if (Exit.isFailure(exit) && hasPage && !failedWith(exit, "OutputClosedError")) {
            yield* Effect.ignore(Effect.timeout(Effect.interruptible(sink.abort), drainTime))
          }
          if (inputs !== undefined) yield* inputs.report(exit)
          const lines = endMessage(exit, { ...progress(), isPartial }, job, terminal.err.isTerminal)
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

const trackProgress = () => {
  /** Pages that are not printed whole, and the records of the first one that are printed. */
  const open: Array<RecordPage<unknown>> = []
  let inPage = 0
  let [records, pages] = [0, 0]
  let last: string | null | undefined = undefined
  /** Adds printed records, at most those of the pages. */
  const addRecords = (count: number) => {
    let left = count
    for (let page = open[0]; page !== undefined; page = open[0]) {
      const more = Math.min(left, page.rows.length - inPage)
      records += more
      left -= more
      inPage += more
      if (inPage < page.rows.length) return
      open.shift()
      inPage = 0
      pages++
      last = page.end.cursor
    }
  }
  return {
    /** Adds a page whose records are going to be printed. */
    addPage: (page: RecordPage<unknown>) => {
      open.push(page)
      addRecords(0)
    },
    addRecords,
    /** Returns how much of the list is printed, and where it continues. */
    progress: () => ({
      records,
      pages,
      /** Continues after the printed records; null if there are none, or the list cannot be continued there. */
      cursor: (inPage > 0 ? open[0]?.rows[inPage - 1]?.after().cursor : last) ?? null,
      // Without a cursor more pages are possible
      hasMore: open.length > 0 || last !== null
    })
  }
}

type ListProgress = ReturnType<ReturnType<typeof trackProgress>["progress"]>

const failedWith = (
  exit: Exit.Exit<unknown, CommandError>,
  ...tags: ReadonlyArray<CommandError["_tag"]>
): boolean =>
  Exit.isFailure(exit) && Option.exists(Cause.failureOption(exit.cause), ({ _tag }) => tags.includes(_tag))

/** Returns the last lines of a list: how to continue after a limit, or how to resume after an error. */
const endMessage = <Item>(
  exit: Exit.Exit<void, CommandError>,
  { cursor, hasMore, isPartial, records }: ListProgress & { readonly isPartial: boolean },
  { invocation, list: { recordName }, maxItems, source: { isSinglePage } }: ListJob<Item, ShownList<Item>>,
  isTerminal: boolean
): ReadonlyArray<string> => {
  const hasFailed = Exit.isFailure(exit)
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
