/**
 * The command line as it was written, sorted: which command, which options, which arguments.
 *
 * Options may stand anywhere, before the command's words, between its arguments and after them. What is mistyped is
 * named here, with what was probably meant, because from here on everything is known to exist.
 */
import * as Either from "effect/Either"
import { UsageError } from "../CommandError.ts"
import type { CommandSpec, OptionSpec } from "./CommandSpec.ts"
import { completionsOption, globalOptions, helpOption, versionOption } from "./GlobalOptions.ts"
import { closestMatch } from "./Suggest.ts"

/** What the command line asks for. */
export type Invocation =
  | { readonly _tag: "Version" }
  /** Help on everything, on a group, or on a command. */
  | { readonly _tag: "Help"; readonly group: string | null; readonly command: CommandSpec | null }
  | { readonly _tag: "Completions"; readonly shell: string }
  /** `line` is what was written in one order: words, options, `--`, arguments. */
  | { readonly _tag: "Run"; readonly command: CommandSpec; readonly line: ReadonlyArray<string> }

/** Spellings that somebody tries who looks for an option with the key. The value is never repeated. */
const apiKeyFlag = /^--?(?:x-)?(?:api[-_]?)?(?:key|token|secret|password|auth|authorization)(?:$|=)/i

interface ScannedArgs {
  readonly positionals: ReadonlyArray<string>
  readonly options: ReadonlyArray<readonly [spec: OptionSpec, value: string]>
  readonly unknownOptions: ReadonlyArray<string>
}

const metaOptions = [helpOption, versionOption, completionsOption]

/** What was written, as a request; a left says what is wrong and what would be right. */
export const parseArgs = (
  commands: ReadonlyArray<CommandSpec>,
  argv: ReadonlyArray<string>
): Either.Either<Invocation, UsageError> =>
  Either.gen(function*() {
    const allOptions = [...globalOptions, ...metaOptions, ...commands.flatMap(({ options }) => options)]
    const { options, unknownOptions: unknown, positionals: words } = yield* scanArgs(allOptions, argv)
    const has = (spec: OptionSpec) =>
      options.find(([{ name }, value]) => name === spec.name && value !== "false")
    if (has(versionOption)) return { _tag: "Version" }
    const matchedShell = has(completionsOption)
    if (matchedShell !== undefined) return yield* parseShell(matchedShell[1])
    const isHelp = has(helpOption) !== undefined || words[0] === "help" || words.length === 0
    const { command: entry, group, rest } = yield* findCommand(
      commands,
      words[0] === "help" ? words.slice(1) : words,
      isHelp
    )
    const [mistyped] = unknown
    if (mistyped !== undefined) return yield* Either.left(unknownOptionError(mistyped, entry, allOptions))
    if (isHelp || entry === null) return { _tag: "Help", group, command: entry }
    yield* checkOptions(entry, options)
    yield* checkPositionals(entry, rest)
    return { _tag: "Run", command: entry, line: normalizeArgs(entry, options, rest) }
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
      if (apiKeyFlag.test(token)) return yield* Either.left(apiKeyOptionError)
      const matched = matchOption(allOptions, token)
      if (matched === undefined) {
        unknownOptions.push(token)
        continue
      }
      const { spec, value } = matched
      const next = argv[index + 1]
      if (value !== undefined) {
        options.push([spec, spec.value === null ? yield* parseSwitch(spec, value) : value])
      } else if (spec.value === null) {
        const isExplicit = next === "true" || next === "false"
        if (isExplicit) {
          index++
        }
        options.push([spec, isExplicit ? next : "true"])
      } else if (next === undefined || matchOption(allOptions, next) !== undefined) {
        return yield* Either.left(missingValueError(spec))
      } else {
        index++
        options.push([spec, next])
      }
    }
    return { positionals, options, unknownOptions }
  })

/** The option that a token names, with the value that is written into the same token. */
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

const parseSwitch = (spec: OptionSpec, value: string): Either.Either<string, UsageError> =>
  value === "true" || value === "false"
    ? Either.right(value)
    : Either.left(
      new UsageError({
        reason: `--${spec.name} is on or off`,
        hint: `write --${spec.name} or --no-${spec.name}`
      })
    )

const apiKeyOptionError = new UsageError({
  reason: "no option takes the API key: other users and the shell's history see command lines",
  hint: "set the environment variable QUARRY_API_KEY instead"
})

const missingValueError = (spec: OptionSpec): UsageError =>
  new UsageError({ reason: `--${spec.name} needs a value`, hint: `write --${spec.name} <${spec.value}>` })

const parseShell = (name: string): Either.Either<Invocation, UsageError> =>
  completionsOption.choices?.includes(name) === true
    ? Either.right({ _tag: "Completions", shell: name })
    : Either.left(new UsageError({ reason: "--completions: expected bash, fish or zsh", hint: null }))

