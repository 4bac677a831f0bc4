/**
 * Finds out what a command line asks for, before the program is loaded: its command, and the words of its options and
 * arguments.
 */
import { readWords, type WordProblem, type Words } from "@blockquarry/command-line/Words"
import { looksLikeApiKey } from "../args/ApiKeyName.ts"
import { type ArgumentValues, stdinArgument } from "../args/ArgumentValues.ts"
import {
  type CommandDescription,
  type CommandLineDescription,
  commandUsage,
  everyOption,
  type OptionDescription,
  optionLabel
} from "../args/CommandDescription.ts"
import { commandsUnder, nextWords, type ResolvedPath, resolvePath, suggestPath } from "../args/CommandTree.ts"
import { closestMatch, didYouMean } from "../args/Suggest.ts"
import { helpTopics, type Information, isHelpTopic } from "../help/Help.ts"

/** A command line that asks for nothing that the program has. */
interface InvalidCommandLine {
  readonly _tag: "Invalid"
  readonly reason: string
  readonly hint: string | null
}

/** The command to run, with the words of its options and arguments. */
export interface ArrangedCommand {
  readonly _tag: "Run"
  readonly command: CommandDescription
  readonly options: ArgumentValues
  readonly args: ReadonlyArray<string>
}

export interface ArrangedCommandLine<Invocation = Information | ArrangedCommand | InvalidCommandLine> {
  /** The options, also of an invalid command line: some decide how its error is printed. */
  readonly options: ArgumentValues
  readonly positionals: ReadonlyArray<string>
  readonly invocation: Invocation
}

/** What needs the program: all that does not only show information. */
export type CommandLineToRun = ArrangedCommandLine<ArrangedCommand | InvalidCommandLine>

const invalid = (reason: string, hint: string | null = null): InvalidCommandLine => ({
  _tag: "Invalid",
  reason,
  hint
})

/**
 * Arranges the words of a command line. The values of options are checked when the command is loaded. `help …` means the
 * same as `… --help`.
 */
export const arrange = (all: CommandLineDescription, argv: ReadonlyArray<string>): ArrangedCommandLine => {
  if (argv[0] === "help") {
    return arrange(all, [...argv.slice(1), "--help"])
  }
  const words = readWords(everyOption(all), argv)
  const [error] = words.problems.flatMap((problem) => wordError(problem) ?? [])
  return {
    options: words.options,
    positionals: words.positionals,
    invocation: error ?? findInvocation(all, words)
  }
}

/** Returns the error of an option; null for one whose command is not known yet. */
const wordError = (problem: WordProblem<OptionDescription>): InvalidCommandLine | null => {
  switch (problem._tag) {
    case "UnknownOption":
      // Does not repeat the value
      return looksLikeApiKey(problem.word.replace(/^--?/, "").replace(/=.*$/s, ""))
        ? invalid(
          "the API key cannot be passed as an option: command lines are visible to other users and in the shell history",
          "set the environment variable QUARRY_API_KEY instead"
        )
        : null
    case "MissingValue":
      return invalid(`--${problem.option.name} requires a value`, `use ${optionLabel(problem.option)}`)
    case "InvalidValue":
      return invalid(
        `--${problem.option.name}: expected true or false, got ${JSON.stringify(problem.value)}`,
        `use --${problem.option.name} or --no-${problem.option.name}`
      )
  }
}

