/** Builds the commands of @effect/cli, which runs them and generates completion scripts. */
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
import type { CommandError } from "../CommandError.ts"
import type { HttpTransport } from "../HttpTransport.ts"
import type { CommandTerminal } from "../Terminal.ts"
import type { ArgumentSpec, ArgumentValues, CommandSpec, OptionSpec } from "./CommandSpec.ts"
import { globalOptions } from "./GlobalOptions.ts"

/** Completions list switches and choices. A parsed command line has text only, which `parseArgs` has checked. */
type TreePurpose = "complete" | "run"

type ParsedOption = readonly [name: string, values: ReadonlyArray<string>]

const toEffectOption = (purpose: TreePurpose) => (spec: OptionSpec): Options.Options<ParsedOption> => {
  const isComplete = purpose === "complete"
  if (isComplete && spec.value === null) {
    return Options.boolean(spec.name).pipe(
      Options.withDescription(spec.description),
      Options.map((value): ParsedOption => [spec.name, [String(value)]])
    )
  }
  const { choices = [] } = spec
  const option = isComplete && Arr.isNonEmptyReadonlyArray(choices)
    ? Options.choice(spec.name, choices)
    : Options.text(spec.name)
  return option.pipe(
    Options.withDescription(spec.description),
    Options.repeated,
    Options.map((values): ParsedOption => [spec.name, values])
  )
}

const toEffectArg = (spec: ArgumentSpec): Args.Args<ParsedOption> =>
  Args.text({ name: spec.name }).pipe(
    Args.withDescription(spec.description),
    Args.map((value): ParsedOption => [spec.name, [value]])
  )

type Commands = Arr.NonEmptyReadonlyArray<CommandSpec>

type RunCommand = (
  command: CommandSpec,
  values: ArgumentValues
) => Effect.Effect<void, CommandError, HttpTransport | CommandTerminal>

/** Builds `quarry` with its groups and their commands. */
const commandTree = (commands: Commands, purpose: TreePurpose, runCommand: RunCommand) => {
  const toEffectCommand = (command: CommandSpec) =>
    Command.make(
      command.path[1],
      {
        options: Options.all([...command.options, ...globalOptions].map(toEffectOption(purpose))),
        args: Arr.isNonEmptyReadonlyArray(command.arguments)
          ? Args.all(Arr.map(command.arguments, toEffectArg))
          : Args.map(Args.none, (): ReadonlyArray<ParsedOption> => [])
      },
      ({ args, options }) => runCommand(command, new Map([...options, ...args]))
    ).pipe(Command.withDescription(command.summary))
  const groups = Arr.groupWith(commands, (one, other) => one.path[0] === other.path[0])
  return Command.make("quarry").pipe(Command.withSubcommands(
    Arr.map(
      groups,
      (members) =>
        Command.make(members[0].path[0]).pipe(Command.withSubcommands(Arr.map(members, toEffectCommand)))
    )
  ))
}

const environment = Layer.mergeAll(
  CliConfig.layer({ autoCorrectLimit: 0, isCaseSensitive: true, showBuiltIns: false }),
  NodeFileSystem.layer,
  NodePath.layer,
  NodeTerminal.layer
)

/** Runs a command line that `parseArgs` returned. */
export const runCommandLine = (
  commands: Commands,
  version: string,
  line: ReadonlyArray<string>,
  runCommand: RunCommand
): Effect.Effect<void, CommandError, HttpTransport | CommandTerminal> =>
  Command.run(commandTree(commands, "run", runCommand), { name: "quarry", version, executable: "quarry" })([
    "node",
    "quarry",
    ...line
  ]).pipe(
    // A rejected line is a defect of `parseArgs`
    Effect.catchIf(ValidationError.isValidationError, Effect.die),
    Effect.provide(environment)
  )

/** Generates the completion script of a shell. */
export const completionScript = (commands: Commands, shell: string): Effect.Effect<string> => {
  const root = commandTree(commands, "complete", () => Effect.void)
  const script = shell === "bash"
    ? Command.getBashCompletions(root, "quarry")
    : shell === "fish"
    ? Command.getFishCompletions(root, "quarry")
    : Command.getZshCompletions(root, "quarry")
  return Effect.map(script, (lines) => `${lines.join("\n")}\n`)
}
