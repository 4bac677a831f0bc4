/** How much of a list is printed, and where it continues. */
import type { RecordPage } from "./RecordSource.ts"

export interface ListProgress {
  readonly records: number
  /** Pages whose records are all printed. */
  readonly pages: number
  /** Continues after the printed records; null if there are none, or the list cannot be continued there. */
  readonly cursor: string | null
  readonly hasMore: boolean
}

interface OpenPage extends Pick<RecordPage<unknown>, "cursorAfter" | "nextCursor"> {
  readonly length: number
  printed: number
}

export interface ProgressTracker {
  /** Adds a page whose records are going to be printed. */
  readonly addPage: (page: RecordPage<unknown>) => void
  /** Adds printed records, at most those of the pages. */
  readonly addRecords: (count: number) => void
  readonly progress: () => ListProgress
}

export const trackProgress = (): ProgressTracker => {
  /** Without the records, because `--jq` may hold all pages back. */
  const open: Array<OpenPage> = []
  let [records, pages] = [0, 0]
  let last: string | null | undefined = undefined
  const closePages = () => {
    for (let page = open[0]; page !== undefined && page.printed === page.length; page = open[0]) {
      last = page.nextCursor
      pages++
      open.shift()
    }
  }
  return {
    addPage: ({ cursorAfter, items: { length }, nextCursor }) => {
      open.push({ cursorAfter, nextCursor, length, printed: 0 })
      closePages()
    },
    addRecords: (count) => {
      let left = count
      for (const page of open) {
        const added = Math.min(left, page.length - page.printed)
        page.printed += added
        records += added
        left -= added
      }
      closePages()
    },
    progress: () => {
      const { cursorAfter, printed = 0 } = open[0] ?? {}
      return {
        records,
        pages,
        cursor: (printed > 0 ? cursorAfter?.(printed) : last) ?? null,
        // Without a cursor more pages are possible
        hasMore: open.length > 0 || last !== null
      }
    }
  }
}
