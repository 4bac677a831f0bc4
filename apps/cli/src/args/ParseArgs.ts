/**
 * Parses the command line into the order that @effect/cli expects: command, options, `--`, arguments.
 *
 * Options may appear anywhere. All usage errors are reported here, so @effect/cli receives only valid command lines: its
 * own errors are text without the name of the option, and it takes an unknown option for an argument.
 */
import * as Either from "effect/Either"
import { UsageError } from "../CommandError.ts"
import type { CommandSpec, OptionSpec } from "./CommandSpec.ts"
import {
  completionsOption,
  globalOptions,
  helpOption,
  informationOptions,
  versionOption
} from "./GlobalOptions.ts"
import { closestMatch } from "./Suggest.ts"

export type Invocation =
  | { readonly _tag: "Version" }
  /** Help for a command, a group, or all commands. */
  | { readonly _tag: "Help"; readonly group: string | null; readonly command: CommandSpec | null }
  | { readonly _tag: "Completions"; readonly shell: string }
  | { readonly _tag: "Run"; readonly line: ReadonlyArray<string> }

interface ScannedArgs {
  readonly positionals: ReadonlyArray<string>
  readonly options: ReadonlyArray<readonly [spec: OptionSpec, value: string]>
  readonly unknownOptions: ReadonlyArray<string>
}

/** Names that a user may guess for an option with the API key. The error does not repeat the value. */
const apiKeyFlag = /^--?(?:x-)?(?:api[-_]?)?(?:key|token|secret|password|auth|authorization)(?:$|=)/i

const usageError = (reason: string, hint: string | null = null): Either.Either<never, UsageError> =>
  Either.left(new UsageError({ reason, hint }))

const didYouMean = (suggestion: string | undefined): string | null =>
  suggestion === undefined ? null : `did you mean ${suggestion}?`

export const parseArgs = (
  commands: ReadonlyArray<CommandSpec>,
  argv: ReadonlyArray<string>
): Either.Either<Invocation, UsageError> =>
  Either.gen(function*() {
    const allOptions = [
      ...globalOptions,
      ...informationOptions,
      ...commands.flatMap(({ options }) => options)
    ]
    const { options, positionals, unknownOptions: [unknownOption] } = yield* scanArgs(allOptions, argv)
    const find = ({ name }: OptionSpec) =>
      options.find(([spec, value]) => spec.name === name && value !== "false")
    if (find(versionOption) !== undefined) return { _tag: "Version" }
    const [, shell] = find(completionsOption) ?? []
    if (shell !== undefined) {
      yield* checkValue(completionsOption, shell)
      return { _tag: "Completions", shell }
    }
    const isHelpCommand = positionals[0] === "help"
    const isHelp = isHelpCommand || positionals.length === 0 || find(helpOption) !== undefined
    const [group = null, ...names] = isHelpCommand ? positionals.slice(1) : positionals
    const command = group === null ? null : yield* findCommand(commands, group, names[0], isHelp)
    if (unknownOption !== undefined) {
      const known = command === null
        ? allOptions
        : [...command.options, ...globalOptions, ...informationOptions]
      return yield* unknownOptionError(unknownOption, command, known)
    }
    if (isHelp || command === null) return { _tag: "Help", group, command }
    yield* checkOptions(command, options)
    const args = names.slice(1)
    yield* checkArguments(command, args)
    return {
      _tag: "Run",
      line: [
        ...command.path,
        ...options.flatMap(([{ name }, value]) => [`--${name}`, value]),
        ...(args.length === 0 ? [] : ["--", ...args])
      ]
    }
  })