const findInvocation = (
  all: CommandLineDescription,
  { options, positionals, problems }: Words<OptionDescription>
): ArrangedCommandLine["invocation"] => {
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
  const found = findCommand(all.commands, named, isHelp)
  if ("_tag" in found) return found
  const { command, path, rest } = found
  const accepted = command === null
    ? everyOption(all)
    : [...command.options, ...all.globalOptions, ...all.informationOptions]
  const unknown = problems.find((problem) => problem._tag === "UnknownOption")
  if (unknown !== undefined) return unknownOption(unknown.word.replace(/=.*$/s, ""), command, accepted)
  if (positionals.length === 0 && !isHelp) return { _tag: "Overview" }
  if (isHelp || command === null) return { _tag: "Help", path, command, isComplete }
  const kept = new Map<string, ReadonlyArray<string>>()
  for (const [name, values] of options) {
    const option = accepted.find((option) => option.name === name)
    if (option === undefined) return unknownOption(`--${name}`, command, accepted)
    // For example a variable of a script that is not set: never read more than was meant
    if (values.includes("")) {
      return invalid(`--${name}: the value is empty`, `omit --${name}, or set its value`)
    }
    // It ends the options, so that the value is missing
    if (values.includes("--")) {
      return invalid(`--${name}: expected a value, got "--"`, `use --${name} with another value`)
    }
    // The last one wins, so that an alias of the shell can be overridden
    kept.set(name, option.repeatable ? values : values.slice(-1))
  }
  return argumentError(command, rest, kept) ?? { _tag: "Run", command, options: kept, args: rest }
}

/** Returns the error of the first argument that is missing, or of a word that is none. */
const argumentError = (
  command: CommandDescription,
  args: ReadonlyArray<string>,
  options: ArgumentValues
): InvalidCommandLine | null => {
  const { arguments: specs } = command
  // The list of the fields needs no records, and `-` reads the arguments from stdin
  const isNeeded = options.get("fields")?.includes("help") !== true
  const isReplaced = (option: string) => options.has(option) || args.includes(stdinArgument)
  const missing = specs.slice(args.length).find(({ optional, replacedBy }) =>
    isNeeded && !optional && (replacedBy === undefined || !isReplaced(replacedBy))
  )
  const usage = `quarry ${commandUsage(command)}`
  if (missing !== undefined) {
    return invalid(`missing argument <${missing.name}>: ${missing.description}`, `usage: ${usage}`)
  }
  if (args.length <= specs.length || specs.at(-1)?.repeatable === true) return null
  return invalid(
    // Does not repeat it without need: `quarry auth login <key>`
    specs.length === 0
      ? `${usage} takes no arguments`
      : `unexpected argument ${JSON.stringify(args[specs.length])}`,
    `usage: ${usage}`
  )
}

/** Finds the named command. The name of a group stands for its only command. */
const findCommand = (
  commands: ReadonlyArray<CommandDescription>,
  positionals: ReadonlyArray<string>,
  isHelp: boolean
): ResolvedPath | InvalidCommandLine => {
  const resolved = resolvePath(commands, positionals)
  const { command, path, rest: [word] } = resolved
  if (command !== null || positionals.length === 0) return resolved
  if (word === undefined) {
    const [only, ...others] = commandsUnder(commands, path)
    const isUnambiguous = only !== undefined && others.length === 0 && (isHelp || only.arguments.length === 0)
    return { ...resolved, command: isUnambiguous ? only : null }
  }
  const mayBeTopic = isHelp && path.length === 0
  const topics = Object.keys(helpTopics)
  const other = path.length > 0 ? undefined : closestMatch(word, isHelp ? topics : ["help", "--version"])
  const suggestion = suggestPath(commands, resolved)?.join(" ") ?? other
  const kind = mayBeTopic ? "command or topic" : "command"
  return invalid(
    `unknown ${kind} ${JSON.stringify(word)}${path.length === 0 ? "" : ` for "quarry ${path.join(" ")}"`}`,
    suggestion === undefined
      ? `available commands: ${nextWords(commands, path).join(", ")}${
        mayBeTopic ? `; topics: ${topics.join(", ")}` : ""
      }`
      : didYouMean(`quarry ${isHelp ? "help " : ""}${suggestion}`)
  )
}

const unknownOption = (
  flag: string,
  command: CommandDescription | null,
  known: ReadonlyArray<OptionDescription>
): InvalidCommandLine =>
  invalid(
    `unknown option ${flag}${command === null ? "" : ` for "quarry ${command.path.join(" ")}"`}`,
    didYouMean(closestMatch(flag, known.map(({ name }) => `--${name}`)))
  )
