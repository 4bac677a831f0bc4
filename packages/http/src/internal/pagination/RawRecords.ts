/**
 * Whole lists, record by record as the service wrote them: for programs that pass them on.
 *
 * A page is read, so that the walk goes by the same rules as every other (`Walk`), but what is given are the texts of
 * its records.
 *
 * @since 0.1.0
 */
import type { ListOperation, Operation } from "@blockquarry/core/Operation"
import {
  InvalidResponseError,
  type ListOperationError,
  type OperationError
} from "@blockquarry/core/OperationError"
import type { Page } from "@blockquarry/core/Page"
import { encodeRequest } from "@blockquarry/core/RequestEncoding"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as Pagination from "../../Pagination.ts"
import { decode } from "../pipeline/Decode.ts"
import type { EngineService } from "../pipeline/Engine.ts"
import type { EngineResponse } from "../pipeline/EngineResponse.ts"
import type { Upstream } from "../pipeline/Upstream.ts"
import * as PageSource from "./PageSource.ts"
import { recordTexts } from "./RecordTexts.ts"

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
  InputEncoded,
  Output extends Page<Item>,
  OutputEncoded,
  Item extends object
>(
  operation: ListOperation<I, InputEncoded, Output, OutputEncoded, Item>,
  engine: EngineService,
  upstream: Upstream,
  input: I,
  options: Pick<Pagination.PaginationOptions, "cursor"> = {}
): Stream.Stream<RawPage, ListOperationError> =>
  Stream.suspend(() => {
    const raw = engine.raw(operation, upstream)
    // A walk leaves out records that it has given; those that it gives are the ones that were read here.
    const rawByRecord = new WeakMap<Item, string>()
    const fetchPage = (input: I): Effect.Effect<Output, OperationError> =>
      Effect.flatMap(raw(input, encodeRequest(operation, input, upstream.arrayFormat)), (engineResponse) =>
        Either.flatMap(decodeResponse(operation, engineResponse), (page) => {
          const rawRecords = recordTexts(new TextDecoder().decode(engineResponse.response.bytes))
          if (rawRecords.length !== page.result.length) {
            return recordMismatch(
              `its text has ${rawRecords.length} records, and ${page.result.length} were read`
            )
          }
          for (const [item, text] of Array.zip(page.result, rawRecords)) {
            rawByRecord.set(item, text)
          }
          return Either.right(page)
        }))
    /** A record without its text would be left out or made up. */
    const recordMismatch = (reason: string): Either.Either<never, InvalidResponseError> => {
      const { method, path } = encodeRequest(operation, input, upstream.arrayFormat)
      return Either.left(
        new InvalidResponseError({
          operation: operation.id,
          request: { method, path },
          status: 200,
          serverMessage: null,
          body: "",
          path: "result",
          reason,
          mayHaveBeenApplied: false
        })
      )
    }
    return Stream.mapEffect(
      Pagination.pages(PageSource.make(operation, fetchPage), input, options),
      ({ cursor, result }) => {
        const records = result.flatMap((item) =>
          rawByRecord.get(item) ?? []
        )
        return records.length === result.length
          ? Either.right({ records, cursor: cursor ?? null })
          : recordMismatch(
            `${result.length - records.length} of its ${result.length} records have lost their text`
          )
      }
    )
  })

const decodeResponse = <I, InputEncoded, Output, OutputEncoded>(
  operation: Operation<I, InputEncoded, Output, OutputEncoded>,
  { classification: classifyResponse }: EngineResponse
): Either.Either<Output, OperationError> => {
  const classification = classifyResponse()
  return classification._tag === "Complete"
    ? decode(operation, classification)
    : Either.left(classification.error)
}
