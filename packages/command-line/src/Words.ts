/**
 * Separates the options of a command line from its other words. `@effect/cli` takes options at one place only, and takes an
 * unknown one for an argument, so programs read the words first and pass them on in order. This needs the names and the arity
 * of options alone, which their descriptors say (`Descriptors.ts`): it loads neither the parser nor Effect, and does not know
 * which command has which options.
 */

/** The words that an option may consist of. */
export interface OptionWords {
  /** Without the dashes. */
  readonly name: string
  /** A letter for the short form, `-o`. */
  readonly alias?: string | undefined
  /** Name of the value in help; null for a switch, which takes no value. */
  readonly value: string | null
  /** Whether a switch can be turned off: by `--no-NAME`, or by the value `false`. */
  readonly isNegatable?: boolean | undefined
  /** Known values. Those of a switch may follow it. */
  readonly choices?: ReadonlyArray<string> | undefined
}

export type WordProblem<Option> =
  /** `word` is the word that contains the `flag`, such as `-vx` for `-x`. */
  | { readonly _tag: "UnknownOption"; readonly flag: string; readonly word: string }
  /** `next` is the word in the place of the value, if any. */
  | { readonly _tag: "MissingValue"; readonly option: Option; readonly next: string | undefined }
  /** The value of a switch. */
  | { readonly _tag: "InvalidValue"; readonly option: Option; readonly value: string }

export interface Words<Option> {
  /** The words that are neither options nor their values. */
  readonly positionals: ReadonlyArray<string>
  /** The values of options by their names, in the order of the words. The value of a switch is `true` or `false`. */
  readonly options: ReadonlyMap<string, ReadonlyArray<string>>
  /** In the order of the words. */
  readonly problems: ReadonlyArray<WordProblem<Option>>
  /** Whether `--` ends the options. */
  readonly isTerminated: boolean
}

const acceptsValue = ({ choices = [], isNegatable }: OptionWords, value: string): boolean =>
  isNegatable === true && ["true", "false", ...choices].includes(value)

/** Reads words. Continues after a problem, to know all options. If several options have the same name, the first one counts. */
export const readWords = <Option extends OptionWords>(
  known: ReadonlyArray<Option>,
  argv: ReadonlyArray<string>
): Words<Option> => {
  const byName = new Map(known.toReversed().map((option) => [option.name, option]))
  const byAlias = new Map(known.toReversed().map((option) => [option.alias, option]))
  const negated = (name: string) => {
    const option = name.startsWith("no-") ? byName.get(name.slice(3)) : undefined
    return option?.isNegatable === true ? option : undefined
  }
  const isOption = (word: string): boolean => {
    const [, name] = /^--([^=]+)/.exec(word) ?? []
    if (name !== undefined) return byName.has(name) || byName.has(name.replace(/^no-/, ""))
    const option = word.startsWith("-") ? byAlias.get(word.slice(1, 2)) : undefined
    return option !== undefined && (option.value !== null || word.length === 2)
  }
  const positionals: Array<string> = []
  const options = new Map<string, ReadonlyArray<string>>()
  const problems: Array<WordProblem<Option>> = []
  const set = ({ name }: Option, value: string) => void options.set(name, [...options.get(name) ?? [], value])
  let index = 0
  const read = (option: Option, inline: string | undefined) => {
    const next = argv[index]
    if (inline !== undefined) {
      return option.value !== null || acceptsValue(option, inline)
        ? set(option, inline)
        : void problems.push({ _tag: "InvalidValue", option, value: inline })
    }
    const takesNext = next !== undefined &&
      (option.value === null
        ? acceptsValue(option, next)
        : next !== "--" && !isOption(next))
    if (takesNext) index++
    if (takesNext || option.value === null) return set(option, takesNext ? next : "true")
    problems.push({ _tag: "MissingValue", option, next })
  }
  const readLetters = (word: string) => {
    for (let at = 1; at < word.length; at++) {
      const option = byAlias.get(word[at])
      const others = word.slice(at + 1)
      if (option === undefined) problems.push({ _tag: "UnknownOption", flag: `-${word[at]}`, word })
      else if (others === "") read(option, undefined)
      else if (option.value !== null) return read(option, others.replace(/^=/, ""))
      else set(option, "true")
    }
  }
  while (index < argv.length) {
    const word = argv[index++] ?? ""
    if (word === "--") {
      positionals.push(...argv.slice(index))
      return { positionals, options, problems, isTerminated: true }
    }
    const [, name = word.slice(2), inline] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? []
    const option = byName.get(name)
    const off = inline === undefined && option === undefined ? negated(name) : undefined
    if (!word.startsWith("-") || word === "-") positionals.push(word)
    else if (!word.startsWith("--")) readLetters(word)
    else if (option !== undefined) read(option, inline)
    else if (off !== undefined) set(off, "false")
    else problems.push({ _tag: "UnknownOption", flag: `--${name}`, word })
  }
  return { positionals, options, problems, isTerminated: false }
}