const scanArgs = (
  allOptions: ReadonlyArray<OptionSpec>,
  argv: ReadonlyArray<string>
): Either.Either<ScannedArgs, UsageError> =>
  Either.gen(function*() {
    const positionals: Array<string> = []
    const options: Array<readonly [OptionSpec, string]> = []
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
      if (apiKeyFlag.test(token)) {
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
  allOptions: ReadonlyArray<OptionSpec>,
  token: string
): { readonly spec: OptionSpec; readonly value: string | undefined } | undefined => {
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

/** Returns the named command, or null for a group with several commands of which none is named. */
const findCommand = (
  commands: ReadonlyArray<CommandSpec>,
  group: string,
  name: string | undefined,
  isHelp: boolean
): Either.Either<CommandSpec | null, UsageError> => {
  const members = commands.filter(({ path }) => path[0] === group)
  const [single] = members
  if (single === undefined) return unknownGroupError(commands, group, name)
  if (name === undefined) {
    const isUnambiguous = members.length === 1 && (isHelp || single.arguments.length === 0)
    return Either.right(isUnambiguous ? single : null)
  }
  const command = members.find(({ path }) => path[1] === name)
  if (command !== undefined) return Either.right(command)
  const names = members.map(({ path }) => path[1])
  const suggestion = closestMatch(name, names)
  return usageError(
    `unknown command ${JSON.stringify(name)} for "quarry ${group}"`,
    suggestion === undefined
      ? `available commands: ${names.join(", ")}`
      : didYouMean(`quarry ${group} ${suggestion}`)
  )
}

const unknownGroupError = (
  commands: ReadonlyArray<CommandSpec>,
  group: string,
  name: string | undefined
): Either.Either<never, UsageError> => {
  const groups = [...new Set(commands.map(({ path }) => path[0]))]
  const suggestedGroup = closestMatch(group, groups)
  const suggestedCommand = suggestedGroup === undefined
    ? commands.find(({ path }) => path[1] === group)
    : commands.find(({ path }) => path[0] === suggestedGroup && path[1] === name)
  const suggestion = suggestedCommand?.path.join(" ") ?? suggestedGroup
  return usageError(
    `unknown command ${JSON.stringify(group)}`,
    suggestion === undefined
      ? `available commands: ${groups.join(", ")}; run "quarry --help"`
      : didYouMean(`quarry ${suggestion}`)
  )
}

const unknownOptionError = (
  flag: string,
  command: CommandSpec | null,
  known: ReadonlyArray<OptionSpec>
): Either.Either<never, UsageError> =>
  usageError(
    `unknown option ${flag}${command === null ? "" : ` for "quarry ${command.path.join(" ")}"`}`,
    didYouMean(closestMatch(flag, known.map(({ name }) => `--${name}`)))
  )

const checkOptions = (
  command: CommandSpec,
  options: ScannedArgs["options"]
): Either.Either<void, UsageError> =>
  Either.gen(function*() {
    const allowed = [...command.options, ...globalOptions]
    const seen = new Set<string>()
    for (const [{ name }, value] of options) {
      const spec = allowed.find((option) => option.name === name)
      if (spec === undefined) return yield* unknownOptionError(`--${name}`, command, allowed)
      if (seen.has(name) && spec.repeatable !== true) {
        return yield* usageError(`--${name} is set more than once`, "set it once")
      }
      seen.add(name)
      yield* checkValue(spec, value)
    }
  })

const checkValue = ({ check, name }: OptionSpec, value: string): Either.Either<void, UsageError> =>
  check === undefined || check.accepts(value)
    ? Either.void
    : usageError(`--${name}: expected ${check.expected}, got ${JSON.stringify(value)}`)

const checkArguments = (
  { arguments: specs, path }: CommandSpec,
  args: ReadonlyArray<string>
): Either.Either<void, UsageError> => {
  const usage = `usage: quarry ${[...path, ...specs.map(({ name }) => `<${name}>`)].join(" ")}`
  const missing = specs[args.length]
  if (missing !== undefined) {
    return usageError(`missing argument <${missing.name}>: ${missing.description}`, usage)
  }
  const extra = args[specs.length]
  return extra === undefined ? Either.void : usageError(`unexpected argument ${JSON.stringify(extra)}`, usage)
}
