import type { CommandDescription } from "./CommandDescription.ts"
import { closestMatch } from "./Suggest.ts"

export interface ResolvedPath {
  /** The words that name a command or a group of commands. */
  readonly path: ReadonlyArray<string>
  /** The named command; null for a group. */
  readonly command: CommandDescription | null
  readonly rest: ReadonlyArray<string>
}

const startsWith = (path: ReadonlyArray<string>, prefix: ReadonlyArray<string>): boolean =>
  prefix.every((word, index) => path[index] === word)

/** Returns the commands of a group, and the command with exactly this path. */
export const commandsUnder = (
  commands: ReadonlyArray<CommandDescription>,
  prefix: ReadonlyArray<string>
): ReadonlyArray<CommandDescription> => commands.filter(({ path }) => startsWith(path, prefix))

/** Returns the words that may follow a path, in the order of the commands. */
export const nextWords = (
  commands: ReadonlyArray<CommandDescription>,
  prefix: ReadonlyArray<string>
): ReadonlyArray<string> => [
  ...new Set(
    commandsUnder(commands, prefix).flatMap(({ path }) => path.slice(prefix.length, prefix.length + 1))
  )
]

export const resolvePath = (
  commands: ReadonlyArray<CommandDescription>,
  words: ReadonlyArray<string>
): ResolvedPath => {
  let length = 0
  while (length < words.length && commandsUnder(commands, words.slice(0, length + 1)).length > 0) length++
  const path = words.slice(0, length)
  const command = commandsUnder(commands, path).find((command) => command.path.length === length) ?? null
  return { path, command, rest: words.slice(length) }
}

/** Returns the command or group that the user may have meant by an unknown word after a path. */
export const suggestPath = (
  commands: ReadonlyArray<CommandDescription>,
  { path, rest: [word = "", ...more] }: ResolvedPath
): ReadonlyArray<string> | undefined => {
  const similar = closestMatch(word, nextWords(commands, path))
  if (similar === undefined) {
    const isMeant = (prefix: ReadonlyArray<string>) => (command: CommandDescription) =>
      startsWith(command.path, prefix) && command.path.at(-1) === word
    return (commands.find(isMeant(path)) ?? commands.find(isMeant([])))?.path
  }
  return resolvePath(commands, [...path, similar, ...more]).path
}
