/** Printing a list page by page, and saying where it stopped. */
import { nextCursor, type Page } from "@blockquarry/core/Page"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Failure } from "./Failure.ts"
import type { Format } from "./render/Format.ts"
import { safe } from "./render/Safe.ts"
import { Screen } from "./Screen.ts"

export interface Bounds {
  readonly noun: string
  /** More than one page. */
  readonly all: boolean
  readonly maxItems: number | null
  readonly format: Format
}

/** How far a walk came. `cursor` continues after the last page that was printed whole; null: nothing does. */
interface Progress {
  readonly records: number
  readonly pages: number
  readonly cursor: string | null
  /** Records behind `cursor` that were printed already. */
  readonly beyond: number
  readonly more: boolean
}

interface Printed {
  readonly text: string
  readonly remark: string | null
}

/** Prints pages as they come, and ends with what is left to do, whichever way it ends. */
export const walk = <Output extends Page<unknown>, R>(
  pages: Stream.Stream<Output, Failure, R>,
  bounds: Bounds,
  print: (page: Output, kept: number) => Printed,
  end: () => string
): Effect.Effect<void, Failure, R | Screen> =>
  Effect.gen(function*() {
    const screen = yield* Screen
    let progress: Progress = { records: 0, pages: 0, cursor: null, beyond: 0, more: true }
    const printPage = (page: Output) =>
      Effect.gen(function*() {
        const kept = Math.min(
          page.result.length,
          bounds.maxItems === null ? Infinity : bounds.maxItems - progress.records
        )
        const { remark, text } = print(page, kept)
        if (remark !== null && progress.pages === 0) yield* screen.note(remark)
        const before = progress
        // Whoever is interrupted while the reader is slow has handed the page over already; a page that could not be
        // written has not
        progress = advance(before, page, kept)
        yield* Effect.tapError(screen.print(text), () => Effect.sync(() => (progress = before)))
        // Rows that scroll by show better how far things are
        if (bounds.all && !screen.out.isTerminal) {
          yield* screen.progress(`${progress.records} ${bounds.noun}, ${progress.pages} pages`)
        }
        return bounds.maxItems !== null && progress.records >= bounds.maxItems
      })
    const printAll = pages.pipe(
      Stream.mapEffect(printPage),
      Stream.takeUntil((isEnough) => isEnough),
      Stream.runDrain,
      Effect.zipRight(Effect.suspend(() => screen.print(end())))
    )
    yield* Effect.onExit(printAll, (exit) =>
      Effect.zipRight(
        screen.progress(null),
        Effect.flatMap(
          Effect.sync(() => farewell(exit, progress, bounds)),
          (line) => line === null ? Effect.void : screen.note(safe(line))
        )
      ))
  })

const advance = (before: Progress, page: Page<unknown>, kept: number): Progress => {
  const cursor = nextCursor(page) ?? null
  const isWhole = kept === page.result.length
  return {
    records: before.records + kept,
    pages: before.pages + 1,
    cursor: isWhole ? cursor : before.cursor,
    beyond: isWhole ? 0 : kept,
    // A page without the key says nothing of what is behind it
    more: !isWhole || page.cursor === undefined || cursor !== null
  }
}

/** What remains to be said: how to go on after a part, and where to resume after a break. */
const farewell = (exit: Exit.Exit<void, Failure>, progress: Progress, bounds: Bounds): string | null => {
  const { beyond, cursor, more, records } = progress
  const resume = cursor === null ? "from the beginning" : `with --cursor ${cursor}`
  const repeated = beyond === 0 ? "" : ` (the last ${beyond} of them come again)`
  if (Exit.isSuccess(exit)) {
    if (!more) return records === 0 && bounds.format === "table" ? `no ${bounds.noun}` : null
    if (bounds.all && cursor === null) {
      return `stopped after ${records} ${bounds.noun}; there ${beyond === 0 ? "may be" : "are"} more`
    }
    if (bounds.all) return `stopped after ${records} ${bounds.noun}; go on ${resume}${repeated}`
    return bounds.format === "json"
      ? null
      : `there are more ${bounds.noun}: read all with --all, or go on ${resume}`
  }
  const isClosed = Option.exists(Cause.failureOption(exit.cause), ({ _tag }) => _tag === "OutputClosed")
  if (isClosed || !bounds.all || !more || records === 0) return null
  return `broke off after ${records} ${bounds.noun}; resume ${resume}${repeated}`
}
