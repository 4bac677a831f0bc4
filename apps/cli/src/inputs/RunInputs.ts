/** Runs a command for many inputs. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { realpathSync } from "node:fs"
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
import { type ExportTarget, exportTarget, retryDuration, withExplicitChain } from "../export/ExportOptions.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import type { ListJob } from "../list/ListJob.ts"
import { makeTransform } from "../list/MakeTransform.ts"
import { outputSettings } from "../list/OutputOptions.ts"
import { printRecords } from "../list/PrintRecords.ts"
import type { RecordList } from "../list/RecordList.ts"
import { retryingSource } from "../list/RetryPages.ts"
import { countOf } from "../render/Count.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { kebabCase } from "../text/KebabCase.ts"
import { type HashedInputs, hashInputs } from "./HashedInputs.ts"
import { makeInputFailures } from "./InputFailures.ts"
import {
  argumentsOfLines,
  defaultConcurrency,
  recordInputOptions,
  unavailableForInputs
} from "./InputOptions.ts"
import { formatPosition } from "./InputPosition.ts"
import { type InputLine, inputName, type InputText, readInputs } from "./InputText.ts"
import { type InputKeyName, type InputRecord, joinPages, manyInputs, withKeyColumns } from "./ManyInputs.ts"

/** How long an outage of the service may last by default before an input fails. */
const defaultRetryFor = Duration.seconds(30)

/** Reads the inputs, writes their records, and reports the inputs that failed. */
export const runInputs = <Item>(
  { columns, fields, isDimmed, operation, recordName, sourceOf }: RecordList<Item>,
  given: CommandInvocation,
  /** Whether small pages are printed together. */
  { joinsPages }: { readonly joinsPages: boolean }
): Effect.Effect<void, CommandError, ApiClients | CommandTerminal> =>
  Effect.scoped(Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const invocation = withExplicitChain(operation, given)
    const { values } = invocation
    const unsupported = ["since-last", "dry-run", "raw", "chart", "chart-to"].find((name) =>
      isSet(values, name)
    )
    if (unsupported !== undefined) return yield* unavailableForInputs(unsupported, values)
    const chains = severalChains(values)
    const text = yield* inputText(operation, values)
    yield* checkChains(operation, values)
    const failedFile = singleValue(values, "failed") ?? null
    if (failedFile !== null && text !== null && text.file !== null && isSameFile(failedFile, text.file)) {
      return yield* new UsageError({
        reason: "--failed: expected another file than --from",
        hint: "the failed inputs are written while the inputs are read"
      })
    }
    const target = yield* exportTarget(invocation)
    const failures = yield* makeInputFailures({
      file: failedFile,
      source: text === null ? "the command line" : inputName(text),
      inputName: text === null ? "chains" : "inputs",
      isJson: isEnabled(values, jsonErrorsOption.name)
    })
    const maxItems = integerValue(values, "max-items")
    const inputs = text === null
      ? { lines: Stream.make(commandLineInput) }
      : target === null
      ? { lines: readInputs(text) }
      : yield* hashInputs(text)
    const keyNames: ReadonlyArray<InputKeyName> = [
      ...(text === null ? [] : ["input" as const]),
      ...(chains === null ? [] : ["chain" as const])
    ]
    let hasMore = false
    const retryFor = values.has("retry-for") || target !== null ? retryDuration(values) : defaultRetryFor
    const all = yield* manyInputs({
      operation,
      fields,
      canonicalInput: canonicalInput(operation, values, text, maxItems, inputs),
      recordName,
      lines: chains === null
        ? inputs.lines
        : Stream.mapConcat(inputs.lines, (line) => chains.map((chain) => ({ ...line, chain }))),
      keyNames,
      argumentNames: argumentsOfLines(toArguments(operation), values),
      invocation,
      concurrency: integerValue(values, "concurrency") ?? defaultConcurrency,
      maxItems,
      failures,
      sourceOf: (invocation) =>
        Effect.map(sourceOf(invocation), (source) => {
          const retrying = retryingSource(source, retryFor, terminal)
          return {
            ...retrying,
            pages: (cursor) =>
              Stream.tap(
                retrying.pages(cursor),
                ({ nextCursor }) =>
                  Effect.sync(() => (hasMore ||= source.isSinglePage && typeof nextCursor === "string"))
              )
          }
        })
    })
    const cursor = singleValue(values, "cursor")
    const source: typeof all = {
      ...all,
      pages: (position) => {
        const pages = all.pages(position ?? cursor)
        return joinsPages && target === null ? joinPages(pages) : pages
      }
    }
    const job: ListJob<InputRecord<Item>> = {
      source,
      columns: withKeyColumns(columns, keyNames),
      isDimmed: ({ item }) => isDimmed(item),
      // The limit applies to each input
      maxItems: null,
      // Each input is retried by itself. All of them cannot be: stdin is read once, and failures are counted
      retryFor: Duration.zero,
      transform: yield* makeTransform(
        source.fields,
        outputSettings(values),
        target === null ? invocation.settings.format : "ndjson"
      ),
      invocation,
      inputs: {
        isStandardInput: text !== null && text.file === null,
        report: failures.report,
        counts: failures.counts,
        restore: failures.restore,
        unprinted: () => {
          const position = failures.unprinted()
          return position === null ? null : formatPosition(position)
        }
      }
    }
    yield* writeRecords(job, target)
    if (hasMore) yield* terminal.note(`more ${recordName} available: use --all`)
    yield* failures.result
  }))

