/** The streams of every list operation, by its name. */
import type { ListOperationError } from "@blockquarry/core/OperationError"
import type * as Stream from "effect/Stream"
import type { RecordsOfList } from "../../../core/test/support/listRecords.ts"
import type { ListCallOptions } from "../../src/Pagination.ts"
import type { Clients } from "./TestClients.ts"

type StreamOf<A> = (input: object, options: ListCallOptions) => Stream.Stream<A, ListOperationError>

interface ListFunction {
  readonly pages: StreamOf<{ readonly result: ReadonlyArray<object> }>
  readonly items: StreamOf<object>
}

export const streamsOf = (
  { data }: Clients,
  { id, input }: Pick<RecordsOfList, "id" | "input">,
  options: ListCallOptions = {}
) => {
  const { items, pages }: ListFunction = Reflect.get(data, id)
  return { items: items(input, options), pages: pages(input, options) }
}
