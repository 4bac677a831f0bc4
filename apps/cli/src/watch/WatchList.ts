/** Reads a list again and again from the last known blocks on, oldest first, and prints its new records. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { integerValue, isEnabled, singleValue } from "../args/ArgumentValues.ts"
import type { ApiClients } from "../connection/ApiClients.ts"
import { serviceOf } from "../connection/Connection.ts"
import { type CommandError, UsageError } from "../errors/CommandError.ts"
import { takeOverOption } from "../export/ExportOptions.ts"
import { canonicalInput, type ListQuery } from "../export/ExportQuery.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import { makeTransform } from "../list/MakeTransform.ts"
import { makeView, outputSettings } from "../list/OutputOptions.ts"
import type { RecordList, RecordPage, RecordRow } from "../list/RecordList.ts"
import { makeTextSink, type TableList } from "../list/TextSink.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { sanitize } from "../text/Sanitize.ts"
import { pollUntilComplete } from "./PollLoop.ts"
import { defaultOverlap, intervalOf, maxItemsOption } from "./WatchOptions.ts"
import {
  makeWatchPosition,
  type PollStart,
  type WatchableRecord,
  type WatchPosition
} from "./WatchPosition.ts"
import { openState } from "./WatchState.ts"

/** Prints the new records of a list until the watch ends. */
export const watchList = <Item extends WatchableRecord>(
  list: RecordList<Item>,
  identity: (item: Item) => string,
  invocation: CommandInvocation,
  since: PollStart | null
): Effect.Effect<void, CommandError, ApiClients | CommandTerminal> =>
  Effect.scoped(Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const { values } = invocation
    const stateFile = singleValue(values, "state") ?? null
    const positionOptions = { identity, overlap: integerValue(values, "overlap") ?? defaultOverlap }
    const reader = yield* listReader(list, invocation)
    const output = yield* makeWatchOutput(list, reader.subject, invocation)
    const takeOver = isEnabled(values, takeOverOption.name)
    const { requireHeld, save, saved } = yield* openState(stateFile, takeOver, reader.query, list.operation)
    const announce = (position: WatchPosition<Item>) =>
      terminal.note(sanitize(startNote(list.recordName, position, saved === null ? null : stateFile, since)))

    const initial = saved ?? (since === null ? null : { start: since, known: [] })
    let position = initial === null ? null : makeWatchPosition(initial, positionOptions)
    if (position !== null) {
      yield* announce(position)
      yield* save(position.snapshot())
    }
    const startNow = Effect.gen(function*() {
      const start = yield* reader.lastBlocks(positionOptions.overlap)
      const current = makeWatchPosition({ start, known: [] }, positionOptions)
      const { find, from } = current.startPoll()
      yield* Stream.runForEach(
        reader.pages(from),
        (rows) => Effect.sync(() => find(rows, Infinity).add(Infinity))
      )
      yield* save(current.snapshot())
      yield* announce(current)
      position = current
    })

    let remaining = integerValue(values, maxItemsOption.name) ?? Infinity
    const poll = Effect.gen(function*() {
      yield* requireHeld
      if (position === null) {
        yield* startNow
        return false
      }
      const { snapshot, startPoll } = position
      const { find, from } = startPoll()
      /** Prints the new records of a page. Returns whether more may follow. */
      const printPage = (rows: ReadonlyArray<RecordRow<Item>>) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function*() {
            const { add, rows: newRows } = find(rows, remaining)
            let count = 0
            const exit = yield* Effect.exit(restore(
              newRows.length === 0 ? Effect.void : output.page(newRows)((printed) => (count = printed))
            ))
            if (Exit.isSuccess(exit)) count = newRows.length
            add(count)
            remaining -= count
            // After the records: a crash in between repeats them, and loses none
            if (count > 0) yield* save(snapshot())
            yield* exit
            return remaining > 0
          })
        )
      yield* Stream.runForEachWhile(reader.pages(from), printPage)
      return remaining <= 0
    })
    yield* pollUntilComplete(poll, intervalOf(invocation))
    yield* output.end(() => {})
  }))

const startNote = <Item extends WatchableRecord>(
  recordName: string,
  position: WatchPosition<Item>,
  stateFile: string | null,
  since: PollStart | null
): string => {
  const block = position.highestBlock()
  const after = block === null ? "" : ` after block ${block}`
  if (stateFile !== null) return `watching ${recordName}, continuing from ${stateFile}${after}`
  if (since === null) {
    return `watching ${recordName} from now on,${after === "" ? " there are none yet" : after}`
  }
  return `watching ${recordName} since ${since.time ?? `block ${since.block}`}`
}

/** Creates the output of a list whose records all concern `subject`, if it is not null. */
const makeWatchOutput = <Item>(
  list: TableList<Item>,
  subject: string | null,
  invocation: CommandInvocation
) =>
  Effect.gen(function*() {
    const { settings: { format }, values } = invocation
    if (format === "json") {
      return yield* new UsageError({
        reason: "--output: a watch has no end, so it prints no JSON array",
        hint: "use -o ndjson",
        option: "output"
      })
    }
    const transform = yield* makeTransform(list.fields, outputSettings(values), format)
    // Times relative to the start of the watch would mislead
    const view = { ...yield* makeView(invocation, subject), now: null }
    return yield* makeTextSink(list, { invocation, transform }, view, true)
  })

const listReader = <Item extends WatchableRecord>(
  { operation, sourceOf }: RecordList<Item>,
  invocation: CommandInvocation
) =>
  Effect.gen(function*() {
    const context = yield* Effect.context<ApiClients | CommandTerminal>()
    const hasOrder = operation.parameters.some(({ name }) => name === "order")
    // A watch has its own meaning of these
    const values = new Map(invocation.values)
    for (const name of ["max-items", "from-block", "from-date"]) values.delete(name)
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
    const rows = Array.from(yield* Stream.runCollect(pages)).flatMap((page) => page.rows)
    // Those of one block stay in the order of the chain
    return rows.reverse().sort((one, other) => one.item.block_number - other.item.block_number)
  })
