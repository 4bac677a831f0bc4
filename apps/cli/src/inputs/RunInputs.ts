/** Runs a command for many inputs. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import {
  type ArgumentValues,
  integerValue,
  isEnabled,
  isSet,
  singleValue,
  stdinArgument
} from "../args/ArgumentValues.ts"
import { severalChains } from "../args/Chains.ts"
import { jsonErrorsOption } from "../args/GlobalOptions.ts"
import { checkChains, toArguments } from "../args/OperationParameters.ts"
import type { ApiClients } from "../connection/ApiClients.ts"
import { type CommandError, UsageError } from "../errors/CommandError.ts"
import { exportTarget, retryDuration, withExplicitChain } from "../export/ExportOptions.ts"
import { runList } from "../export/RunList.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import type { RecordList, RecordSource } from "../list/RecordList.ts"
import { retryPages, showWait } from "../list/RetryPages.ts"
import { countOf } from "../render/Count.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { kebabCase } from "../text/KebabCase.ts"
import { makeInputFailures } from "./InputFailures.ts"
import { argumentsOfLines, recordInputOptions, unavailableForInputs } from "./InputOptions.ts"
import { fileOf, hashInputs, inputName, type InputText, readInputs } from "./InputText.ts"
import { type InputKeyName, manyInputs } from "./ManyInputs.ts"

/** How long an outage of the service may last by default before an input fails. */
const defaultRetryFor = Duration.seconds(30)

/** Options of single inputs. */
const unsupportedOptions = ["since-last", "dry-run", "chart", "chart-to"]

/** Reads the inputs, writes their records, and reports the inputs that failed. */
export const runInputs = <Item>(
  list: RecordList<Item>,
  given: CommandInvocation
): Effect.Effect<void, CommandError, ApiClients | CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const { operation } = list
    const invocation = withExplicitChain(operation, given)
    const { values } = invocation
    const unsupported = unsupportedOptions.find((name) => isSet(values, name))
    if (unsupported !== undefined) return yield* unavailableForInputs(unsupported, values)
    const chains = severalChains(values)
    const text = yield* inputText(operation, values)
    yield* checkChains(operation, values)
    const isExport = (yield* exportTarget(invocation)) !== null
    const failures = yield* makeInputFailures({
      source: text === null ? "the command line" : inputName(text),
      inputName: text === null ? "chains" : "inputs",
      isJson: isEnabled(values, jsonErrorsOption.name)
    })
    const { lines, pipe, sha256 } = text === null
      // Stands for the arguments of a command with several chains
      ? { lines: Stream.make({ line: 1, values: [] }), pipe: null, sha256: undefined }
      : isExport
      ? yield* hashInputs(text)
      : { lines: readInputs(text), pipe: null, sha256: undefined }
    const keyNames: ReadonlyArray<InputKeyName> = [
      ...(text === null ? [] : ["input" as const]),
      ...(chains === null ? [] : ["chain" as const])
    ]
    const retryFor = values.has("retry-for") || isExport ? retryDuration(values) : defaultRetryFor
    let hasMore = false
    const retrying = (source: RecordSource<Item>) => {
      const { pages, ...rest } = retryPages(source, retryFor, showWait(terminal))
      return {
        ...rest,
        pages: (cursor?: string, previous?: ReadonlyArray<string>) =>
          Stream.tap(pages(cursor, previous), ({ end }) =>
            Effect.sync(() => (hasMore ||= source.isSinglePage && typeof end.cursor === "string")))
      }
    }
    const sourceOf: typeof list.sourceOf = (invocation) =>
      Either.map(list.sourceOf(invocation), Effect.map(retrying))
    const all = manyInputs({ ...list, sourceOf }, {
      canonicalInput: canonicalInput(operation, values, text, sha256),
      lines: chains === null
        ? lines
        : Stream.mapConcat(lines, (line) =>
          chains.map((chain) => ({ ...line, chain }))),
      keyNames,
      argumentNames: argumentsOfLines(toArguments(operation), values),
      failures
    })
    yield* runList(all, invocation, yield* all.sourceOf(invocation), { ...failures, pipe })
    if (hasMore) yield* terminal.note(`more ${list.recordName} available: use --all`)
    yield* failures.result
  })

/** Options that need the lines of a text. */
const textOptionNames = ["from", "from-column"]

/** Returns where the inputs come from; null if the command line has all arguments, for several chains. */
const inputText = (operation: AnyOperation, values: ArgumentValues) => {
  const file = singleValue(values, "from") ?? stdinArgument
  const columns = values.get("from-column")?.flatMap((value) => value.split(",")) ?? null
  const specs = toArguments(operation)
  const names = argumentsOfLines(specs, values)
  const needsText = severalChains(values) === null || textOptionNames.some((name) => values.has(name))
  if (names.length === 0 && !needsText) return Effect.succeed(null)
  if (names.length === 0) {
    const option = recordInputOptions.find(({ name }) => values.has(name))?.name ?? "from"
    return new UsageError({
      reason: `--${option} is for many inputs, and all arguments are on the command line`,
      hint: `omit it, or ${specs.map(({ name }) => `<${name}>`).join(" or ")} to read inputs`
    })
  }
  if (!values.has("from") && !specs.some(({ name }) => values.get(name)?.[0] === stdinArgument)) {
    return new UsageError({
      reason: "no inputs: the options for many inputs need them",
      hint: "use --from FILE, or - to read stdin"
    })
  }
  if (columns !== null && columns.length !== names.length) {
    return new UsageError({
      reason: `--from-column: expected ${countOf(names.length, "columns")} (${
        names.join(", ")
      }), got ${columns.length}`,
      hint: "repeat the option, or separate the columns by commas"
    })
  }
  return Effect.succeed({
    file: fileOf(file),
    columns,
    valueCount: names.length
  })
}

/** Describes the inputs for an export, which continues only with equal ones. */
const canonicalInput = (
  { parameters }: AnyOperation,
  values: ArgumentValues,
  text: InputText | null,
  inputs: string | undefined
): unknown => ({
  ...Object.fromEntries(
    parameters.map(({ name }) => kebabCase(name)).flatMap((name) => {
      const value = values.get(name)
      return name === "cursor" || value === undefined || value[0] === stdinArgument
        ? []
        : [[name, value.join(",")]]
    })
  ),
  inputs,
  columns: text?.columns,
  maxItems: integerValue(values, "max-items")
})
