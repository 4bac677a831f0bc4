/** The commands as @effect/cli runs and completes them. */
import * as Args from "@effect/cli/Args"
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Failure } from "../Failure.ts"
import type { Network } from "../Network.ts"
import type { Screen } from "../Screen.ts"
import type { ArgumentSpec, Entry, OptionSpec, Values } from "./Entry.ts"
import { globals } from "./Globals.ts"

/** Completion offers the values that are listed; to run, the operation's own schema judges every value. */
type Purpose = "complete" | "run"

type Given = readonly [name: string, values: ReadonlyArray<string>]

const toOptions = (purpose: Purpose) => (spec: OptionSpec): Options.Options<Given> => {
  const named = (options: Options.Options<string>) =>
    options.pipe(
      Options.withDescription(spec.description),
      Options.repeated,
      Options.map((values): Given => [spec.name, values])
    )
  // To run, a sorted line says `true` or `false` of each switch that was written, which a boolean option would not
  // tell from one that was not.
  if (spec.value === null && purpose === "complete") {
    return Options.boolean(spec.name).pipe(
      Options.withDescription(spec.description),
      Options.map((value): Given => [spec.name, [String(value)]])
    )
  }
  return purpose === "complete" && spec.choices !== undefined && Arr.isNonEmptyReadonlyArray(spec.choices)
    ? named(Options.choice(spec.name, spec.choices))
    : named(Options.text(spec.name))
}

const toArgs = (spec: ArgumentSpec): Args.Args<Given> =>
  Args.text({ name: spec.name }).pipe(
    Args.withDescription(spec.description),
    Args.map((value): Given => [spec.name, [value]])
  )

type Entries = Arr.NonEmptyReadonlyArray<Entry>

/** What happens when a command is named. */
type Use = (entry: Entry, values: Values) => Effect.Effect<void, Failure, Network | Screen>

/** `quarry` with its groups and their commands. */
const tree = (entries: Entries, purpose: Purpose, use: Use) => {
  const command = (entry: Entry) =>
    Command.make(
      entry.words[1],
      {
        options: Options.all([...entry.options, ...globals].map(toOptions(purpose))),
        args: Arr.isNonEmptyReadonlyArray(entry.arguments)
          ? Args.all(Arr.map(entry.arguments, toArgs))
          : Args.map(Args.none, (): ReadonlyArray<Given> => [])
      },
      ({ args, options }) => use(entry, new Map([...options, ...args]))
    ).pipe(Command.withDescription(entry.summary))
  const groups = Arr.groupWith(entries, (one, other) => one.words[0] === other.words[0])
  return Command.make("quarry").pipe(Command.withSubcommands(
    Arr.map(
      groups,
      (members) => Command.make(members[0].words[0]).pipe(Command.withSubcommands(Arr.map(members, command)))
    )
  ))
}

/** The options are known to exist, so nothing has to be guessed. */
const config = CliConfig.layer({ autoCorrectLimit: 0, isCaseSensitive: true, showBuiltIns: false })

const environment = Layer.mergeAll(config, NodeFileSystem.layer, NodePath.layer, NodeTerminal.layer)

/** Runs a sorted command line. */
export const run = (
  entries: Entries,
  version: string,
  line: ReadonlyArray<string>,
  use: Use
): Effect.Effect<void, Failure | ValidationError.ValidationError, Network | Screen> =>
  Command.run(tree(entries, "run", use), { name: "quarry", version, executable: "quarry" })([
    "node",
    "quarry",
    ...line
  ])
    .pipe(Effect.provide(environment))

/** Whether @effect/cli could not read the line. Sorted lines leave it nothing to refuse. */
export const isValidationError: (failure: unknown) => failure is ValidationError.ValidationError =
  ValidationError.isValidationError

/** A completion script for a shell. */
export const completions = (entries: Entries, shell: string): Effect.Effect<string> => {
  const root = tree(entries, "complete", () => Effect.void)
  const script = shell === "bash"
    ? Command.getBashCompletions(root, "quarry")
    : shell === "fish"
    ? Command.getFishCompletions(root, "quarry")
    : Command.getZshCompletions(root, "quarry")
  return Effect.map(script, (lines) => `${lines.join("\n")}\n`)
}
