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
  /** The words of the command and its arguments. */
  readonly positionals: ReadonlyArray<string>
  readonly invocation: Either.Either<Invocation, ArgumentError>
}

const usageError = (reason: string, hint: string | null = null): Either.Either<never, ArgumentError> =>
  Either.left({ reason, hint })

/** Arranges the words of a command line. The values of options are checked when the command is loaded. */
export const arrange = (all: CommandLineDescription, argv: ReadonlyArray<string>): ArrangedCommandLine => {
  const isHelpCommand = argv[0] === "help"
  const words = readWords(
    [...all.globalOptions, ...all.informationOptions, ...all.commands.flatMap(({ options }) => options)],
    isHelpCommand ? argv.slice(1) : argv
  )
  return {
    options: words.options,
    positionals: words.positionals,
    invocation: words.error === null
      ? findInvocation(all, words, isHelpCommand)
      : Either.left(words.error)
  }
}

const findInvocation = (
  { commands, globalOptions, informationOptions }: CommandLineDescription,
  { options, positionals, unknownOption }: Words,
  isHelpCommand: boolean
): Either.Either<Invocation, ArgumentError> =>
  Either.gen(function*() {
    const lastValue = (name: string) => {
      const value = options.get(name)?.at(-1)
      return value === "false" ? undefined : value
    }
    if (lastValue("version") !== undefined) return { _tag: "Version" }
    const [topic] = positionals
    if (isHelpCommand && topic !== undefined && isHelpTopic(topic)) return { _tag: "Topic", topic }
    const isHelp = isHelpCommand || lastValue("help") !== undefined
    const isComplete = lastValue("help") === "all" || (isHelpCommand && positionals.at(-1) === "all")
    const words = isHelpCommand && isComplete ? positionals.slice(0, -1) : positionals
    const { command, path, rest } = isHelpCommand && topic === "help"
      ? { path: [], command: null, rest: [] }
      : yield* findCommand(commands, words, isHelp, isHelpCommand)
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
  isHelp: boolean,
  isHelpCommand: boolean
): Either.Either<ResolvedPath, ArgumentError> => {
  const resolved = resolvePath(commands, positionals)
  const { command, path, rest: [word] } = resolved
  if (command !== null || positionals.length === 0) return Either.right(resolved)
  if (word === undefined) {
    const [only, ...others] = commandsUnder(commands, path)
    const isUnambiguous = only !== undefined && others.length === 0 && (isHelp || only.arguments.length === 0)
    return Either.right({ ...resolved, command: isUnambiguous ? only : null })
  }
  const topic = path.length > 0
    ? undefined
    : closestMatch(word, isHelpCommand ? Object.keys(helpTopics) : ["help", "--version"])
  const suggestion = suggestPath(commands, resolved) ?? (topic === undefined ? undefined : [topic])
  const group = path.length === 0 ? "" : ` for "quarry ${path.join(" ")}"`
  return usageError(
    `unknown ${isHelpCommand ? "command or topic" : "command"} ${JSON.stringify(word)}${group}`,
    suggestion !== undefined
      ? didYouMean(["quarry", ...isHelpCommand ? ["help"] : [], ...suggestion].join(" "))
      : `available commands: ${nextWords(commands, path).join(", ")}${
        path.length > 0
          ? ""
          : isHelpCommand
          ? `; topics: ${Object.keys(helpTopics).join(", ")}`
          : "; run \"quarry --help\""
      }`
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
