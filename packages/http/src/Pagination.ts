/**
 * Walks: a list from its first page to its last.
 *
 * A list goes on by the service's cursor for as long as pages have one; absent, null or empty ends it. A list whose
 * pages never have the key `cursor` goes on by block, see `Walk/ByBlock.ts`.
 *
 * @since 0.1.0
 */
import { formatResumeCursor, isResumeCursor, parseResumeCursor } from "@blockquarry/core/Cursor"
import { InvalidInputError, type ListOperationError, PaginationError } from "@blockquarry/core/OperationError"
import { nextCursor, type Page } from "@blockquarry/core/Page"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as BlockCursor from "./internal/pagination/BlockCursor.ts"
import type { PageSource } from "./internal/pagination/PageSource.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface PaginationOptions {
  /** Where to start: the `cursor` of a page of an earlier walk. */
  readonly cursor?: string | undefined
  /** Ends the stream after this many pages. */
  readonly maxPages?: number | undefined
  /** Ends the stream after this many records. */
  readonly maxItems?: number | undefined
  /** How many pages lie ready for the reader while one more is fetched; none are fetched ahead where nothing is said. */
  readonly prefetch?: number | undefined
}

/** What is asked next, and what is remembered of the pages before. */
interface PaginationState<I> {
  readonly input: I
  /** The list that is walked, as its own cursors name it. */
  readonly listId: string
  /** Cursors that were followed. */
  readonly seenCursors: Set<string>
  /** Whether a page had the key `cursor`: then cursors alone decide how the walk goes on. */
  readonly usesCursors: boolean
  /** Where a walk by blocks stands, or stood when cursors took over; null where there was none. */
  readonly blockPosition: BlockCursor.BlockPosition | null
}

/** A page, and where to go on. */
type PageStep<I, Output> = readonly [Output, Option.Option<PaginationState<I>>]

/**
 * Every page to the end of the list. The `cursor` of each continues after it, and is null on the last.
 *
 * @since 0.1.0
 * @category streams
 */
export const pages = <I extends { readonly cursor?: string }, Output extends Page<Item>, Item>(
  pageSource: PageSource<I, Output, Item>,
  input: I,
  options: PaginationOptions = {}
): Stream.Stream<Output, ListOperationError> => {
  const allPages = Stream.unwrap(
    // Begun anew for each run of the stream: what was seen belongs to one walk.
    Effect.suspend(() => initialState(pageSource, input, options.cursor ?? input.cursor)).pipe(
      Effect.map((state) => Stream.paginateEffect(state, (state) => nextPage(pageSource, state)))
    )
  )
  const bounded = options.maxPages === undefined ? allPages : Stream.take(allPages, options.maxPages)
  return options.prefetch === undefined || options.prefetch < 1
    ? bounded
    : Stream.buffer(bounded, { capacity: options.prefetch })
}

/**
 * Every record to the end of the list, one chunk for each page.
 *
 * @since 0.1.0
 * @category streams
 */
export const items = <I extends { readonly cursor?: string }, Output extends Page<Item>, Item>(
  pageSource: PageSource<I, Output, Item>,
  input: I,
  options: PaginationOptions = {}
): Stream.Stream<Item, ListOperationError> => {
  const all = Stream.mapConcatChunk(
    pages(pageSource, input, options),
    (page) => Chunk.unsafeFromArray(page.result)
  )
  return options.maxItems === undefined ? all : Stream.take(all, options.maxItems)
}

