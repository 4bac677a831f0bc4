/** Formats the command line of a command again, with other options, so that it can be pasted. */
import type { ArgumentValues } from "../args/ArgumentValues.ts"
import type { CommandOption } from "../args/CommandOption.ts"
import { globalOptions } from "../args/GlobalOptions.ts"
import { shellCommand } from "../text/ShellQuote.ts"
import type { CommandInvocation } from "./CommandSpec.ts"

/** Options to set or, with null, to remove. */
type OptionChanges = Readonly<Record<string, string | null>>

const optionWords = (
  name: string,
  values: ReadonlyArray<string>,
  options: ReadonlyArray<CommandOption>
): ReadonlyArray<string> =>
  options.find((option) => option.name === name)?.value === null
    ? values.slice(-1).map((value) => value === "true" ? `--${name}` : `--no-${name}`)
    // `=` keeps a value that starts with a dash
    : values.map((value) => `--${name}=${value}`)

export const formatCommandLine = (
  { command, commandLineValues }: CommandInvocation,
  changes: OptionChanges
): string => {
  const changed: ArgumentValues = new Map([
    ...commandLineValues,
    ...Object.entries(changes).map(([name, value]) => [name, value === null ? [] : [value]] as const)
  ])
  const argumentNames = new Set(command.arguments.map(({ name }) => name))
  const positionals = command.arguments.flatMap(({ name }) => changed.get(name) ?? [])
  const options = [...changed].filter(([name]) => !argumentNames.has(name)).flatMap(([name, values]) =>
    optionWords(name, values, [...command.options, ...globalOptions])
  )
  return shellCommand(["quarry", ...command.path, ...positionals, ...options])
}
