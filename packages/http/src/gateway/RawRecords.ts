/**
 * Lists as the JSON text of their records, for programs that pass them on.
 *
 * Pages are decoded, so that pagination follows the same rules as in `Pagination`, but the result is the text that the
 * upstream sent.
 *
 * Unstable: this module may change in any release.
 */
import { elementTexts, replaceLoneSurrogates } from "@blockquarry/core/LosslessJson"
import type { ListOperation } from "@blockquarry/core/Operation"
import {
  InvalidResponseError,
  type ListOperationError,
  type OperationError
} from "@blockquarry/core/OperationError"
import type { Page, PageRepeats } from "@blockquarry/core/Page"
import { requestEncoder } from "@blockquarry/core/RequestEncoding"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as PageSource from "../internal/pagination/PageSource.ts"
import * as Pagination from "../Pagination.ts"
import type { CallContext } from "./CallContext.ts"
import type { EngineService } from "./Engine.ts"
import type { Upstream } from "./Upstream.ts"

/** A page of records. */
export interface RawPage {
  /** The JSON text of each record, on one line. */
  readonly records: ReadonlyArray<string>
  /** The cursor of the next page. Null on the last page. */
  readonly cursor: string | null
  /** What the page has in common with the page before it. */
  readonly repeats: PageRepeats
}

/** Returns all pages of a list, from the beginning or after a cursor. */
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
  options: Pick<Pagination.PaginationOptions, "cursor"> & {
    /** The context of each request. Default: that of the fiber. */
    readonly contextOf?: () => CallContext
  } = {}
): Stream.Stream<RawPage, ListOperationError> =>
  Stream.suspend(() => {
    const raw = engine.raw(operation, upstream)
    const encode = requestEncoder(operation, upstream.arrayFormat)
    // Pagination drops records that it has returned before, but never copies those that it returns.
    const rawByRecord = new WeakMap<Item, string>()
    const fetchPage = (input: I): Effect.Effect<Output, OperationError> =>
      Effect.gen(function*() {
        const request = encode(input)
        const { classification } = yield* raw(input, request, options.contextOf?.())
        const complete = classification()
        if (complete._tag !== "Complete") return yield* complete.error
        const page = yield* complete.decode(operation)
        const rawRecords = elementTexts(complete.text ?? "", "result")
        // A record must be neither lost nor invented.
        if (rawRecords.length !== page.result.length) {
          return yield* new InvalidResponseError({
            operation: operation.id,
            request: { method: request.method, path: request.path },
            status: 200,
            serverMessage: null,
            body: "",
            upstreamRequestId: null,
            kind: "unexpected-shape",
            path: "result",
            reason: `the body has ${rawRecords.length} records, but ${page.result.length} were decoded`,
            mayHaveBeenApplied: false
          })
        }
        for (const [item, text] of Arr.zip(page.result, rawRecords)) rawByRecord.set(item, onOneLine(text))
        return page
      })
    let repeats: PageRepeats = { leftOut: [], unidentified: 0, identities: [] }
    // Without prefetching, the observer is called right before its page
    const observed = { cursor: options.cursor, onPage: (page: PageRepeats) => void (repeats = page) }
    return Stream.map(
      Pagination.pages(PageSource.make(operation, fetchPage), input, observed),
      ({ cursor, result }) => ({
        records: result.map((item) => Option.getOrThrow(Option.fromNullable(rawByRecord.get(item)))),
        cursor: cursor ?? null,
        repeats
      })
    )
  })

/** Returns a JSON text on one line for every reader: strings contain no line breaks, except three that Python's readers know. */
export const onOneLine = (json: string): string =>
  replaceLoneSurrogates(json).replace(
    /[\n\r]+|[\u0085\u2028\u2029]/g,
    (found) => found < " " ? " " : `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`
  )