/** Before the first page: at the beginning, behind a service's cursor, or where a cursor of our own points. */
const initialState = <I, Output extends Page<Item>, Item>(
  pageSource: PageSource<I, Output, Item>,
  input: I,
  cursor: string | undefined
): Either.Either<PaginationState<I>, InvalidInputError> => {
  const seenCursors = new Set<string>()
  const direction = pageSource.direction(input)
  const listId = pageSource.listId(input)
  // Empty text is an omitted parameter, here as everywhere.
  if (cursor === undefined || cursor === "") {
    return Either.right({
      input,
      listId,
      seenCursors,
      blockPosition: pageSource.byBlock === undefined ? null : BlockCursor.startPosition(direction),
      usesCursors: false
    })
  }
  if (!isResumeCursor(cursor)) {
    return Either.map(
      pageSource.afterCursor(input, cursor),
      (input) => ({
        input,
        listId,
        seenCursors: seenCursors.add(cursor),
        blockPosition: null,
        usesCursors: true
      })
    )
  }
  const invalid = (reason: string) =>
    new InvalidInputError({ operation: pageSource.id, issues: [{ parameter: "cursor", reason }] })
  return Either.gen(function*() {
    const parsed = yield* Either.mapLeft(parseResumeCursor(cursor), invalid)
    if (
      parsed.operation !== pageSource.id || parsed.direction !== direction ||
      parsed.parameters !== listId
    ) {
      return yield* Either.left(
        invalid("this cursor is of another list; use it with the parameters that it came from")
      )
    }
    return {
      input: yield* pageSource.fromBlock(input, direction, parsed.block, parsed.limit),
      listId,
      seenCursors,
      blockPosition: BlockCursor.fromCursor(parsed),
      usesCursors: false
    }
  })
}

/** Asks one page, and works out what is asked after it. */
const nextPage = <I, Output extends Page<Item>, Item>(
  pageSource: PageSource<I, Output, Item>,
  state: PaginationState<I>
): Effect.Effect<PageStep<I, Output>, ListOperationError> =>
  Effect.flatMap(
    pageSource.fetchPage(state.input),
    (page): Either.Either<PageStep<I, Output>, ListOperationError> => {
      const { blockPosition } = state
      const ordering = pageSource.byBlock
      if (blockPosition === null || ordering === undefined) return continueByCursor(pageSource, state, page)
      if (page.cursor === undefined && !state.usesCursors) {
        return continueByBlock(pageSource, state, blockPosition, page, ordering)
      }
      // A page with a cursor, after pages without: cursors decide from here on, and what was given stays dropped.
      const { newItems, position: remaining } = BlockCursor.dropDelivered(
        blockPosition,
        page.result,
        ordering
      )
      return continueByCursor(pageSource, { ...state, blockPosition: remaining, usesCursors: true }, {
        ...page,
        result: newItems
      })
    }
  )

const continueByCursor = <I, Output extends Page<Item>, Item>(
  pageSource: PageSource<I, Output, Item>,
  state: PaginationState<I>,
  page: Output
): Either.Either<PageStep<I, Output>, PaginationError | InvalidInputError> => {
  const { input, seenCursors } = state
  const cursor = nextCursor(page)
  if (cursor === undefined) return Either.right([{ ...page, cursor: null }, Option.none()])
  if (seenCursors.has(cursor)) {
    return Either.left(
      new PaginationError({
        operation: pageSource.id,
        reason: "CursorRepeated",
        description: "the service sent a cursor that it had sent before; following it would never end"
      })
    )
  }
  return Either.map(
    pageSource.afterCursor(input, cursor),
    (input) => [page, Option.some({ ...state, input, seenCursors: seenCursors.add(cursor) })]
  )
}

const continueByBlock = <I, Output extends Page<Item>, Item>(
  pageSource: PageSource<I, Output, Item>,
  state: PaginationState<I>,
  blockPosition: BlockCursor.BlockPosition,
  page: Output,
  ordering: BlockCursor.BlockOrdering<Item>
): Either.Either<PageStep<I, Output>, ListOperationError> =>
  Either.gen(function*() {
    const { input, listId } = state
    const paginationError = (problem: BlockCursor.PaginationProblem) =>
      new PaginationError({ operation: pageSource.id, ...problem })
    const { newItems, next } = yield* Either.mapLeft(
      BlockCursor.advance(blockPosition, page, ordering),
      paginationError
    )
    if (next === null) return [{ ...page, result: newItems, cursor: null }, Option.none()] as const
    const { block, direction } = next
    const limit = pageSource.limit(input)
    const cursor = formatResumeCursor(BlockCursor.toCursor(next, pageSource.id, listId, limit))
    // The caller's range was in order, so only a block from outside of it can put it in disorder.
    const nextInput = yield* Either.mapLeft(pageSource.fromBlock(input, direction, block, limit), () =>
      paginationError({
        reason: "OutOfOrder",
        description: `the service sent block ${block}, which was not asked for`
      }))
    return [
      { ...page, result: newItems, cursor },
      Option.some({ ...state, input: nextInput, blockPosition: next })
    ] as const
  })
