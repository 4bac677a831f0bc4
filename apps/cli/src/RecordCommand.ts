/** Commands that print one record. */
import type { Operation } from "@blockquarry/core/Operation"
import type { OperationError } from "@blockquarry/core/OperationError"
import type { OperationFunction } from "@blockquarry/http/ApiClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ApiClients, type ApiClientsService, layerFromSettings } from "./ApiClients.ts"
import type { CommandInvocation, CommandSpec, OptionSpec } from "./args/CommandSpec.ts"
import { decodeArguments, toArguments, toOptions } from "./args/OperationParameters.ts"
import type { CommandError } from "./CommandError.ts"
import { type DetailLine, formatDetails, toLines } from "./render/Details.ts"
import { toJson } from "./render/Json.ts"
import { CommandTerminal, type StreamInfo } from "./Terminal.ts"

export interface RecordCommandSpec<I, InputEncoded, Output, OutputEncoded> {
  readonly path: ReadonlyArray<string>
  readonly operation: Operation<I, InputEncoded, Output, OutputEncoded>
  readonly selectClient: (
    clients: ApiClientsService,
    invocation: CommandInvocation
  ) => Effect.Effect<OperationFunction<InputEncoded, Output>, CommandError>
  readonly examples: ReadonlyArray<string>
  /** Options besides the operation's parameters. */
  readonly options?: ReadonlyArray<OptionSpec>
  /** Wraps the call of the operation. */
  readonly wrapCall?: (
    operation: Effect.Effect<Output, OperationError>,
    invocation: CommandInvocation
  ) => Effect.Effect<Output, CommandError, CommandTerminal>
  /** Returns the fields to format for reading, by their dotted names. */
  readonly displayValues?: (output: Output) => ReadonlyArray<DetailLine>
  /** Formats the output as a table. Default: one line per field. */
  readonly table?: (output: Output, stream: StreamInfo) => string
  /** Returns a note for an empty output; null if it is not empty. */
  readonly emptyNote?: (output: Output) => string | null
}

export const recordCommand = <I, InputEncoded, Output, OutputEncoded>(
  spec: RecordCommandSpec<I, InputEncoded, Output, OutputEncoded>
): CommandSpec => ({
  path: spec.path,
  operation: spec.operation.id,
  isUpdate: spec.operation.retry !== "always",
  api: spec.operation.api,
  summary: spec.operation.docs.summary,
  knownIssue: spec.operation.docs.knownIssue,
  arguments: toArguments(spec.operation),
  options: [...toOptions(spec.operation), ...spec.options ?? []],
  examples: spec.examples,
  run: (invocation) =>
    Effect.gen(function*() {
      const { encoded } = yield* decodeArguments(spec.operation, invocation.values)
      yield* Effect.provide(runOperation(spec, invocation, encoded), layerFromSettings(invocation.settings))
    })
})

const runOperation = <I, InputEncoded, Output, OutputEncoded>(
  spec: RecordCommandSpec<I, InputEncoded, Output, OutputEncoded>,
  invocation: CommandInvocation,
  encoded: InputEncoded
): Effect.Effect<void, CommandError, ApiClients | CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const operation = yield* spec.selectClient(yield* ApiClients, invocation)
    const output = yield* spec.wrapCall === undefined
      ? operation(encoded)
      : spec.wrapCall(operation(encoded), invocation)
    const emptyNote = invocation.settings.format === "table" ? spec.emptyNote?.(output) ?? null : null
    if (emptyNote !== null) yield* terminal.note(emptyNote)
    yield* terminal.print(render(spec, output, invocation, terminal.out))
  })

const render = <I, InputEncoded, Output, OutputEncoded>(
  spec: RecordCommandSpec<I, InputEncoded, Output, OutputEncoded>,
  output: Output,
  { settings }: CommandInvocation,
  stream: StreamInfo
): string => {
  const encoded: unknown = Schema.encodeSync(spec.operation.output)(output)
  switch (settings.format) {
    case "json":
      return `${toJson(encoded, 2)}\n`
    case "ndjson":
      return `${toJson(encoded)}\n`
    case "table": {
      if (spec.table !== undefined) return spec.table(output, stream)
      const displayValues = new Map(spec.displayValues?.(output) ?? [])
      return formatDetails(
        toLines(encoded).map(([name, value]) => [name, displayValues.get(name) ?? value]),
        stream
      )
    }
  }
}