interface CommandMatch {
  readonly command: CommandSpec | null
  readonly group: string | null
  readonly rest: ReadonlyArray<string>
}

/** The command that the words name. A group alone is a question about it, unless one command stands for the group. */
const findCommand = (
  commands: ReadonlyArray<CommandSpec>,
  words: ReadonlyArray<string>,
  wantsHelp: boolean
): Either.Either<CommandMatch, UsageError> => {
  const [group, name, ...rest] = words
  if (group === undefined) return Either.right({ command: null, group: null, rest: [] })
  const members = commands.filter((command) => command.path[0] === group)
  const [single] = members
  if (single === undefined) return Either.left(unknownCommandError(commands, words))
  if (name === undefined) {
    const isUnambiguous = members.length === 1 && (wantsHelp || single.arguments.length === 0)
    return Either.right({ command: isUnambiguous ? single : null, group, rest: [] })
  }
  const command = members.find((member) => member.path[1] === name)
  if (command !== undefined) return Either.right({ command, group, rest })
  const names = members.map((member) => member.path[1])
  const suggestion = closestMatch(name, names)
  return Either.left(
    new UsageError({
      reason: `quarry ${group} has no command ${JSON.stringify(name)}`,
      hint: suggestion === undefined
        ? `it has ${names.join(", ")}`
        : `did you mean quarry ${group} ${suggestion}?`
    })
  )
}

const unknownCommandError = (
  commands: ReadonlyArray<CommandSpec>,
  [group = "", name]: ReadonlyArray<string>
): UsageError => {
  const groups = [...new Set(commands.map((command) => command.path[0]))]
  const suggestion = closestMatch(group, groups)
  const sameName = commands.find((command) => command.path[1] === group)
  const suggestedCommand = suggestion !== undefined
    ? `quarry ${suggestion}${
      commands.some(({ path: words }) => words[0] === suggestion && words[1] === name) ? ` ${name}` : ""
    }`
    : sameName === undefined
    ? undefined
    : `quarry ${sameName.path.join(" ")}`
  return new UsageError({
    reason: `there is no command ${JSON.stringify(group)}`,
    hint: suggestedCommand === undefined
      ? `the commands are ${groups.join(", ")}; see quarry --help`
      : `did you mean ${suggestedCommand}?`
  })
}

const unknownOptionError = (
  token: string,
  command: CommandSpec | null,
  allOptions: ReadonlyArray<OptionSpec>
): UsageError => {
  const flag = token.replace(/=.*$/s, "")
  const known = command === null ? allOptions : [...command.options, ...globalOptions, ...metaOptions]
  const suggestion = closestMatch(flag, known.map(({ name }) => `--${name}`))
  return new UsageError({
    reason: `there is no option ${flag}`,
    hint: suggestion === undefined ? null : `did you mean ${suggestion}?`
  })
}

/** Whether the command has the options, and each of them as often as it takes it. */
const checkOptions = (
  command: CommandSpec,
  options: ScannedArgs["options"]
): Either.Either<void, UsageError> => {
  const allowed = [...command.options, ...globalOptions]
  const seen = new Set<string>()
  for (const [{ name }] of options) {
    const spec = allowed.find((one) => one.name === name)
    if (spec === undefined) {
      return Either.left(
        new UsageError({ reason: `quarry ${command.path.join(" ")} has no option --${name}`, hint: null })
      )
    }
    if (seen.has(name) && spec.repeatable !== true) {
      return Either.left(
        new UsageError({ reason: `--${name} was given more than once`, hint: "give it once" })
      )
    }
    seen.add(name)
  }
  return Either.void
}

const checkPositionals = (
  command: CommandSpec,
  rest: ReadonlyArray<string>
): Either.Either<void, UsageError> => {
  const usage = `write quarry ${
    [...command.path, ...command.arguments.map(({ name }) => `<${name}>`)].join(" ")
  }`
  const missing = command.arguments[rest.length]
  if (missing !== undefined) {
    return Either.left(
      new UsageError({ reason: `<${missing.name}> is missing: ${missing.description}`, hint: usage })
    )
  }
  const extra = rest[command.arguments.length]
  return extra === undefined
    ? Either.void
    : Either.left(new UsageError({ reason: `one argument too many: ${JSON.stringify(extra)}`, hint: usage }))
}

const normalizeArgs = (
  command: CommandSpec,
  options: ScannedArgs["options"],
  rest: ReadonlyArray<string>
): ReadonlyArray<string> => [
  ...command.path,
  ...options.flatMap(([{ name }, value]) => [`--${name}`, value]),
  ...(rest.length === 0 ? [] : ["--", ...rest])
]
