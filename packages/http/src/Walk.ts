/**
 * Walks: a list from its first page to its last.
 *
 * A list goes on by the service's cursor for as long as pages have one; absent, null or empty ends it. A list whose
 * pages never have the key `cursor` goes on by block, see `Walk/ByBlock.ts`.
 *
 * @since 0.1.0
 */
import { formatWalkCursor, isWalkCursor, parseWalkCursor } from "@blockquarry/core/Cursor"
import { nextCursor, type Page } from "@blockquarry/core/Page"
import { InvalidRequest, WalkBroken, type WalkError } from "@blockquarry/core/QueryError"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as ByBlock from "./Walk/ByBlock.ts"
import type { Question } from "./Walk/Question.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface WalkOptions {
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
interface State<I> {
  readonly input: I
  /** The list that is walked, as its own cursors name it. */
  readonly list: string
  /** Cursors that were followed. */
  readonly seen: Set<string>
  /** Whether a page had the key `cursor`: then cursors alone decide how the walk goes on. */
  readonly byCursor: boolean
  /** Where a walk by blocks stands, or stood when cursors took over; null where there was none. */
  readonly place: ByBlock.Place | null
}

/** A page, and where to go on. */
type Step<I, Output> = readonly [Output, Option.Option<State<I>>]

/**
 * Every page to the end of the list. The `cursor` of each continues after it, and is null on the last.
 *
 * @since 0.1.0
 * @category streams
 */
export const pages = <I extends { readonly cursor?: string }, Output extends Page<Item>, Item>(
  question: Question<I, Output, Item>,
  input: I,
  options: WalkOptions = {}
): Stream.Stream<Output, WalkError> => {
  const walk = Stream.unwrap(
    // Begun anew for each run of the stream: what was seen belongs to one walk.
    Effect.suspend(() => begin(question, input, options.cursor ?? input.cursor)).pipe(
      Effect.map((state) => Stream.paginateEffect(state, (state) => step(question, state)))
    )
  )
  const bounded = options.maxPages === undefined ? walk : Stream.take(walk, options.maxPages)
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
  question: Question<I, Output, Item>,
  input: I,
  options: WalkOptions = {}
): Stream.Stream<Item, WalkError> => {
  const all = Stream.mapConcatChunk(
    pages(question, input, options),
    (page) => Chunk.unsafeFromArray(page.result)
  )
  return options.maxItems === undefined ? all : Stream.take(all, options.maxItems)
}

/** Before the first page: at the beginning, behind a service's cursor, or where a cursor of our own points. */
const begin = <I, Output extends Page<Item>, Item>(
  question: Question<I, Output, Item>,
  input: I,
  cursor: string | undefined
): Either.Either<State<I>, InvalidRequest> => {
  const seen = new Set<string>()
  const direction = question.direction(input)
  const list = question.text(input)
  // Empty text is an omitted parameter, here as everywhere.
  if (cursor === undefined || cursor === "") {
    return Either.right({
      input,
      list,
      seen,
      place: question.byBlock === undefined ? null : ByBlock.start(direction),
      byCursor: false
    })
  }
  if (!isWalkCursor(cursor)) {
    return Either.map(
      question.behind(input, cursor),
      (input) => ({ input, list, seen: seen.add(cursor), place: null, byCursor: true })
    )
  }
  const invalid = (problem: string) =>
    new InvalidRequest({ operation: question.id, issues: [{ parameter: "cursor", problem }] })
  return Either.gen(function*() {
    const parsed = yield* Either.mapLeft(parseWalkCursor(cursor), invalid)
    if (
      parsed.operation !== question.id || parsed.direction !== direction ||
      parsed.parameters !== list
    ) {
      return yield* Either.left(
        invalid("this cursor is of another list; use it with the parameters that it came from")
      )
    }
    return {
      input: yield* question.from(input, direction, parsed.block, parsed.limit),
      list,
      seen,
      place: ByBlock.fromCursor(parsed),
      byCursor: false
    }
  })
}

/** Asks one page, and works out what is asked after it. */
const step = <I, Output extends Page<Item>, Item>(
  question: Question<I, Output, Item>,
  state: State<I>
): Effect.Effect<Step<I, Output>, WalkError> =>
  Effect.flatMap(question.ask(state.input), (page): Either.Either<Step<I, Output>, WalkError> => {
    const { place } = state
    const by = question.byBlock
    if (place === null || by === undefined) return byCursor(question, state, page)
    if (page.cursor === undefined && !state.byCursor) return byBlock(question, state, place, page, by)
    // A page with a cursor, after pages without: cursors decide from here on, and what was given stays dropped.
    const { fresh, place: left } = ByBlock.unseen(place, page.result, by)
    return byCursor(question, { ...state, place: left, byCursor: true }, { ...page, result: fresh })
  })

const byCursor = <I, Output extends Page<Item>, Item>(
  question: Question<I, Output, Item>,
  state: State<I>,
  page: Output
): Either.Either<Step<I, Output>, WalkBroken | InvalidRequest> => {
  const { input, seen } = state
  const cursor = nextCursor(page)
  if (cursor === undefined) return Either.right([{ ...page, cursor: null }, Option.none()])
  if (seen.has(cursor)) {
    return Either.left(
      new WalkBroken({
        operation: question.id,
        reason: "CursorRepeated",
        problem: "the service sent a cursor that it had sent before; following it would never end"
      })
    )
  }
  return Either.map(
    question.behind(input, cursor),
    (input) => [page, Option.some({ ...state, input, seen: seen.add(cursor) })]
  )
}

const byBlock = <I, Output extends Page<Item>, Item>(
  question: Question<I, Output, Item>,
  state: State<I>,
  place: ByBlock.Place,
  page: Output,
  by: ByBlock.ByBlockOf<Item>
): Either.Either<Step<I, Output>, WalkError> =>
  Either.gen(function*() {
    const { input, list } = state
    const broken = (why: ByBlock.Broken) => new WalkBroken({ operation: question.id, ...why })
    const { fresh, next } = yield* Either.mapLeft(ByBlock.advance(place, page, by), broken)
    if (next === null) return [{ ...page, result: fresh, cursor: null }, Option.none()] as const
    const { block, direction } = next
    const limit = question.limit(input)
    const cursor = formatWalkCursor(ByBlock.toCursor(next, question.id, list, limit))
    // The caller's range was in order, so only a block from outside of it can put it in disorder.
    const moved = yield* Either.mapLeft(question.from(input, direction, block, limit), () =>
      broken({ reason: "OutOfOrder", problem: `the service sent block ${block}, which was not asked for` }))
    return [{ ...page, result: fresh, cursor }, Option.some({ ...state, input: moved, place: next })] as const
  })
