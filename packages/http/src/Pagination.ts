/**
 * Pagination: a list as a stream of pages or records.
 *
 * Pagination follows the cursors of the upstream, and ends with an absent, null or empty cursor. A list whose first page
 * does not have the key `cursor` is paginated by block: see `internal/pagination/BlockCursor.ts`.
 */
import { formatResumeCursor, isResumeCursor, parseResumeCursor, ResumeCursor } from "@blockquarry/core/Cursor"
import { InvalidInputError, type ListOperationError, PaginationError } from "@blockquarry/core/OperationError"
import { type CursorPage, nextCursor, type PageRepeats } from "@blockquarry/core/Page"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type CallOptions, CurrentCallOptions } from "./CallOptions.ts"
import { NonNegativeInteger, option, type PartialPolicy, Text } from "./gateway/Options.ts"
import * as BlockCursor from "./internal/pagination/BlockCursor.ts"
import type { PageSource } from "./internal/pagination/PageSource.ts"
import * as Repeats from "./internal/pagination/Repeats.ts"

/** Options of a list of pages or records. */
export interface PaginationOptions extends PartialPolicy<Schema.Schema.Type<typeof schema>> {}

/** Options of a list: for each of its requests, and for the stream. */
export interface ListCallOptions extends CallOptions, PaginationOptions {}

/** The schema of the options of a stream. */
export const schema = Schema.Struct({
  /** Where to start: the `cursor` of an earlier page. Default: the first page. */
  cursor: Text,
  /** Ends the list after this many pages. */
  maxPages: NonNegativeInteger,
  /** Ends the list after this many records. A list of pages ends with the page that reaches it. */
  maxItems: NonNegativeInteger,
  /** Number of pages to keep ahead of the consumer; one more is fetched meanwhile. Default: 0. */
  prefetch: NonNegativeInteger,
  /** Identities of the records of the page before `cursor`, which the next page is compared with. Default: none. */
  previous: option("a list of strings", Schema.is(Schema.Array(Schema.String))),
  /** Called with what each page has in common with the page before it, when it is fetched. What it throws ends the list. */
  onPage: option(
    "a function",
    (value): value is (repeats: PageRepeats) => void => typeof value === "function"
  )
})

/** After so many pages in a row that have only records of the page before, a list fails. */
const maxRepeatedPages = 10

/** The input of the next page, and what is known from the previous pages. */
interface PaginationState<I> {
  readonly input: I
  /** Identifies the list in resume cursors. */
  readonly listId: string
  /** The cursors that were followed. */
  readonly seenCursors: Repeats.SeenCursors
  /** The identities of the last page with records, and how many pages in a row had no others. */
  readonly previous: ReadonlySet<string>
  readonly repeatedPages: number
  /** The position of pagination by block. Null for lists with cursors. */
  readonly blockPosition: BlockCursor.BlockPosition | null
}

/** A page, and the state for the next one. */
type PageStep<I, Output> = readonly [Output, Option.Option<PaginationState<I>>, PageRepeats]

/**
 * Streams every page of a list. The `cursor` of a page continues the list after it; null on the last page. A record that has the
 * identity of one of the page before is left out.
 */
export const pages = <I extends { readonly cursor?: string }, Output extends CursorPage<Item>, Item>(
  pageSource: PageSource<I, Output, Item>,
  input: I,
  options: PaginationOptions = {}
): Stream.Stream<Output, ListOperationError> => {
  const { maxItems = Number.POSITIVE_INFINITY, maxPages = Number.POSITIVE_INFINITY, prefetch = 0 } = options
  if (maxItems <= 0 || maxPages <= 0) return Stream.empty
  const fetched = Stream.unwrap(
    // Each run of the stream has its own state.
    Effect.map(initialState(pageSource, input, options), (state) => {
      let [pageCount, itemCount, leftOut, unidentified] = [0, 0, 0, 0]
      const report = Effect.suspend(() =>
        leftOut + unidentified === 0 ? Effect.void : Effect.logWarning(
          `${pageSource.id}: ` + [
            leftOut > 0 && `left out ${leftOut} record${leftOut > 1 ? "s" : ""} that the page before had too`,
            unidentified > 0 && `${unidentified} without an identity may be repeated`
          ].filter(Boolean).join("; ")
        )
      )
      const pages = Stream.paginateEffect(
        state,
        (state) =>
          Effect.map(nextPage(pageSource, state), ([page, next, repeats]) => {
            pageCount += 1
            itemCount += page.result.length
            leftOut += repeats.leftOut.length
            unidentified += repeats.unidentified
            options.onPage?.(repeats)
            return [page, pageCount < maxPages && itemCount < maxItems ? next : Option.none()]
          })
      )
      return Stream.ensuring(pages, report)
    })
  )
  return prefetch < 1 ? fetched : prefetching(fetched, prefetch)
}

/** Streams every record of a list, one chunk per page. */
export const items = <I extends { readonly cursor?: string }, Output extends CursorPage<Item>, Item>(
  pageSource: PageSource<I, Output, Item>,
  input: I,
  options: PaginationOptions = {}
): Stream.Stream<Item, ListOperationError> =>
  Stream.suspend(() => {
    let remaining = options.maxItems ?? Number.POSITIVE_INFINITY
    return Stream.mapConcatChunk(pages(pageSource, input, options), ({ result }) => {
      const items = result.length <= remaining ? result : result.slice(0, remaining)
      remaining -= items.length
      return Chunk.unsafeFromArray(items)
    })
  })

