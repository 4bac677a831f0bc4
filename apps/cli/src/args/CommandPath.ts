/** Finds commands by the words of their path. */
import type { ArgumentSpec, CommandDescription, DescribedCommand } from "./CommandDescription.ts"
import { closestMatch } from "./Suggest.ts"

/** The part of the command line that names a command. */
export interface ResolvedPath {
  /** The words that name a command or a group of commands. */
  readonly path: ReadonlyArray<string>
  /** The named command; null for a group. */
  readonly command: DescribedCommand | null
  /** The words after the path. */
  readonly rest: ReadonlyArray<string>
}

const startsWith = (path: ReadonlyArray<string>, prefix: ReadonlyArray<string>): boolean =>
  prefix.every((word, index) => path[index] === word)

/** Returns the commands of a group, and the command with exactly this path. */
export const commandsUnder = (
  commands: ReadonlyArray<DescribedCommand>,
  prefix: ReadonlyArray<string>
): ReadonlyArray<DescribedCommand> => commands.filter(({ path }) => startsWith(path, prefix))

/** Returns the words that may follow a path, in the order of the commands. */
export const nextWords = (
  commands: ReadonlyArray<DescribedCommand>,
  prefix: ReadonlyArray<string>
): ReadonlyArray<string> => [
  ...new Set(
    commandsUnder(commands, prefix).flatMap(({ path }) => path.slice(prefix.length, prefix.length + 1))
  )
]

/** Resolves the longest path at the start of `words`. */
export const resolvePath = (
  commands: ReadonlyArray<DescribedCommand>,
  words: ReadonlyArray<string>
): ResolvedPath => {
  let length = 0
  while (length < words.length && commandsUnder(commands, words.slice(0, length + 1)).length > 0) length++
  const path = words.slice(0, length)
  return {
    path,
    command: commands.find((command) => command.path.length === length && startsWith(command.path, path)) ??
      null,
    rest: words.slice(length)
  }
}

/** Words of other programs for words of commands. */
const synonyms: Readonly<Record<string, string>> = {
  add: "set",
  create: "set",
  delete: "unset",
  ls: "list",
  remove: "unset",
  rm: "unset",
  show: "list",
  start: "serve",
  whoami: "status"
}

/** Returns the command or group that the user may have meant by an unknown word after a path. */
export const suggestPath = (
  commands: ReadonlyArray<DescribedCommand>,
  { path, rest: [word = "", ...more] }: ResolvedPath
): ReadonlyArray<string> | undefined => {
  const words = nextWords(commands, path)
  const similar = words.find((known) => known === synonyms[word]) ?? closestMatch(word, words)
  if (similar === undefined) {
    const isMeant = (prefix: ReadonlyArray<string>) => (command: DescribedCommand) =>
      startsWith(command.path, prefix) && command.path.at(-1) === word
    return (commands.find(isMeant(path)) ?? commands.find(isMeant([])))?.path
  }
  return resolvePath(commands, [...path, similar, ...more]).path
}

/** Returns the notation of an argument in usage lines. */
export const argumentLabel = ({ name, optional, repeatable }: ArgumentSpec): string => {
  const label = `${name}${repeatable === true ? "…" : ""}`
  return optional === true ? `[${label}]` : `<${label}>`
}

/** Returns a command with its arguments, for example `wallet transfers <address>`. */
export const commandUsage = (command: CommandDescription): string =>
  [...command.path, ...command.arguments.map(argumentLabel)].join(" ")
