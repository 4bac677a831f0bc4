/** Generates completion scripts for commands of two words. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { ArgumentSpec, CommandSpec, OptionSpec } from "./CommandSpec.ts"
import { globalOptions } from "./GlobalOptions.ts"

type ParsedOption = readonly [name: string, values: ReadonlyArray<string>]

const toEffectOption = (spec: OptionSpec): Options.Options<ParsedOption> => {
  if (spec.value === null) {
    return Options.boolean(spec.name).pipe(
      Options.withDescription(spec.description),
      Options.map((value): ParsedOption => [spec.name, [String(value)]])
    )
  }
  const { choices = [] } = spec
  const option = Arr.isNonEmptyReadonlyArray(choices)
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

/** Builds `quarry` with its groups and their commands. */
const commandTree = (commands: Commands) => {
  const toEffectCommand = (command: CommandSpec) =>
    Command.make(
      command.path[1] ?? "",
      {
        options: Options.all([...command.options, ...globalOptions].map(toEffectOption)),
        args: Arr.isNonEmptyReadonlyArray(command.arguments)
          ? Args.all(Arr.map(command.arguments, toEffectArg))
          : Args.map(Args.none, (): ReadonlyArray<ParsedOption> => [])
      },
      () => Effect.void
    ).pipe(Command.withDescription(command.summary))
  const groups = Arr.groupWith(commands, (one, other) => one.path[0] === other.path[0])
  return Command.make("quarry").pipe(Command.withSubcommands(
    Arr.map(
      groups,
      (members) =>
        Command.make(members[0].path[0] ?? "").pipe(
          Command.withSubcommands(Arr.map(members, toEffectCommand))
        )
    )
  ))
}

/** Generates the completion script of a shell. */
export const completionScript = (commands: Commands, shell: string): Effect.Effect<string> => {
  const root = commandTree(commands)
  const script = shell === "bash"
    ? Command.getBashCompletions(root, "quarry")
    : shell === "fish"
    ? Command.getFishCompletions(root, "quarry")
    : Command.getZshCompletions(root, "quarry")
  return Effect.map(script, (lines) => `${lines.join("\n")}\n`)
}
