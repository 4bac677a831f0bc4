/** The state of a watch in a file, with which it continues after a restart. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { UsageError } from "../errors/CommandError.ts"
import { describeDifference, ListQuery, type QueryOperation } from "../export/ExportQuery.ts"
import { lockFile } from "../files/FileLock.ts"
import { readText, writeText } from "../files/Files.ts"
import type { PositionSnapshot } from "./WatchPosition.ts"

const Block = Schema.Int.pipe(Schema.nonNegative())

const State = Schema.Struct({
  version: Schema.Literal(1),
  query: ListQuery,
  start: Schema.Struct({
    block: Schema.optionalWith(Block, { exact: true }),
    time: Schema.optionalWith(Schema.String, { exact: true })
  }),
  known: Schema.Array(Schema.Tuple(Schema.String, Block))
})

const StateText = Schema.parseJson(State)

/**
 * Opens the state of a query; without a file there is none. Returns the position of an earlier watch, and what replaces it
 * atomically. Fails if it is the state of another query.
 */
export const openState = (
  file: string | null,
  takeOver: boolean,
  query: ListQuery,
  operation: QueryOperation
) =>
  Effect.gen(function*() {
    if (file === null) return { saved: null, requireHeld: Effect.void, save: () => Effect.void }
    const { requireHeld } = yield* lockFile(file, takeOver)
    const text = yield* readText(file)
    const state = text === null ? null : Either.getOrNull(Schema.decodeEither(StateText)(text))
    if (text !== null && state === null) {
      return yield* new UsageError({
        reason: `--state: ${file} is not the state of a watch`,
        hint: "use another file, or remove it to start anew"
      })
    }
    const difference = state === null ? "" : describeDifference(state.query, query, operation)
    if (difference !== "") {
      return yield* new UsageError({
        reason: `--state: ${file} belongs to another watch (${difference})`,
        hint: "use one file for each watch"
      })
    }
    return {
      saved: state,
      requireHeld,
      save: ({ known, start }: PositionSnapshot) =>
        Effect.zipRight(
          requireHeld,
          writeText(file, `${Schema.encodeSync(StateText)({ version: 1, query, start, known })}\n`)
        )
    }
  })
