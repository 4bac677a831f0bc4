/** Commands that print new records of a list as they appear. */
import type { Page } from "@blockquarry/core/Page"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { operationOptions } from "../args/GlobalOptions.ts"
import { decodeArguments, toArguments, toOptions } from "../args/OperationParameters.ts"
import { layerFromSettings } from "../connection/ApiClients.ts"
import { UsageError } from "../errors/CommandError.ts"
import type { CommandSpec } from "../invocation/CommandSpec.ts"
import { type ListCommandSpec, operationList } from "../list/OperationList.ts"
import { watchList } from "./WatchList.ts"
import { watchOptions } from "./WatchOptions.ts"
import type { PollStart, WatchableRecord } from "./WatchPosition.ts"

/** Parameters of the operation that a watch sets itself. */
const ownParameters: ReadonlySet<string> = new Set(["cursor", "order", "to-block", "to-date"])

/** The parameters with which a watch begins earlier than now. */
interface PollBounds {
  readonly from_block?: number | undefined
  readonly from_date?: DateTime.Utc | undefined
}

/** Returns where to start; null to start now. */
const startOf = (
  { from_block: block, from_date: time }: PollBounds
): Effect.Effect<PollStart | null, UsageError> =>
  Effect.gen(function*() {
    if (time === undefined) return block === undefined ? null : { block }
    const text = DateTime.formatIso(time)
    return DateTime.greaterThan(time, yield* DateTime.now)
      ? yield* new UsageError({
        reason: `--from-date: expected a time before now, got ${text}`,
        hint: "omit it to begin now",
        option: "from-date"
      })
      : { time: text }
  })

/** Creates the command `watch …` for a list whose records have blocks. */
export const watchCommand = <
  I extends PollBounds & { readonly cursor?: string },
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
    ...toOptions(spec.operation, false).filter(({ name }) => !ownParameters.has(name)).map((option) =>
      option.name === "from-date" ? { ...option, conflictsWith: ["from-block"] } : option
    ),
    ...watchOptions,
    ...operationOptions(spec.operation.api)
  ],
  examples: spec.examples,
  runsUntilInterrupted: true,
  endsAtTimeout: true,
  run: (invocation) =>
    Effect.gen(function*() {
      const { settings } = invocation
      const { input } = yield* decodeArguments(spec.operation, invocation.values)
      const start = yield* startOf(input)
      const watch = Effect.provide(
        watchList(operationList(spec), identity, invocation, start),
        // The timeout ends the watch, and is not that of a request
        layerFromSettings({ ...settings, timeout: null })
      )
      yield* settings.timeout === null ? watch : Effect.timeoutOption(watch, settings.timeout)
    })
})
