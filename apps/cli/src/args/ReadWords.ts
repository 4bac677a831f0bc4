/** Reads the words of a command line. */
import { parseArgs } from "node:util"
import { looksLikeApiKey } from "./ApiKeyName.ts"
import type { ArgumentValues } from "./ArgumentValues.ts"
import { type OptionDescription, optionLabel } from "./CommandDescription.ts"

export interface ArgumentError {
  readonly reason: string
  readonly hint: string | null
}

export interface Words {
  readonly positionals: ReadonlyArray<string>
  readonly options: ArgumentValues
  /** The first option that no command has. */
  readonly unknownOption: string | null
  readonly error: ArgumentError | null
  /** The option whose value would be the next word, if any. */
  readonly pendingOption: OptionDescription | null
  /** Whether `--` ends the options. */
  readonly isTerminated: boolean
}

/** What may follow a switch as a word of its own. */
const switchValues = (name: string): ReadonlyArray<string> =>
  name === "help" ? ["true", "false", "all"] : ["true", "false"]

/**
 * Separates options from the other words. Node.js splits the words; which options take a value is known from the
 * usage of their descriptions. Continues after an error, to know all options.
 */
export const readWords = (known: ReadonlyArray<OptionDescription>, argv: ReadonlyArray<string>): Words => {
  const byName = new Map(known.toReversed().map((option) => [option.name, option]))
  const optionNamed = (name: string) => byName.get(name) ?? byName.get(name.replace(/^no-/, ""))
  const isOption = (word: string) =>
    optionNamed(/^--([^=]+)/.exec(word)?.[1] ?? "") !== undefined ||
    known.some(({ alias, value }) =>
      alias !== undefined && (word === `-${alias}` || (value !== null && word.startsWith(`-${alias}`)))
    )
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      [...byName.values()].map(({ alias, name, value }) => [name, {
        type: value === null ? "boolean" as const : "string" as const,
        ...alias === undefined ? {} : { short: alias }
      }])
    ),
    strict: false,
    tokens: true
  })
  const positionals: Array<string> = []
  const options = new Map<string, ReadonlyArray<string>>()
  let unknownOption: string | null = null
  let error: ArgumentError | null = null
  let valueOfSwitch = -1
  for (const [position, token] of tokens.entries()) {
    if (token.kind === "option-terminator") continue
    if (token.kind === "positional") {
      if (position !== valueOfSwitch) positionals.push(token.value)
      continue
    }
    const word = argv[token.index] ?? ""
    const option = optionNamed(token.name)
    if (looksLikeApiKey(word.replace(/^--?/, "").replace(/=.*$/s, ""))) {
      // Does not repeat the value
      error ??= {
        reason:
          "the API key cannot be passed as an option: command lines are visible to other users and in the shell history",
        hint: "set the environment variable QUARRY_API_KEY instead"
      }
      continue
    }
    const isNegated = option !== undefined && option.name !== token.name
    if (option === undefined || (isNegated && (option.value !== null || token.value !== undefined))) {
      unknownOption ??= word.replace(/=.*$/s, "")
      continue
    }
    let value = token.value
    if (option.value === null) {
      const next = tokens[position + 1]
      if (
        !isNegated && value === undefined && next?.kind === "positional" &&
        switchValues(option.name).includes(next.value)
      ) {
        valueOfSwitch = position + 1
        value = next.value
      }
      value = isNegated ? "false" : value ?? "true"
      if (!switchValues(option.name).includes(value)) {
        error ??= {
          reason: `--${option.name}: expected true or false, got ${JSON.stringify(value)}`,
          hint: `use --${option.name} or --no-${option.name}`
        }
      }
    } else if (value === undefined || value === "--" || (token.inlineValue === false && isOption(value))) {
      error ??= {
        reason: `--${option.name} requires a value`,
        hint: `use ${optionLabel(option)}`
      }
      const after = readWords(known, argv.slice(token.index + 1))
      return {
        ...after,
        positionals: [...positionals, ...after.positionals],
        options: new Map([...options, ...after.options]),
        unknownOption: unknownOption ?? after.unknownOption,
        error,
        pendingOption: value === undefined ? option : after.pendingOption
      }
    } else if (token.inlineValue === true && !word.startsWith("--")) {
      value = value.replace(/^=/, "")
    }
    options.set(option.name, [...options.get(option.name) ?? [], value])
  }
  const isTerminated = tokens.some(({ kind }) => kind === "option-terminator")
  return { positionals, options, unknownOption, error, pendingOption: null, isTerminated }
}
