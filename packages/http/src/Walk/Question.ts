/** What a walk must know of a list operation: how to ask for a page, and how to ask the same from another place. */
import type { ListOperation } from "@blockquarry/core/Operation"
import type { Page } from "@blockquarry/core/Page"
import type { InvalidRequest, QueryError } from "@blockquarry/core/QueryError"
import { readInput } from "@blockquarry/core/Wire"
import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { ByBlockOf, Place } from "./ByBlock.ts"

/** A list and a way to ask one page of it. */
export interface Question<I, Output extends Page<Item>, Item> {
  readonly id: string
  readonly byBlock: ByBlockOf<Item> | undefined
  readonly ask: (input: I) => Effect.Effect<Output, QueryError>
  /** The same question behind a service's cursor. */
  readonly behind: (input: I, cursor: string) => Either.Either<I, InvalidRequest>
  /** The same question with the bound that a walk moves set to a block, and with a page size (null: the service's). */
  readonly from: (
    input: I,
    direction: Place["direction"],
    block: number,
    limit: number | null
  ) => Either.Either<I, InvalidRequest>
  /** The page size that is asked for. */
  readonly limit: (input: I) => number | null
  readonly direction: (input: I) => Place["direction"]
  /** What is asked, but for the cursor and the page size: equal texts are the same list. */
  readonly text: (input: I) => string
}

const bounds = { ascending: ["from_block", "from_date"], descending: ["to_block", "to_date"] } as const

/** Makes the question of a list operation. */
export const make = <I extends { readonly cursor?: string }, Accepts, Output extends Page<Item>, Wire, Item>(
  operation: ListOperation<I, Accepts, Output, Wire, Item>,
  ask: (input: I) => Effect.Effect<Output, QueryError>
): Question<I, Output, Item> => {
  const written = (input: I): Record<string, unknown> => ({
    ...Object(Schema.encodeSync(operation.input)(input))
  })
  return {
    id: operation.id,
    byBlock: operation.page.byBlock,
    ask,
    // Read anew: a cursor can hold what no URL carries.
    behind: (input, cursor) => readInput(operation, { ...written(input), cursor }),
    from: (input, direction, block, limit) => {
      const [bound, date] = bounds[direction]
      return readInput(operation, {
        ...written(input),
        cursor: undefined,
        [date]: undefined,
        [bound]: block,
        limit: limit ?? undefined
      })
    },
    limit: (input) => {
      const { limit } = written(input)
      return typeof limit === "number" ? limit : null
    },
    direction: (input) => written(input)["order"] === "ASC" ? "ascending" : "descending",
    text: (input) => {
      const members = Object.entries(written(input)).filter(([name]) => name !== "cursor" && name !== "limit")
      return JSON.stringify(members.sort(([a], [b]) => a < b ? -1 : 1))
    }
  }
}
