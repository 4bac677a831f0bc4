/** Commands that print new records of a list as they appear. */
import type { Page } from "@blockquarry/core/Page"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { integerValue, isEnabled, singleValue } from "../args/ArgumentValues.ts"
import { operationOptions } from "../args/GlobalOptions.ts"
import { decodeArguments, toArguments, toOptions } from "../args/OperationParameters.ts"
import { type ApiClients, layerFromSettings } from "../connection/ApiClients.ts"
import type { CommandError } from "../errors/CommandError.ts"
import { takeOverOption } from "../export/ExportOptions.ts"
import type { CommandInvocation, CommandSpec } from "../invocation/CommandSpec.ts"
import { type ListCommandSpec, operationList } from "../list/OperationList.ts"
import type { RecordList, RecordRow } from "../list/RecordList.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { sanitize } from "../text/Sanitize.ts"
import { listReader } from "./ListReader.ts"
import { pollUntilComplete } from "./PollLoop.ts"
import { defaultOverlap, intervalOf, maxItemsOption, sinceOf, watchOptions } from "./WatchOptions.ts"
import { makeWatchOutput, watchOutputOptions } from "./WatchOutput.ts"
import {
  makeWatchPosition,
  type PollStart,
  type WatchableRecord,
  type WatchPosition
} from "./WatchPosition.ts"
import { openState } from "./WatchState.ts"

/** Bounds the memory for known records. */
const maxKnown = 100_000

/** Parameters of the operation that a watch sets itself. */
const ownParameters: ReadonlySet<string> = new Set([
  "cursor",
  "order",
  "from-block",
  "from-date",
  "to-block",
  "to-date"
])

/** Creates the command `watch …` for a list whose records have blocks. */
export const watchCommand = <
  I extends { readonly cursor?: string },
  InputEncoded extends { readonly limit?: number | undefined },
  Output extends Page<Item>,
  OutputEncoded extends { readonly result: ReadonlyArray<unknown> },
  Item extends WatchableRecord
>(
  spec: ListCommandSpec<I, InputEncoded, Output, OutputEncoded, Item>,
  /** Returns a text that differs for different records, and stays the same when a record moves to another block. */
  identity: (item: Item) => string
): CommandSpec => ({
  path: ["watch", ...spec.path],
  operation: spec.operation.id,
  isUpdate: false,
  api: spec.operation.api,
  summary: `Print new records of "${spec.path.join(" ")}" as they appear`,
  note: "Each record is printed once, oldest first within a poll, until the command is interrupted. " +
    "--timeout and --max-items end it with exit status 0.",
  arguments: toArguments(spec.operation),
  options: [
    // A watch has one chain
    ...toOptions(spec.operation, false).filter(({ name }) => !ownParameters.has(name)),
    ...watchOptions,
    ...watchOutputOptions,
    ...operationOptions(spec.operation.api)
  ],
  examples: spec.examples,
  runsUntilInterrupted: true,
  endsAtTimeout: true,
  run: (invocation) =>
    Effect.gen(function*() {
      const { settings } = invocation
      yield* decodeArguments(spec.operation, invocation.values)
      const watch = Effect.provide(
        watchList(operationList(spec), identity, invocation, yield* sinceOf(invocation)),
        // The timeout ends the watch, and is not that of a request
        layerFromSettings({ ...settings, timeout: null })
      )
      yield* settings.timeout === null ? watch : Effect.timeoutOption(watch, settings.timeout)
    })
})

const watchList = <Item extends WatchableRecord>(
  list: RecordList<Item>,
  identity: (item: Item) => string,
  invocation: CommandInvocation,
  since: PollStart | null
): Effect.Effect<void, CommandError, ApiClients | CommandTerminal> =>
  Effect.scoped(Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const { values } = invocation
    const stateFile = singleValue(values, "state") ?? null
    const positionOptions = { identity, overlap: integerValue(values, "overlap") ?? defaultOverlap, maxKnown }
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
      yield* Stream.runForEach(reader.pages(from), (rows) =>
        Effect.sync(() => find(rows.map(({ item }) => item), Infinity).add(Infinity)))
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
            const { add, indexes } = find(
              rows.map(({ item }) =>
                item
              ),
              remaining
            )
            let count = 0
            const found = new Set(indexes)
            const selected = rows.filter((_, index) => found.has(index))
            const exit = yield* Effect.exit(restore(
              indexes.length === 0 ? Effect.void : output.page(selected, (printed) => (count = printed))
            ))
            if (Exit.isSuccess(exit)) count = indexes.length
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
    yield* output.end
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
