import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { RecordPage } from "../list/RecordList.ts"
import { type PageWait, showWait } from "../list/RetryPages.ts"
import { countOf, formatCount } from "../render/Count.ts"
import { formatDuration } from "../render/Time.ts"
import type { TerminalService } from "../terminal/Terminal.ts"

/** Milliseconds between two updates of the line. */
const updateInterval = 100

const units = ["bytes", "kB", "MB", "GB", "TB"]

export const formatBytes = (bytes: number): string => {
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${units[power]}`
}

/** The line of an export, and what it counts. */
export interface ExportProgress {
  readonly page: (page: RecordPage<unknown>) => Effect.Effect<void>
  readonly wait: (wait: PageWait) => Effect.Effect<void>
  readonly counts: Effect.Effect<{
    readonly records: number
    readonly pages: number
    /** Milliseconds. */
    readonly elapsed: number
  }>
}

/** Creates the line of an export that already has `before` records of the list. */
export const makeProgress = (
  terminal: TerminalService,
  recordName: string,
  before: number,
  maxItems: number | null
): Effect.Effect<ExportProgress> =>
  Effect.gen(function*() {
    const start = yield* Clock.currentTimeMillis
    let shownAt = 0
    let records = 0
    let pages = 0
    let total: number | null = null
    const describe = (now: number): string => {
      const done = before + records
      const rate = records / Math.max(0.001, (now - start) / 1000)
      const parts = [
        countOf(done, recordName),
        countOf(pages, "pages"),
        `${formatCount(Math.round(rate))}/s`
      ]
      if (total !== null && total >= done && total > 0) {
        const left = records === 0 ? "" : `, ${formatDuration((total - done) / rate * 1000)} left`
        parts.push(`${Math.floor(done / total * 100)}% of ${formatCount(total)}${left}`)
      }
      return parts.join(", ")
    }
    return {
      page: (page: RecordPage<unknown>) =>
        Effect.gen(function*() {
          records += page.rows.length
          pages++
          if (page.total !== null) total = maxItems === null ? page.total : Math.min(page.total, maxItems)
          if (!terminal.err.isTerminal) return
          const now = yield* Clock.currentTimeMillis
          if (now - shownAt < updateInterval) return
          shownAt = now
          yield* terminal.progress(describe(now))
        }),
      wait: showWait(terminal, Effect.map(Clock.currentTimeMillis, (now) => `${describe(now)}; `)),
      counts: Effect.map(Clock.currentTimeMillis, (now) => ({ records, pages, elapsed: now - start }))
    }
  })