const writeRecords = <Item>(
  job: ListJob<Item>,
  target: ExportTarget | null
): Effect.Effect<void, CommandError, CommandTerminal> =>
  target === null ? printRecords(job) : Effect.gen(function*() {
    const { planExport } = yield* Effect.promise(() => import("../export/ExportCommand.ts"))
    const { exportRecords } = yield* Effect.promise(() => import("../export/Export.ts"))
    yield* exportRecords(yield* planExport(job, target, () => Effect.succeed(job.source)))
  })

/** Stands for the arguments of a command with several chains. */
const commandLineInput: InputLine = { line: 1, values: [] }

/** Options that need the lines of a text. */
const textOptionNames = ["from", "from-column", "failed"]

/** Returns where the inputs come from; null if the command line has all arguments, for several chains. */
const inputText = (
  operation: AnyOperation,
  values: ArgumentValues
): Effect.Effect<InputText | null, UsageError> => {
  const file = singleValue(values, "from") ?? stdinArgument
  const columns = values.get("from-column")?.flatMap((value) => value.split(",")) ?? null
  const specs = toArguments(operation)
  const names = argumentsOfLines(specs, values)
  const needsText = severalChains(values) === null || textOptionNames.some((name) => values.has(name))
  if (names.length === 0 && !needsText) return Effect.succeed(null)
  if (names.length === 0) {
    const option = recordInputOptions.find(({ name }) => values.has(name))?.name ?? "from"
    const isDate = option === "from" && operation.parameters.some(({ name }) => name === "from_date")
    return new UsageError({
      reason: `--${option} is for many inputs, and all arguments are on the command line`,
      hint: `omit it, or ${specs.map(({ name }) => `<${name}>`).join(" or ")} to read inputs` +
        (isDate ? "; the option for dates is --from-date" : "")
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
    file: file === stdinArgument ? null : file,
    columns,
    valueCount: names.length
  })
}

const isSameFile = (one: string, other: string): boolean => {
  try {
    return realpathSync(one) === realpathSync(other)
  } catch {
    return false
  }
}

/** Describes the inputs for an export, which continues only with equal ones. */
const canonicalInput = (
  operation: AnyOperation,
  values: ArgumentValues,
  text: InputText | null,
  maxItems: number | null,
  { sha256 }: Partial<HashedInputs>
): unknown => {
  const parameters = operation.parameters.map(({ name }) => kebabCase(name)).filter((name) =>
    name !== "cursor"
  )
  return {
    ...Object.fromEntries(parameters.flatMap((name) => {
      const value = values.get(name)
      return value === undefined || value[0] === stdinArgument ? [] : [[name, value.join(",")]]
    })),
    inputs: sha256,
    columns: text?.columns,
    maxItems
  }
}
