/** Prints the records of a watch in the formats of lists. */
import * as Effect from "effect/Effect"
import type { CommandOption } from "../args/CommandOption.ts"
import { outputOption } from "../args/GlobalOptions.ts"
import { UsageError } from "../errors/CommandError.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import { makeTransform } from "../list/MakeTransform.ts"
import { makeView, outputSettings, recordOptions } from "../list/OutputOptions.ts"
import type { RecordRow } from "../list/RecordList.ts"
import { makePrintTexts, makeTextSink, type TableList } from "../list/TextSink.ts"
import { outputFormats } from "../render/OutputFormat.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"

/** Watches print rows as they appear, so there is no response to print as it is, and no end of a JSON array. */
export const watchOutputOptions: ReadonlyArray<CommandOption> = recordOptions.filter(({ name }) =>
  !["raw", "utc", "exit-status"].includes(name)
).map((option) =>
  option === outputOption
    ? { ...option, choices: outputFormats.filter((format) => format !== "json") }
    : option
)

/** Creates the output of a list whose records all concern `subject`, if it is not null. */
export const makeWatchOutput = <Item>(
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
    const sink = yield* makeTextSink(list, { invocation, transform }, view, { isStreaming: true })
    const print = makePrintTexts(sink, yield* CommandTerminal)
    return {
      /** Calls `onPrinted` with the number of records that are printed so far. */
      page: (rows: ReadonlyArray<RecordRow<Item>>, onPrinted: (count: number) => void = () => {}) =>
        Effect.flatMap(
          sink.page(rows),
          (texts) => print(texts, (count) => onPrinted(texts.recordsAfter(count)))
        ),
      end: Effect.flatMap(sink.end, (texts) => print(texts, () => {}))
    }
  })
