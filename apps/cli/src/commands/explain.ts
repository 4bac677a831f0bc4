/** `quarry explain <exit code | error | proxy error code>` */
import * as Effect from "effect/Effect"
import { singleValue } from "../args/ArgumentValues.ts"
import { commandArgument } from "../args/CommandOption.ts"
import { outputOption } from "../args/GlobalOptions.ts"
import { didYouMean } from "../args/Suggest.ts"
import {
  explain as explainTopic,
  type Explanation,
  explanations,
  suggestTopic
} from "../diagnostics/Explanations.ts"
import { UsageError } from "../errors/CommandError.ts"
import { printRows } from "../formats/PrintRows.ts"
import type { CommandSpec } from "../invocation/CommandSpec.ts"
import { numberColumn, textColumn } from "../render/Columns.ts"
import { type StreamInfo, styled } from "../terminal/StreamInfo.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { wrapIndented } from "../text/Width.ts"

export const explain: CommandSpec = {
  path: ["explain"],
  operation: null,
  isUpdate: false,
  api: null,
  summary: "Explain an exit code, an error, or an error code of the proxy",
  note: "Without a topic, lists all of them.",
  allowsInvalidConfiguration: true,
  arguments: [
    commandArgument("topic", "For example 5, RateLimitError or client-rate-limited", { isOptional: true })
  ],
  options: [outputOption],
  examples: ["5", "RateLimitError", "client-rate-limited", ""],
  run: ({ settings: { configuration, format }, values }) =>
    Effect.gen(function*() {
      const terminal = yield* CommandTerminal
      const topic = singleValue(values, "topic")
      const found = topic === undefined ? explanations : explainTopic(topic)
      if (found.length === 0) {
        return yield* new UsageError({
          reason: `nothing is known about ${JSON.stringify(topic)}`,
          hint: didYouMean(suggestTopic(topic ?? "")) ?? "quarry explain lists all topics"
        })
      }
      if (configuration.values.has("output") && format !== "table") {
        return yield* printRows(format, columns, found)
      }
      yield* topic === undefined
        ? printRows("table", [
          { header: "topic", kind: "fixed", cell: ({ topic }: Explanation) => topic },
          textColumn<Explanation>("meaning", ({ meaning }) => meaning)
        ], found)
        : terminal.print(found.map((each) => formatExplanation(each, terminal.out)).join("\n"))
    })
}

const columns = [
  textColumn<Explanation>("topic", ({ topic }) => topic),
  textColumn<Explanation>("kind", ({ kind }) => kind),
  numberColumn<Explanation>("exitCode", ({ exitCode }) => exitCode),
  textColumn<Explanation>("meaning", ({ meaning }) => meaning),
  textColumn<Explanation>("fix", ({ fix }) => fix)
]

const formatExplanation = (
  { exitCode, fix, kind, meaning, topic }: Explanation,
  stream: StreamInfo
): string =>
  [
    `${styled(stream, "bold", topic)} (${kind}${
      kind === "error" && exitCode !== null ? `, exit code ${exitCode}` : ""
    })`,
    `  ${wrapIndented(meaning, 2, stream.columns)}`,
    ...fix === null ? [] : [`  fix: ${wrapIndented(fix, 7, stream.columns)}`]
  ].map((line) => `${line}\n`).join("")
