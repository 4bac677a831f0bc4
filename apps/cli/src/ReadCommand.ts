/** Commands that print one thing. */
import type { Operation } from "@blockquarry/core/Operation"
import type { QueryError } from "@blockquarry/core/QueryError"
import type { Ask } from "@blockquarry/http/Client"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Clients, type ClientsService, connect } from "./Clients.ts"
import type { Failure, Usage } from "./Failure.ts"
import type { Call, Entry, OptionSpec } from "./line/Entry.ts"
import { readValues, toArguments, toOptions } from "./line/Parameters.ts"
import { block, type Line, lines } from "./render/Detail.ts"
import { escaped } from "./render/Json.ts"
import { Screen, type Surface } from "./Screen.ts"

export interface ReadSpec<I, Accepts, Output, Wire> {
  readonly words: readonly [group: string, name: string]
  readonly operation: Operation<I, Accepts, Output, Wire>
  readonly client: (clients: ClientsService, call: Call) => Ask<Accepts, Output>
  readonly examples: ReadonlyArray<string>
  /** Options besides those of the operation. */
  readonly options?: ReadonlyArray<OptionSpec>
  /** What is wrong with the options of its own. */
  readonly check?: (call: Call) => Either.Either<unknown, Usage>
  /** What is done around the question. */
  readonly around?: (
    ask: Effect.Effect<Output, QueryError>,
    call: Call
  ) => Effect.Effect<Output, Failure, Screen>
  /** Members that read better than they are encoded, by their dotted names. */
  readonly better?: (output: Output) => ReadonlyArray<Line>
  /** What people see instead of the members, one below the other. */
  readonly table?: (output: Output, surface: Surface) => string
  /** What to say where there is nothing to see; null where there is something. */
  readonly empty?: (output: Output) => string | null
}

export const readCommand = <I, Accepts, Output, Wire>(spec: ReadSpec<I, Accepts, Output, Wire>): Entry => ({
  words: spec.words,
  operation: spec.operation.id,
  changes: spec.operation.repeat !== "always",
  api: spec.operation.api,
  summary: spec.operation.docs.summary,
  knownIssue: spec.operation.docs.knownIssue,
  arguments: toArguments(spec.operation),
  options: [...toOptions(spec.operation), ...spec.options ?? []],
  examples: spec.examples,
  run: (call) =>
    Effect.gen(function*() {
      const { written } = yield* readValues(spec.operation, call.values)
      yield* spec.check?.(call) ?? Either.void
      yield* Effect.provide(read(spec, call, written), connect(call.settings))
    })
})

const read = <I, Accepts, Output, Wire>(
  spec: ReadSpec<I, Accepts, Output, Wire>,
  call: Call,
  written: Accepts
): Effect.Effect<void, Failure, Clients | Screen> =>
  Effect.gen(function*() {
    const screen = yield* Screen
    const ask = spec.client(yield* Clients, call)
    const output = yield* spec.around === undefined ? ask(written) : spec.around(ask(written), call)
    const nothing = call.settings.format === "table" ? spec.empty?.(output) ?? null : null
    if (nothing !== null) yield* screen.note(nothing)
    yield* screen.print(show(spec, output, call, screen.out))
  })

const show = <I, Accepts, Output, Wire>(
  spec: ReadSpec<I, Accepts, Output, Wire>,
  output: Output,
  { settings }: Call,
  surface: Surface
): string => {
  const encoded: unknown = Schema.encodeSync(spec.operation.output)(output)
  switch (settings.format) {
    case "json":
      return `${escaped(encoded, 2)}\n`
    case "ndjson":
      return `${escaped(encoded)}\n`
    case "table": {
      if (spec.table !== undefined) return spec.table(output, surface)
      const better = new Map(spec.better?.(output) ?? [])
      return block(lines(encoded).map(([name, value]) => [name, better.get(name) ?? value]), surface)
    }
  }
}
