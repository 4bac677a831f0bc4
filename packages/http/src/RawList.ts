/**
 * Whole lists, record by record as the service wrote them: for programs that pass them on.
 *
 * A page is read, so that the walk goes by the same rules as every other (`Walk`), but what is given are the texts of
 * its records.
 *
 * @since 0.1.0
 */
import type { ListOperation, Operation } from "@blockquarry/core/Operation"
import type { Page } from "@blockquarry/core/Page"
import { type QueryError, ResponseInvalid, type WalkError } from "@blockquarry/core/QueryError"
import { writeRequest } from "@blockquarry/core/Wire"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import type { EngineService } from "./Engine.ts"
import { decode } from "./Engine/Decode.ts"
import { recordTexts } from "./internal/recordTexts.ts"
import type { Served } from "./Served.ts"
import type { Target } from "./Target.ts"
import * as Walk from "./Walk.ts"
import * as Question from "./Walk/Question.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface RawPage {
  /** JSON without line breaks, one text for each record. */
  readonly records: ReadonlyArray<string>
  /** Continues the list after this page; null on the last. */
  readonly cursor: string | null
}

/**
 * Every page of a list, from the beginning or behind a cursor.
 *
 * @since 0.1.0
 * @category streams
 */
export const pages = <
  I extends { readonly cursor?: string },
  Accepts,
  Output extends Page<Item>,
  Wire,
  Item extends object
>(
  operation: ListOperation<I, Accepts, Output, Wire, Item>,
  engine: EngineService,
  target: Target,
  input: I,
  options: Pick<Walk.WalkOptions, "cursor"> = {}
): Stream.Stream<RawPage, WalkError> =>
  Stream.suspend(() => {
    const raw = engine.raw(operation, target)
    // A walk leaves out records that it has given; those that it gives are the ones that were read here.
    const texts = new WeakMap<Item, string>()
    const ask = (input: I): Effect.Effect<Output, QueryError> =>
      Effect.flatMap(raw(input, writeRequest(operation, input, target.arrays)), (served) =>
        Either.flatMap(read(operation, served), (page) => {
          const written = recordTexts(new TextDecoder().decode(served.answer.bytes))
          if (written.length !== page.result.length) {
            return lost(`its text has ${written.length} records, and ${page.result.length} were read`)
          }
          for (const [item, text] of Array.zip(page.result, written)) {
            texts.set(item, text)
          }
          return Either.right(page)
        }))
    /** A record without its text would be left out or made up. */
    const lost = (problem: string): Either.Either<never, ResponseInvalid> => {
      const { method, path } = writeRequest(operation, input, target.arrays)
      return Either.left(
        new ResponseInvalid({
          operation: operation.id,
          request: { method, path },
          status: 200,
          detail: null,
          body: "",
          path: "result",
          problem,
          mayHaveTakenEffect: false
        })
      )
    }
    return Stream.mapEffect(
      Walk.pages(Question.make(operation, ask), input, options),
      ({ cursor, result }) => {
        const records = result.flatMap((item) =>
          texts.get(item) ?? []
        )
        return records.length === result.length
          ? Either.right({ records, cursor: cursor ?? null })
          : lost(`${result.length - records.length} of its ${result.length} records have lost their text`)
      }
    )
  })

const read = <I, Accepts, Output, Wire>(
  operation: Operation<I, Accepts, Output, Wire>,
  { verdict }: Served
): Either.Either<Output, QueryError> => {
  const meaning = verdict()
  return meaning._tag === "Whole" ? decode(operation, meaning) : Either.left(meaning.error)
}
