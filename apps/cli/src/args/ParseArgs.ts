/** Parses the command line. Options may appear anywhere. */
import * as Either from "effect/Either"
import { looksLikeApiKey } from "./ApiKeyName.ts"
import { type ArgumentValues, isSet, stdinArgument } from "./ArgumentValues.ts"
import type {
  ArgumentSpec,
  CommandLineDescription,
  DescribedCommand,
  OptionDescription,
  OptionSpec
} from "./CommandDescription.ts"
import { commandsUnder, commandUsage, nextWords, resolvePath, suggestPath } from "./CommandPath.ts"
import { describe } from "./DescribeOptions.ts"
import { type HelpTopic, helpTopics, isHelpTopic } from "./HelpTopics.ts"
import { closestMatch, didYouMean } from "./Suggest.ts"

export type Invocation =
  | { readonly _tag: "Version" }
  /** What the program is and where its help is, for a command line without a command. */
  | { readonly _tag: "Overview" }
  /** Help for a command, or for the commands of a group. The empty path is the group of all commands. */
  | { readonly _tag: "Help"; readonly path: ReadonlyArray<string>; readonly command: DescribedCommand | null }
  | { readonly _tag: "Topic"; readonly topic: HelpTopic }
  | { readonly _tag: "Run"; readonly command: DescribedCommand; readonly values: ArgumentValues }

/** Why a command line is invalid. */
export interface ArgumentError {
  readonly reason: string
  readonly hint: string | null
}

interface ScannedArgs {
  readonly positionals: ReadonlyArray<string>
  readonly options: ReadonlyArray<readonly [spec: OptionDescription, value: string]>
  readonly unknownOptions: ReadonlyArray<string>
}

const usageError = (reason: string, hint: string | null = null): Either.Either<never, ArgumentError> =>
  Either.left({ reason, hint })

/** Parses the command line. The values of options are checked by `checkValues`, when the command is loaded. */
export const parseArgs = (
  { commands, globalOptions, informationOptions }: CommandLineDescription,
  argv: ReadonlyArray<string>
): Either.Either<Invocation, ArgumentError> =>
  Either.gen(function*() {
    const sharedOptions = [...globalOptions, ...informationOptions]
    const allOptions = [...sharedOptions, ...commands.flatMap(({ options }) => options)]
    const isHelpCommand = argv[0] === "help"
    const words = isHelpCommand ? argv.slice(1) : argv
    const preliminary = yield* scanArgs(allOptions, words)
    const named = resolvePath(commands, preliminary.positionals).command
    // The options of the command take precedence over options of the same name of other commands
    const { options, positionals, unknownOptions: [unknownOption] } = named === null
      ? preliminary
      : yield* scanArgs([...named.options, ...allOptions], words)
    const valueOf = (name: string) =>
      options.find(([spec, value]) => spec.name === name && value !== "false")?.[1]
    if (valueOf("version") !== undefined) return { _tag: "Version" }
    const shell = valueOf("completions")
    const completions = commands.find(({ path }) => path.join(" ") === "completions")
    if (shell !== undefined && completions !== undefined) {
      return { _tag: "Run", command: completions, values: new Map([["shell", [shell]]]) }
    }
    const [topic] = positionals
    if (isHelpCommand && topic !== undefined && isHelpTopic(topic)) return { _tag: "Topic", topic }
    const isHelp = isHelpCommand || valueOf("help") !== undefined
    const { args, command, path } = yield* isHelpCommand && topic === "help"
      ? Either.right({ args: [], command: null, path: [] })
      : findCommand(commands, positionals, isHelp, isHelpCommand)
    if (unknownOption !== undefined) {
      return yield* unknownOptionError(
        unknownOption,
        command,
        command === null ? allOptions : [...command.options, ...sharedOptions]
      )
    }
    if (positionals.length === 0 && !isHelp) return { _tag: "Overview" }
    if (isHelp || command === null) return { _tag: "Help", path, command }
    const optionValues = yield* groupOptions([...command.options, ...globalOptions], command, options)
    return {
      _tag: "Run",
      command,
      values: new Map([...optionValues, ...yield* assignArguments(command, args, optionValues)])
    }
  })

