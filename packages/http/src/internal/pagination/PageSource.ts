/** What a walk must know of a list operation: how to ask for a page, and how to ask the same from another place. */
import type { ListOperation } from "@blockquarry/core/Operation"
import type { InvalidInputError, OperationError } from "@blockquarry/core/OperationError"
import type { Page } from "@blockquarry/core/Page"
import { decodeInput } from "@blockquarry/core/RequestEncoding"
import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { BlockOrdering, BlockPosition } from "./BlockCursor.ts"

/** A list and a way to ask one page of it. */
export interface PageSource<I, Output extends Page<Item>, Item> {
  readonly id: string
  readonly byBlock: BlockOrdering<Item> | undefined
  readonly fetchPage: (input: I) => Effect.Effect<Output, OperationError>
  /** The same question behind a service's cursor. */
  readonly afterCursor: (input: I, cursor: string) => Either.Either<I, InvalidInputError>
  /** The same question with the bound that a walk moves set to a block, and with a page size (null: the service's). */
  readonly fromBlock: (
    input: I,
    direction: BlockPosition["direction"],
    block: number,
    limit: number | null
  ) => Either.Either<I, InvalidInputError>
  /** The page size that is asked for. */
  readonly limit: (input: I) => number | null
  readonly direction: (input: I) => BlockPosition["direction"]
  /** What is asked, but for the cursor and the page size: equal texts are the same list. */
  readonly listId: (input: I) => string
}

const rangeParameters = {
  ascending: ["from_block", "from_date"],
  descending: ["to_block", "to_date"]
} as const

/** Makes the question of a list operation. */
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
  const encoded = (input: I): Record<string, unknown> => ({
    ...Object(Schema.encodeSync(operation.input)(input))
  })
  return {
    id: operation.id,
    byBlock: operation.pagination.byBlock,
    fetchPage,
    // Read anew: a cursor can hold what no URL carries.
    afterCursor: (input, cursor) => decodeInput(operation, { ...encoded(input), cursor }),
    fromBlock: (input, direction, block, limit) => {
      const [blockParameter, dateParameter] = rangeParameters[direction]
      return decodeInput(operation, {
        ...encoded(input),
        cursor: undefined,
        [dateParameter]: undefined,
        [blockParameter]: block,
        limit: limit ?? undefined
      })
    },
    limit: (input) => {
      const { limit } = encoded(input)
      return typeof limit === "number" ? limit : null
    },
    direction: (input) => encoded(input)["order"] === "ASC" ? "ascending" : "descending",
    listId: (input) => {
      const members = Object.entries(encoded(input)).filter(([name]) => name !== "cursor" && name !== "limit")
      return JSON.stringify(members.sort(([a], [b]) => a < b ? -1 : 1))
    }
  }
}
