/** The state of a watch in a file, with which it continues after a restart. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type OutputError, UsageError } from "../errors/CommandError.ts"
import { describeDifference, ListQuery, type QueryOperation } from "../export/ExportQuery.ts"
import { readText, replaceText } from "../files/Files.ts"
import type { PositionSnapshot } from "./WatchPosition.ts"

const Block = Schema.Int.pipe(Schema.nonNegative())

const State = Schema.Struct({
  version: Schema.Literal(1),
  query: ListQuery,
  start: Schema.Union(
    Schema.TaggedStruct("Block", { block: Block }),
    Schema.TaggedStruct("Time", { time: Schema.String }),
    Schema.TaggedStruct("Beginning", {})
  ),
  known: Schema.Array(Schema.Tuple(Schema.String, Block))
})

const StateText = Schema.parseJson(State)

/** Reads the state; null if the file does not exist. Fails if it is the state of another query. */
export const loadState = (
  file: string,
  query: ListQuery,
  operation: QueryOperation
): Effect.Effect<PositionSnapshot | null, UsageError | OutputError> =>
  Effect.flatMap(readText(file), (text): Effect.Effect<PositionSnapshot | null, UsageError> => {
    if (text === null) return Effect.succeed(null)
    const state = Either.getOrNull(Schema.decodeEither(StateText)(text))
    if (state === null) {
      return new UsageError({
        reason: `--state: ${file} is not the state of a watch`,
        hint: "use another file, or remove it to start anew"
      })
    }
    const difference = describeDifference(state.query, query, operation)
    return difference === ""
      ? Effect.succeed({ start: state.start, known: state.known })
      : new UsageError({
        reason: `--state: ${file} belongs to another watch (${difference})`,
        hint: "use one file for each watch"
      })
  })

export const saveState = (
  file: string,
  query: ListQuery,
  { known, start }: PositionSnapshot
): Effect.Effect<void, OutputError> =>
  replaceText(file, `${Schema.encodeSync(StateText)({ version: 1, query, start, known })}\n`)