/** Checks the options of a command: their values and combinations. */
export const checkValues = (
  options: ReadonlyArray<OptionSpec>,
  values: ArgumentValues
): Either.Either<void, ArgumentError> => {
  for (const [name, words] of values) {
    const { check, conflictsWith = [] } = options.find((option) => option.name === name) ?? {}
    const invalid = words.find((word) => check?.accepts(word) === false)
    if (check !== undefined && invalid !== undefined) {
      return usageError(
        `--${name}: expected ${check.expected}, got ${JSON.stringify(invalid)}`,
        check.hint?.(invalid)
      )
    }
    const other = isSet(values, name) ? conflictsWith.find((other) => isSet(values, other)) : undefined
    if (other !== undefined) {
      return usageError(`--${name} and --${other} are mutually exclusive`, "omit one of them")
    }
  }
  return Either.void
}

const scanArgs = (
  allOptions: ReadonlyArray<OptionDescription>,
  argv: ReadonlyArray<string>
): Either.Either<ScannedArgs, ArgumentError> =>
  Either.gen(function*() {
    const positionals: Array<string> = []
    const options: Array<readonly [OptionDescription, string]> = []
    const unknownOptions: Array<string> = []
    for (let index = 0; index < argv.length; index++) {
      const token = argv[index] ?? ""
      if (token === "--") {
        positionals.push(...argv.slice(index + 1))
        break
      }
      if (!/^-./.test(token)) {
        positionals.push(token)
        continue
      }
      // The error does not repeat the value
      if (looksLikeApiKey(token.replace(/^--?/, "").replace(/=.*$/s, ""))) {
        return yield* usageError(
          "the API key cannot be passed as an option: command lines are visible to other users and in the shell history",
          "set the environment variable QUARRY_API_KEY instead"
        )
      }
      const matched = matchOption(allOptions, token)
      if (matched === undefined) {
        unknownOptions.push(token.replace(/=.*$/s, ""))
        continue
      }
      const { spec } = matched
      let { value } = matched
      if (value === undefined) {
        const next = argv[index + 1]
        const hasValue = spec.value === null
          ? next === "true" || next === "false"
          : next !== undefined && matchOption(allOptions, next) === undefined
        if (hasValue) index++
        value = hasValue ? next : spec.value === null ? "true" : undefined
      }
      if (value === undefined) {
        return yield* usageError(`--${spec.name} requires a value`, `use --${spec.name} <${spec.value}>`)
      }
      if (spec.value === null && value !== "true" && value !== "false") {
        return yield* usageError(
          `--${spec.name}: expected true or false, got ${JSON.stringify(value)}`,
          `use --${spec.name} or --no-${spec.name}`
        )
      }
      options.push([spec, value])
    }
    return { positionals, options, unknownOptions }
  })

/** Returns the option that a token names, and the value if the token contains one. */
const matchOption = (
  allOptions: ReadonlyArray<OptionDescription>,
  token: string
): { readonly spec: OptionDescription; readonly value: string | undefined } | undefined => {
  const [, long, longValue] = /^--([^=]+)(?:=(.*))?$/s.exec(token) ?? []
  if (long !== undefined) {
    const spec = allOptions.find(({ name }) => name === long)
    if (spec !== undefined) return { spec, value: longValue }
    const negated = allOptions.find(({ name, value }) => value === null && `no-${name}` === long)
    return negated === undefined || longValue !== undefined ? undefined : { spec: negated, value: "false" }
  }
  const [, letter, rest] = /^-([A-Za-z])=?(.*)$/s.exec(token) ?? []
  const spec = allOptions.find(({ alias }) => alias !== undefined && alias === letter)
  return spec === undefined || (spec.value === null && rest !== "")
    ? undefined
    : { spec, value: rest === "" ? undefined : rest }
}

interface FoundCommand {
  readonly path: ReadonlyArray<string>
  /** Null for a group with several commands. */
  readonly command: DescribedCommand | null
  readonly args: ReadonlyArray<string>
}