/** Like `Stream.bufferChunks`, which would add 0.6 kB to every bundle. */
const prefetching = <Output, E>(
  pages: Stream.Stream<Output, E>,
  capacity: number
): Stream.Stream<Output, E> =>
  Stream.unwrapScoped(
    Effect.gen(function*() {
      const queue = yield* Queue.bounded<Effect.Effect<Output, Option.Option<E>>>(capacity)
      yield* Stream.runForEach(pages, (page) => Queue.offer(queue, Effect.succeed(page))).pipe(
        Effect.matchCauseEffect({
          onFailure: (cause) => Queue.offer(queue, Effect.failCause(Cause.map(cause, Option.some))),
          onSuccess: () => Queue.offer(queue, Effect.fail(Option.none()))
        }),
        Effect.forkScoped
      )
      return Stream.repeatEffectOption(Effect.flatten(Queue.take(queue)))
    })
  )

/** Returns the state before the first page: at the start, after a cursor of the upstream, or at a resume cursor. */
const initialState = <I extends { readonly cursor?: string }, Output extends CursorPage<Item>, Item>(
  pageSource: PageSource<I, Output, Item>,
  input: I,
  { cursor = input.cursor, previous }: PaginationOptions
): Effect.Effect<PaginationState<I>, InvalidInputError> =>
  Effect.gen(function*() {
    const { block: blockOf, id } = pageSource
    const { query = {} } = yield* CurrentCallOptions
    const direction = pageSource.direction(input)
    const start: PaginationState<I> = {
      input,
      listId: pageSource.listId(input, query),
      seenCursors: Repeats.seenCursors(),
      previous: new Set(previous),
      repeatedPages: 0,
      blockPosition: null
    }
    // An empty value is an omitted parameter.
    if (cursor === undefined || cursor === "") {
      return blockOf === undefined ? start : { ...start, blockPosition: BlockCursor.startPosition(direction) }
    }
    if (!isResumeCursor(cursor)) {
      start.seenCursors.add(cursor)
      return { ...start, input: yield* pageSource.afterCursor(input, cursor) }
    }
    const invalid = (reason: string) =>
      new InvalidInputError({ operation: id, issues: [{ parameter: "cursor", reason }] })
    const position = yield* Either.mapLeft(parseResumeCursor(cursor), invalid)
    const { block, limit, operation, parameters } = position
    if (operation !== id || position.direction !== direction || parameters !== start.listId) {
      return yield* invalid(
        "the cursor belongs to another list; use it with the operation and parameters that returned it"
      )
    }
    return { ...start, input: yield* pageSource.fromBlock(input, block, limit), blockPosition: position }
  })

/** Fetches one page, and returns the state for the next one. */
const nextPage = <I, Output extends CursorPage<Item>, Item>(
  pageSource: PageSource<I, Output, Item>,
  state: PaginationState<I>
): Effect.Effect<PageStep<I, Output>, ListOperationError> =>
  Effect.gen(function*() {
    const { blockPosition, input, listId, previous, seenCursors } = state
    const { block: blockOf, id: operation, identity } = pageSource
    const paginationError = (problem: BlockCursor.PaginationProblem) =>
      new PaginationError({ operation, ...problem })
    const page = yield* pageSource.fetchPage(input)
    if (
      blockOf !== undefined && blockPosition !== null &&
      (blockPosition.block !== null || page.cursor === undefined)
    ) {
      const advanced = BlockCursor.advance(blockPosition, page, { block: blockOf, identity })
      const { newItems, next } = yield* Either.mapLeft(advanced, paginationError)
      if (next === null) return [{ ...page, result: newItems, cursor: null }, Option.none(), Repeats.none]
      const { block } = next
      const limit = pageSource.limit(input)
      // The requested range was valid, so this fails only for a block outside of it.
      const nextInput = yield* Either.mapLeft(pageSource.fromBlock(input, block, limit), () =>
        paginationError({
          reason: "OutOfOrder",
          description: `the upstream returned block ${block}, which is outside of the requested range`
        }))
      const cursor = formatResumeCursor(new ResumeCursor({ operation, parameters: listId, ...next, limit }))
      return [
        { ...page, result: newItems, cursor },
        Option.some({ ...state, input: nextInput, blockPosition: next }),
        Repeats.none
      ]
    }
    const cursor = nextCursor(page)
    const { known, length, newItems, repeats } = Repeats.compare(page.result, previous, identity)
    const newPage = { ...page, result: newItems, cursor: cursor ?? null }
    if (cursor === undefined) return [newPage, Option.none(), repeats]
    if (!seenCursors.add(cursor)) {
      return yield* paginationError({
        reason: "CursorRepeated",
        description: "the upstream returned the same cursor twice; following it would never end"
      })
    }
    const repeatedPages = length === 0 ? state.repeatedPages : known === length ? state.repeatedPages + 1 : 0
    if (repeatedPages === maxRepeatedPages) {
      return yield* paginationError({
        reason: "PagesRepeated",
        description:
          `the upstream returned ${maxRepeatedPages} pages in a row with the records of the page before`
      })
    }
    const next = {
      ...state,
      input: yield* pageSource.afterCursor(input, cursor),
      previous: new Set(repeats.identities),
      repeatedPages,
      blockPosition: null
    }
    return [newPage, Option.some(next), repeats]
  })
