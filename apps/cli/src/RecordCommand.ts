/** Commands that print one thing. */
import type { Operation } from "@blockquarry/core/Operation"
import type { OperationError } from "@blockquarry/core/OperationError"
import type { OperationFunction } from "@blockquarry/http/ApiClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { ApiClients, type ApiClientsService, layerFromSettings } from "./ApiClients.ts"
import type { CommandInvocation, CommandSpec, OptionSpec } from "./args/CommandSpec.ts"
import { decodeArguments, toArguments, toOptions } from "./args/OperationParameters.ts"
import type { CommandError, UsageError } from "./CommandError.ts"
import { type DetailLine, formatDetails, toLines } from "./render/Details.ts"
import { toJson } from "./render/Json.ts"
import { CommandTerminal, type StreamInfo } from "./Terminal.ts"

export interface RecordCommandSpec<I, InputEncoded, Output, OutputEncoded> {
  readonly path: readonly [group: string, name: string]
  readonly operation: Operation<I, InputEncoded, Output, OutputEncoded>
  readonly selectClient: (
    clients: ApiClientsService,
    invocation: CommandInvocation
  ) => OperationFunction<InputEncoded, Output>
  readonly examples: ReadonlyArray<string>
  /** Options besides those of the operation. */
  readonly options?: ReadonlyArray<OptionSpec>
  /** What is wrong with the options of its own. */
  readonly validate?: (invocation: CommandInvocation) => Either.Either<unknown, UsageError>
  /** What is done around the question. */
  readonly wrapCall?: (
    operation: Effect.Effect<Output, OperationError>,
    invocation: CommandInvocation
  ) => Effect.Effect<Output, CommandError, CommandTerminal>
  /** Members that read better than they are encoded, by their dotted names. */
  readonly displayValues?: (output: Output) => ReadonlyArray<DetailLine>
  /** What people see instead of the members, one below the other. */
  readonly table?: (output: Output, surface: StreamInfo) => string
  /** What to say where there is nothing to see; null where there is something. */
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
      const { written } = yield* decodeArguments(spec.operation, invocation.values)
      yield* spec.validate?.(invocation) ?? Either.void
      yield* Effect.provide(runOperation(spec, invocation, written), layerFromSettings(invocation.settings))
    })
})

const runOperation = <I, InputEncoded, Output, OutputEncoded>(
  spec: RecordCommandSpec<I, InputEncoded, Output, OutputEncoded>,
  invocation: CommandInvocation,
  encoded: InputEncoded
): Effect.Effect<void, CommandError, ApiClients | CommandTerminal> =>
  Effect.gen(function*() {
    const screen = yield* CommandTerminal
    const operation = spec.selectClient(yield* ApiClients, invocation)
    const output = yield* spec.wrapCall === undefined
      ? operation(encoded)
      : spec.wrapCall(operation(encoded), invocation)
    const emptyNote = invocation.settings.format === "table" ? spec.emptyNote?.(output) ?? null : null
    if (emptyNote !== null) yield* screen.note(emptyNote)
    yield* screen.print(render(spec, output, invocation, screen.out))
  })

const render = <I, InputEncoded, Output, OutputEncoded>(
  spec: RecordCommandSpec<I, InputEncoded, Output, OutputEncoded>,
  output: Output,
  { settings }: CommandInvocation,
  surface: StreamInfo
): string => {
  const encoded: unknown = Schema.encodeSync(spec.operation.output)(output)
  switch (settings.format) {
    case "json":
      return `${toJson(encoded, 2)}\n`
    case "ndjson":
      return `${toJson(encoded)}\n`
    case "table": {
      if (spec.table !== undefined) return spec.table(output, surface)
      const displayValues = new Map(spec.displayValues?.(output) ?? [])
      return formatDetails(
        toLines(encoded).map(([name, value]) => [name, displayValues.get(name) ?? value]),
        surface
      )
    }
  }
}
