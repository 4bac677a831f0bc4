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
import { type StreamInfo, styled } from "../terminal/StreamInfo.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { wrapIndented } from "../text/Width.ts"
import { localCommand } from "./LocalCommand.ts"

export const explain = localCommand({
  path: ["explain"],
  summary: "Explain an exit code, an error, or an error code of the proxy",
  note: "Without a topic, lists all of them.",
  allowsInvalidConfiguration: true,
  arguments: [
    commandArgument("topic", "For example 5, RateLimitError or client-rate-limited", { isOptional: true })
  ],
  options: [outputOption],
  examples: ["5", "RateLimitError", "client-rate-limited", ""],
  run: Effect.fnUntraced(function*({ settings: { configuration, format }, values }) {
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
      const columns = { topic: {}, kind: {}, exitCode: {}, meaning: {}, fix: {} }
      return yield* printRows(format, found, columns)
    }
    yield* topic === undefined
      ? printRows("table", found, { topic: { kind: "fixed" }, meaning: {} })
      : terminal.print(found.map((each) => formatExplanation(each, terminal.out)).join("\n"))
  })
})

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
