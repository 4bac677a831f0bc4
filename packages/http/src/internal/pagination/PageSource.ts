/** A list operation as pagination needs it: fetches a page, and derives the input of the next one. */
import * as Decoder from "@blockquarry/core/Decoder"
import { identityOf, type ListOperation } from "@blockquarry/core/Operation"
import type { InvalidInputError, OperationError } from "@blockquarry/core/OperationError"
import type { CursorPage, Page } from "@blockquarry/core/Page"
import type { QueryParameters } from "@blockquarry/core/QueryParameters"
import { encodeQuery, inputDecoder } from "@blockquarry/core/RequestEncoding"
import { isWellFormedText } from "@blockquarry/core/WellFormedText"
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { BlockPosition } from "./BlockCursor.ts"

export interface PageSource<I, Output extends CursorPage<Item>, Item> {
  readonly id: string
  /** Returns the identity of a record. Null if it has none. */
  readonly identity: (item: Item) => string | null
  readonly block: ((item: Item) => number) | undefined
  readonly fetchPage: (input: I) => Effect.Effect<Output, OperationError>
  /** Returns the input for the page after a cursor of the upstream. */
  readonly afterCursor: (input: I, cursor: string) => Either.Either<I, InvalidInputError>
  /** Returns the input for a page that starts at a block. If `limit` is null, the upstream chooses the page size. */
  readonly fromBlock: (input: I, block: number, limit: number | null) => Either.Either<I, InvalidInputError>
  readonly limit: (input: I) => number | null
  readonly direction: (input: I) => BlockPosition["direction"]
  /** Identifies the list: the input without cursor and page size, and the parameters that are added to it. */
  readonly listId: (input: I, query: QueryParameters) => string
}

/** The parameter of the first block of a page, which takes precedence over a date. */
const blockParameters = { ascending: "from_block", descending: "to_block" } as const

export const make = <
  I extends { readonly cursor?: string },
  InputEncoded,
  Output extends Page<Item>,
  OutputEncoded,
  Item
>(
  operation: ListOperation<I, InputEncoded, Output, OutputEncoded, Item>,
  fetchPage: (input: I) => Effect.Effect<Output, OperationError>
): PageSource<I, Output, Item> => {
  const decode = inputDecoder(operation)
  const encode = Decoder.encoder(operation.input)
  const encoded = (input: I): Record<string, unknown> => ({ ...Object(encode(input)) })
  const direction = (input: I) => encoded(input)["order"] === "ASC" ? "ascending" : "descending"
  return {
    id: operation.id,
    identity: (item) => identityOf(operation.pagination, item),
    block: operation.pagination.block,
    fetchPage,
    // The cursor is the only part of the input that is new. It may contain characters that a URL cannot.
    afterCursor: (input, cursor) =>
      isWellFormedText(cursor) ? Either.right({ ...input, cursor }) : decode({ ...encoded(input), cursor }),
    fromBlock: (input, block, limit) =>
      decode({
        ...encoded(input),
        cursor: undefined,
        [blockParameters[direction(input)]]: block,
        limit: limit ?? undefined
      }),
    limit: (input) => {
      const { limit } = encoded(input)
      return typeof limit === "number" ? limit : null
    },
    direction,
    listId: (input, query) => {
      const members: Array<readonly [string, unknown]> = [
        ...Object.entries(encoded(input)).filter(([name]) => name !== "cursor" && name !== "limit"),
        ...encodeQuery(query, "repeat")
      ]
      return JSON.stringify(members.sort(([a], [b]) => a < b ? -1 : 1))
    }
  }
}
