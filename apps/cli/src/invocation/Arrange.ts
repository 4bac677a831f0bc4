/**
 * Finds out what a command line asks for, before the program is loaded: its command, and the words of its options and
 * arguments in the order in which `@effect/cli` parses them.
 */
import * as Either from "effect/Either"
import type { ArgumentValues } from "../args/ArgumentValues.ts"
import {
  type CommandDescription,
  type CommandLineDescription,
  type OptionDescription
} from "../args/CommandDescription.ts"
import { commandsUnder, nextWords, type ResolvedPath, resolvePath, suggestPath } from "../args/CommandTree.ts"
import { type ArgumentError, readWords, type Words } from "../args/ReadWords.ts"
import { closestMatch, didYouMean } from "../args/Suggest.ts"
import { helpTopics, type Information, isHelpTopic } from "../help/Help.ts"

type Invocation = Information | ArrangedCommand

/** The command to run, with the words of its options and arguments. */
export interface ArrangedCommand {
  readonly _tag: "Run"
  readonly command: CommandDescription
  readonly options: ArgumentValues
  readonly args: ReadonlyArray<string>
}

export interface ArrangedCommandLine {
  /** The options, also of an invalid command line: some decide how its error is printed. */
  readonly options: ArgumentValues
  readonly positionals: ReadonlyArray<string>
  readonly invocation: Either.Either<Invocation, ArgumentError>
}

const usageError = (reason: string, hint: string | null = null): Either.Either<never, ArgumentError> =>
  Either.left({ reason, hint })

/**
 * Arranges the words of a command line. The values of options are checked when the command is loaded. `help …` means the
 * same as `… --help`.
 */
export const arrange = (all: CommandLineDescription, argv: ReadonlyArray<string>): ArrangedCommandLine => {
  if (argv[0] === "help") {
    return arrange(all, [...argv.slice(1), "--help"])
  }
  const words = readWords(
    [...all.globalOptions, ...all.informationOptions, ...all.commands.flatMap(({ options }) => options)],
    argv
  )
  return {
    options: words.options,
    positionals: words.positionals,
    invocation: words.error === null ? findInvocation(all, words) : Either.left(words.error)
  }
}

const findInvocation = (
  { commands, globalOptions, informationOptions }: CommandLineDescription,
  { options, positionals, unknownOption }: Words
): Either.Either<Invocation, ArgumentError> =>
  Either.gen(function*() {
    const lastValue = (name: string) => {
      const value = options.get(name)?.at(-1)
      return value === "false" ? undefined : value
    }
    if (lastValue("version") !== undefined) return { _tag: "Version" }
    const help = lastValue("help")
    const isHelp = help !== undefined
    const isComplete = isHelp && (help === "all" || positionals.at(-1) === "all")
    const named = isComplete && help !== "all" ? positionals.slice(0, -1) : positionals
    const [topic] = named
    if (isHelp && topic !== undefined && isHelpTopic(topic)) return { _tag: "Topic", topic }
    const { command, path, rest } = yield* findCommand(commands, named, isHelp)
    const accepted = command === null
      ? [...globalOptions, ...informationOptions, ...commands.flatMap(({ options }) => options)]
      : [...command.options, ...globalOptions, ...informationOptions]
    if (unknownOption !== null) return yield* unknownOptionError(unknownOption, command, accepted)
    if (positionals.length === 0 && !isHelp) return { _tag: "Overview" }
    if (isHelp || command === null) return { _tag: "Help", path, command, isComplete }
    const kept = new Map<string, ReadonlyArray<string>>()
    for (const [name, values] of options) {
      const option = accepted.find((option) => option.name === name)
      if (option === undefined) return yield* unknownOptionError(`--${name}`, command, accepted)
      // For example a variable of a script that is not set: never read more than was meant
      if (values.includes("")) {
        return yield* usageError(`--${name}: the value is empty`, `omit --${name}, or set its value`)
      }
      // The last one wins, so that an alias of the shell can be overridden
      kept.set(name, option.repeatable ? values : values.slice(-1))
    }
    return { _tag: "Run", command, options: kept, args: rest }
  })

/** Finds the named command. The name of a group stands for its only command. */
const findCommand = (
  commands: ReadonlyArray<CommandDescription>,
  positionals: ReadonlyArray<string>,
  isHelp: boolean
): Either.Either<ResolvedPath, ArgumentError> => {
  const resolved = resolvePath(commands, positionals)
  const { command, path, rest: [word] } = resolved
  if (command !== null || positionals.length === 0) return Either.right(resolved)
  if (word === undefined) {
    const [only, ...others] = commandsUnder(commands, path)
    const isUnambiguous = only !== undefined && others.length === 0 && (isHelp || only.arguments.length === 0)
    return Either.right({ ...resolved, command: isUnambiguous ? only : null })
  }
  const mayBeTopic = isHelp && path.length === 0
  const topics = Object.keys(helpTopics)
  const other = path.length > 0 ? undefined : closestMatch(word, isHelp ? topics : ["help", "--version"])
  const suggestion = suggestPath(commands, resolved)?.join(" ") ?? other
  const kind = mayBeTopic ? "command or topic" : "command"
  return usageError(
    `unknown ${kind} ${JSON.stringify(word)}${path.length === 0 ? "" : ` for "quarry ${path.join(" ")}"`}`,
    suggestion === undefined
      ? `available commands: ${nextWords(commands, path).join(", ")}${
        mayBeTopic ? `; topics: ${topics.join(", ")}` : ""
      }`
      : didYouMean(`quarry ${isHelp ? "help " : ""}${suggestion}`)
  )
}

const unknownOptionError = (
  flag: string,
  command: CommandDescription | null,
  known: ReadonlyArray<OptionDescription>
): Either.Either<never, ArgumentError> =>
  usageError(
    `unknown option ${flag}${command === null ? "" : ` for "quarry ${command.path.join(" ")}"`}`,
    didYouMean(closestMatch(flag, known.map(({ name }) => `--${name}`)))
  )
