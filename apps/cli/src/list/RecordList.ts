/** Lists of records: of an operation, of many inputs or of a watch. Their pages arrive one by one. */
import { isResumeCursor } from "@blockquarry/core/Cursor"
import type { AnyOperation } from "@blockquarry/core/Operation"
import type { PageRepeats } from "@blockquarry/core/Page"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import type { ChartBuilder } from "../chart/Chart.ts"
import type { ApiClients } from "../connection/ApiClients.ts"
import type { CommandError, UsageError } from "../errors/CommandError.ts"
import type { RecordField } from "../formats/RecordFields.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import type { Column } from "../render/Table.ts"
import type { CommandTerminal, TerminalService } from "../terminal/Terminal.ts"
import { sanitize } from "../text/Sanitize.ts"
import { formatListCursor, type ListCursor, parseListCursor } from "./ListOptions.ts"

/** A record as every output prints it: the encoded form of the operation. Amounts are exact strings. */
export type EncodedRecord = Readonly<Record<string, unknown>>

/** Where a list continues. */
export interface ListPosition {
  /** Null at the end of the list; undefined if the list cannot be continued here. */
  readonly cursor: string | null | undefined
  /** The identities of the records of the page before the cursor, which it does not contain. */
  readonly previous: ReadonlyArray<string>
}

/** A record of a list, with the position after it. */
export interface RecordRow<out Item> {
  /** The decoded record, for tables and charts. */
  readonly item: Item
  /** Returns the encoded record. Its page is encoded when the first one is needed. */
  readonly record: () => EncodedRecord
  readonly after: () => ListPosition
}

export interface RecordPage<out Item> extends Pick<PageRepeats, "unidentified"> {
  readonly rows: ReadonlyArray<RecordRow<Item>>
  /** The position after the page, which may have no rows. */
  readonly end: ListPosition
  /** The number of records of the whole list, if the upstream states it. */
  readonly total: number | null
  /** A remark about the page, to print with the first page. */
  readonly note: string | null
  /** Whether the page is read from its beginning. What is not in it counts once. */
  readonly isStart: boolean
  /** The number of records that the page before had too. */
  readonly leftOut: number
  /** The records that cannot be read. */
  readonly invalid: ReadonlyArray<InvalidRecord>
}

/** A record that cannot be read: where in the page of the service and why, as in `result[3].value`, and its text. */
export interface InvalidRecord {
  readonly path: string
  readonly reason: string
  readonly text: string
}

/** Names the records of a page that cannot be read. */
export const noteInvalid = ({ note }: TerminalService, { invalid }: RecordPage<unknown>, page: number) =>
  Effect.forEach(
    invalid,
    ({ path, reason }) => note(sanitize(`left out of page ${page}: ${path}: ${reason}`))
  )

/** The records that an invocation selects. They can be read from the beginning or from a cursor. */
export interface RecordSource<in out Item> {
  /** The input of the operation, or what many inputs have in common. */
  readonly input: unknown
  /** The address that all records concern, in lower case; null if there is none. */
  readonly subject: string | null
  readonly warning: string | null
  /** Whether the list ends after one page although the upstream has more. */
  readonly isSinglePage: boolean
  /** Returns the builder of a chart of the records, if they have one. */
  readonly chart?: () => Promise<ChartBuilder<Item>> | undefined
  /** `previous` has the identities of the records before the cursor. */
  readonly pages: (
    cursor?: string,
    previous?: ReadonlyArray<string>
  ) => Stream.Stream<RecordPage<Item>, CommandError>
}

/** How commands show the records of a list. */
export interface ShownList<in Item> {
  /** The fields of the encoded records, which are the columns of flat formats. */
  readonly fields: ReadonlyArray<RecordField>
  /** Plural noun for messages. */
  readonly recordName: string
  readonly columns: ReadonlyArray<Column<Item>>
  /** Returns whether a record is less important than the others, for example because it is possible spam. */
  readonly isDimmed: (item: Item) => boolean
}

export type OpenSource<Item> = Effect.Effect<RecordSource<Item>, CommandError, ApiClients | CommandTerminal>

/** A list without the types of its operation: how commands read and show its records. */
export interface RecordList<in out Item> extends ShownList<Item> {
  readonly operation: AnyOperation
  /** Decodes the input of the list, which fails at once, and returns how to make its source. */
  readonly sourceOf: (invocation: CommandInvocation) => Either.Either<OpenSource<Item>, UsageError>
}

/** A page as the client returns it. */
interface ReadPage<out Item> {
  readonly cursor?: string | null
  readonly result: ReadonlyArray<Item>
  readonly total?: number | null
}

/** What a page has in common with the page before it, and the identities of that. */
export interface PageContext extends PageRepeats {
  readonly previous: ReadonlyArray<string>
  readonly invalid: ReadonlyArray<InvalidRecord>
}

const noContext: PageContext = { leftOut: [], unidentified: 0, identities: [], previous: [], invalid: [] }

/**
 * Makes a page without its first records. `start` is where it begins, counted in the records of the service; null if the list
 * cannot be continued inside it.
 */