/** Finds the named command. The name of a group stands for its only command. */
const findCommand = (
  commands: ReadonlyArray<DescribedCommand>,
  positionals: ReadonlyArray<string>,
  isHelp: boolean,
  isHelpCommand: boolean
): Either.Either<FoundCommand, ArgumentError> => {
  const resolved = resolvePath(commands, positionals)
  const { command, path, rest } = resolved
  const [word] = rest
  if (command !== null || path.length + rest.length === 0) return Either.right({ path, command, args: rest })
  if (word === undefined) {
    const [only, ...others] = commandsUnder(commands, path)
    const isUnambiguous = only !== undefined && others.length === 0 && (isHelp || only.arguments.length === 0)
    return Either.right({ path, command: isUnambiguous ? only : null, args: [] })
  }
  const topic = path.length > 0
    ? undefined
    : closestMatch(word, isHelpCommand ? helpTopics : ["help", "--version"])
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
          ? `; topics: ${helpTopics.join(", ")}`
          : "; run \"quarry --help\""
      }`
  )
}

const unknownOptionError = (
  flag: string,
  command: DescribedCommand | null,
  known: ReadonlyArray<OptionDescription>
): Either.Either<never, ArgumentError> =>
  usageError(
    `unknown option ${flag}${command === null ? "" : ` for "quarry ${command.path.join(" ")}"`}`,
    didYouMean(closestMatch(flag, known.map(({ name }) => `--${name}`)))
  )

/** Groups the values of options by name. */
const groupOptions = (
  allowed: ReadonlyArray<OptionDescription>,
  command: DescribedCommand,
  options: ScannedArgs["options"]
): Either.Either<ArgumentValues, ArgumentError> =>
  Either.gen(function*() {
    const values = new Map<string, ReadonlyArray<string>>()
    for (const [{ name }, value] of options) {
      const spec = allowed.find((option) => option.name === name)
      if (spec === undefined) return yield* unknownOptionError(`--${name}`, command, allowed)
      // For example a variable of a script that is not set: never read more than was meant
      if (value === "") {
        return yield* usageError(`--${name}: the value is empty`, `omit --${name}, or set its value`)
      }
      // The last one wins, so that an alias of the shell can be overridden
      values.set(name, spec.repeatable === true ? [...values.get(name) ?? [], value] : [value])
    }
    return values
  })

/**
 * Assigns words to arguments. Required arguments take one word each; the words that remain go to optional and repeatable
 * arguments, in their order.
 */
const assignArguments = (
  command: DescribedCommand,
  args: ReadonlyArray<string>,
  options: ArgumentValues
): Either.Either<ArgumentValues, ArgumentError> => {
  const usage = `usage: quarry ${commandUsage(command)}`
  // `-` reads the arguments from stdin
  const isReplaced = ({ replacedBy }: ArgumentSpec) =>
    replacedBy !== undefined && (options.has(replacedBy) || args.includes(stdinArgument))
  // The list of the fields needs no records
  const listsFields = options.get("fields")?.includes("help") === true
  const isRequired = (spec: ArgumentSpec) => spec.optional !== true && !isReplaced(spec) && !listsFields
  const required = command.arguments.filter(isRequired)
  const missing = required[args.length]
  if (missing !== undefined) {
    return usageError(`missing argument <${missing.name}>: ${describe(missing)}`, usage)
  }
  const values = new Map<string, ReadonlyArray<string>>()
  let spare = args.length - required.length
  let index = 0
  for (const spec of command.arguments) {
    const own = isRequired(spec) ? 1 : 0
    const extra = spec.repeatable === true ? spare : Math.min(spare, 1 - own)
    if (own + extra > 0) values.set(spec.name, args.slice(index, index + own + extra))
    index += own + extra
    spare -= extra
  }
  const unexpected = args[index]
  return unexpected === undefined
    ? Either.right(values)
    : usageError(
      // Does not repeat it without need: `quarry auth login <key>`
      command.arguments.length === 0
        ? `quarry ${command.path.join(" ")} takes no arguments`
        : `unexpected argument ${JSON.stringify(unexpected)}`,
      usage
    )
}
