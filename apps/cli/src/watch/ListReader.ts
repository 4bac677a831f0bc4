/** Reads the records of a list from a block or time on, oldest first. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ApiClients } from "../connection/ApiClients.ts"
import { serviceOf } from "../connection/Connection.ts"
import { type CommandError, UsageError } from "../errors/CommandError.ts"
import { canonicalInput, type ListQuery } from "../export/ExportQuery.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import { limitRecords, type RecordList, type RecordPage, type RecordRow } from "../list/RecordList.ts"
import type { CommandTerminal } from "../terminal/Terminal.ts"
import type { PollStart, WatchableRecord } from "./WatchPosition.ts"

/** Bounds the memory for the records that one poll of a list without order returns. */
const maxUnordered = 100_000

export const listReader = <Item extends WatchableRecord>(
  { operation, sourceOf }: RecordList<Item>,
  invocation: CommandInvocation
) =>
  Effect.gen(function*() {
    const context = yield* Effect.context<ApiClients | CommandTerminal>()
    const hasOrder = operation.parameters.some(({ name }) => name === "order")
    // A watch has its own meaning of `max-items`
    const values = new Map(invocation.values)
    values.delete("max-items")
    const whole = yield* yield* sourceOf({ ...invocation, values })
    const pagesFrom = (from: PollStart) => {
      const own = new Map(values).set("all", ["true"])
      if (hasOrder) own.set("order", ["asc"])
      if (from.block !== undefined) own.set("from-block", [String(from.block)])
      if (from.time !== undefined) own.set("from-date", [from.time])
      return Stream.unwrap(
        Effect.map(Effect.flatten(sourceOf({ ...invocation, values: own })), (source) => source.pages())
      )
        .pipe(Stream.provideContext(context))
    }
    const query: ListQuery = {
      operation: operation.id,
      input: canonicalInput(whole.input, invocation.values),
      sandbox: invocation.settings.isSandbox,
      ...serviceOf(operation, invocation)
    }
    return {
      query,
      /** The address that all records concern, if any. */
      subject: whole.subject,
      pages: (from: PollStart): Stream.Stream<ReadonlyArray<RecordRow<Item>>, CommandError> =>
        hasOrder
          ? Stream.map(pagesFrom(from), ({ rows }) => rows)
          : Stream.fromEffect(sortedRows(pagesFrom(from))),
      /** Returns the start of the last blocks of the list. */
      lastBlocks: (count: number) =>
        Effect.map(Stream.runHead(whole.pages()), (newest): PollStart => {
          const rows = newest._tag === "Some" ? newest.value.rows : []
          const block = Math.max(-1, ...rows.map(({ item }) => item.block_number))
          return block < 0 ? {} : { block: Math.max(0, block - count + 1) }
        })
    }
  })

/** Reads all pages, newest first, and orders their rows by block. */
const sortedRows = <Item extends WatchableRecord>(
  pages: Stream.Stream<RecordPage<Item>, CommandError>
): Effect.Effect<ReadonlyArray<RecordRow<Item>>, CommandError> =>
  Effect.gen(function*() {
    const all = yield* Stream.runCollect(limitRecords(maxUnordered + 1)(pages))
    const rows = Array.from(all).flatMap((page) => page.rows)
    if (rows.length > maxUnordered) {
      return yield* new UsageError({
        reason: `the list has more than ${maxUnordered} records since the start of the watch`,
        hint: "export them first, and watch with a later --since"
      })
    }
    // Those of one block stay in the order of the chain
    return rows.reverse().sort((one, other) => one.item.block_number - other.item.block_number)
  })
