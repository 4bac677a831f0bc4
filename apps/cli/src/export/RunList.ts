/** Runs a list: passes its records to the sink that the options select. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { integerValue, isEnabled } from "../args/ArgumentValues.ts"
import type { ApiClients } from "../connection/ApiClients.ts"
import type { CommandError } from "../errors/CommandError.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import { makeTransform } from "../list/MakeTransform.ts"
import { chartTarget, outputSettings } from "../list/OutputOptions.ts"
import { printRecords } from "../list/PrintRecords.ts"
import {
  type JobInputs,
  limitRecords,
  type ListJob,
  noteInvalid,
  type OpenSource,
  type RecordList
} from "../list/RecordList.ts"
import { retryPages, showWait } from "../list/RetryPages.ts"
import { countOf } from "../render/Count.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { dryRunOption, exportTarget, retryDuration } from "./ExportOptions.ts"

/** `inputs`: of a list of many inputs. Each of them is limited and retried by itself. */
export const runList = <Item>(
  list: RecordList<Item>,
  invocation: CommandInvocation,
  open: OpenSource<Item>,
  inputs?: JobInputs
): Effect.Effect<void, CommandError, ApiClients | CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const { settings, values } = invocation
    const isDryRun = isEnabled(values, dryRunOption.name)
    const chart = chartTarget(invocation)
    // --overwrite concerns the file of a chart too
    const target = chart === null ? yield* exportTarget(invocation) : null
    if (isDryRun && target === null) {
      const { printFirstRequest } = yield* Effect.promise(() => import("./DryRun.ts"))
      return yield* printFirstRequest(list.operation, invocation)
    }
    const source = yield* open
    if (source.warning !== null) yield* terminal.note(source.warning)
    const format = target === null ? settings.format : "ndjson"
    const job: ListJob<Item> = {
      list,
      source,
      maxItems: inputs === undefined ? integerValue(values, "max-items") : null,
      // Many inputs cannot be read again: stdin is read once, and failures are counted
      retryFor: inputs === undefined ? retryDuration(values) : Duration.zero,
      transform: yield* makeTransform(list.fields, outputSettings(values), format),
      invocation,
      inputs
    }
    const read = retryPages(source, job.retryFor, showWait(terminal))
    let [page, invalid] = [0, 0]
    const noteTotal = Effect.suspend(() =>
      terminal.note(`left out ${countOf(invalid, "records")} that cannot be read`, "required")
    )
    const noted = (pages: ReturnType<typeof read.pages>) =>
      pages.pipe(
        limitRecords(job.maxItems),
        Stream.tap((of) => (invalid += of.invalid.length, noteInvalid(terminal, of, ++page))),
        Stream.ensuring(Effect.when(noteTotal, () => invalid > 0))
      )
    const retrying = { ...job, source: { ...read, pages: (cursor?: string) => noted(read.pages(cursor)) } }
    const builder = chart === null ? undefined : yield* Effect.promise(async () => source.chart?.())
    if (chart !== null && builder !== undefined) {
      const { drawRecords } = yield* Effect.promise(() => import("../list/DrawChart.ts"))
      return yield* drawRecords(retrying, chart, builder)
    }
    if (target === null) return yield* printRecords(retrying)
    const { planExport } = yield* Effect.promise(() => import("./ExportPlan.ts"))
    const plan = yield* planExport(job, target)
    if (isDryRun) {
      const { dryRunExport } = yield* Effect.promise(() => import("./DryRun.ts"))
      return yield* dryRunExport(plan)
    }
    const { exportRecords } = yield* Effect.promise(() => import("./Export.ts"))
    yield* exportRecords(plan)
  })