export const recordPage = <Item>(
  start: ListCursor | null,
  { cursor, result, total = null }: ReadPage<Item>,
  encoded: () => ReadonlyArray<unknown>,
  note: string | null = null,
  { identities, invalid, leftOut, previous, unidentified }: PageContext = noContext
): RecordPage<Item> => {
  const skip = start?.skip ?? 0
  const isLeftOut = new Set(leftOut)
  const places = Array.from({ length: result.length + leftOut.length }, (_, place) => place)
    .filter((place) => !isLeftOut.has(place))
  const skipped = places.filter((place) => place < skip).length
  // Of a page that is smaller than what is left out, the next one leaves out the rest
  const rest = { page: cursor ?? undefined, skip: Math.max(0, skip - places.length - leftOut.length) }
  const end = { cursor: cursor === "" ? null : cursor && formatListCursor(rest), previous: identities }
  let records: ReadonlyArray<EncodedRecord> | null = null
  return {
    rows: result.slice(skipped).map((item, index) => ({
      item,
      record: () => (records ??= encoded().filter(Predicate.isRecord))[skipped + index] ?? {},
      after: () => {
        const next = places[skipped + index + 1]
        if (next === undefined) return end
        const cursor = start === null ? undefined : formatListCursor({ page: start.page, skip: next })
        return { cursor, previous }
      }
    })),
    end,
    total,
    note,
    isStart: skip === 0,
    leftOut: leftOut.length,
    unidentified,
    invalid
  }
}

/** Makes the pages of a list that is read from `start`. `nextContext` is called once for each of them. */
export const recordPages = <A extends ReadPage<unknown>, Item>(
  start: ListCursor,
  toRecordPage: (position: ListCursor, page: A, context: PageContext) => RecordPage<Item>,
  previous: ReadonlyArray<string> = [],
  nextContext: () => Omit<PageContext, "previous"> | undefined = () => undefined
) =>
<E, R>(pages: Stream.Stream<A, E, R>): Stream.Stream<RecordPage<Item>, E, R> =>
  Stream.mapAccum(pages, { position: start, previous }, ({ position, previous }, page) => {
    const context = nextContext() ?? noContext
    // Pagination by block reads the last block again, and with it what cannot be read
    const known = isResumeCursor(position.page ?? "") ? previous : []
    const digests = context.invalid.map(({ text }) => createHash("sha256").update(text).digest("hex"))
    const invalid = context.invalid.filter((_, index) => !known.includes(digests[index] ?? ""))
    const identities = [...context.identities, ...digests]
    const skip = Math.max(0, position.skip - page.result.length - context.leftOut.length)
    return [
      { position: { page: page.cursor ?? undefined, skip }, previous: identities },
      toRecordPage(position, page, { ...context, identities, invalid, previous })
    ]
  })

/** Ends a list after `maxItems` records (null: no limit). The last page may be cut. */
export const limitRecords =
  (maxItems: number | null) =>
  <Item, E, R>(pages: Stream.Stream<RecordPage<Item>, E, R>): Stream.Stream<RecordPage<Item>, E, R> =>
    maxItems === null ? pages : pages.pipe(
      Stream.mapAccum(maxItems, (count, page) => {
        const left = count - page.rows.length
        return [left, [left < 0 ? firstRows(page, count) : page, left <= 0] as const]
      }),
      Stream.takeUntil(([, isLast]) => isLast),
      Stream.map(([page]) => page)
    )

const firstRows = <Item>(page: RecordPage<Item>, count: number): RecordPage<Item> => {
  const rows = page.rows.slice(0, count)
  const end = rows.at(-1)?.after() ?? page.end
  const { page: start = "", skip } = parseListCursor(end.cursor ?? "")
  // Pagination by block counts without the records that it read again
  const invalid = page.invalid.filter(({ path }, index) =>
    isResumeCursor(start) || Number(/\d+/.exec(path)?.[0]) - index < skip
  )
  return { ...page, rows, end, invalid }
}

/** Results, and why there are no more. The results precede the error. */
export interface TransformedRecords<out Row = unknown> {
  readonly values: ReadonlyArray<Row>
  readonly error: CommandError | null
}

/** Transforms the one stream of records. It may keep state, so it belongs to one run of a list. */
export interface RecordTransform {
  /** The fields of the results; null if they have no common fields. */
  readonly fields: ReadonlyArray<RecordField> | null
  /** Whether it holds records back until the end, so that a list cannot continue in the middle. */
  readonly holdsRecords: boolean
  /** Returns what the next records become: more, fewer or other values. */
  readonly apply: (records: ReadonlyArray<EncodedRecord>) => Effect.Effect<TransformedRecords, CommandError>
  readonly end: Effect.Effect<TransformedRecords, CommandError>
  /** Fails as `--exit-status` says, once all values are printed. */
  readonly status: Effect.Effect<void, CommandError>
}

/** How many of many inputs were read, and how many of them failed. */
interface InputCounts {
  readonly failed: number
  readonly total: number
}

/** What the sink of many inputs reports about them. */
export interface JobInputs {
  /** The name of a source that can be read only once; null for a file. */
  readonly pipe: string | null
  /** Prints the inputs that failed, before the last lines. */
  readonly report: (exit: Exit.Exit<unknown, CommandError>) => Effect.Effect<void>
  readonly counts: () => InputCounts
  /** Takes the counts of an earlier run. */
  readonly restore: (counts: InputCounts | null) => void
}

/**
 * A list command: source -> limit -> transform -> sink. The sink is stdout (`printRecords`), or what an option selects
 * instead; each sink reads `source.pages()` and applies `limitRecords(maxItems)` and `transform`.
 */
export interface ListJob<in out Item, out List extends ShownList<Item> = RecordList<Item>> {
  readonly list: List
  readonly source: RecordSource<Item>
  readonly maxItems: number | null
  /** How long an outage may last. Zero if the source retries by itself. */
  readonly retryFor: Duration.Duration
  /** Null if the records are printed as they are. */
  readonly transform: RecordTransform | null
  readonly invocation: CommandInvocation
  readonly inputs?: JobInputs | undefined
}
