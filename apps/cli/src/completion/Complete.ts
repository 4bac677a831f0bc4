/** Completes a command line: the answer to `quarry __complete`, which the completion scripts of the shells run. */
import { readWords } from "@blockquarry/command-line/Words"
import type { ArgumentValues } from "../args/ArgumentValues.ts"
import {
  type ArgumentDescription,
  type CommandDescription,
  type CommandLineDescription,
  everyOption,
  type OptionDescription,
  optionsOf,
  sharedOptions
} from "../args/CommandDescription.ts"
import { nextWords, resolvePath } from "../args/CommandTree.ts"
import type { loadNames as LoadConfiguredNames } from "../config/Configuration.ts"
import { helpTopics } from "../help/Help.ts"

type LoadNames = typeof LoadConfiguredNames

/** Lines that tell the shell to complete files or directories itself, or not to append a space. */
const directives = { file: ":files", directory: ":directories", noSpace: ":nospace" } as const

/** Only lines of words have a tab. */
const candidate = (word: string, description = ""): string => `${word}\t${description}`

const candidates = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.map((word) => candidate(word))

const valueLines = async (
  spec: ArgumentDescription | OptionDescription,
  command: CommandDescription | null,
  current: string,
  loadNames: LoadNames
): Promise<ReadonlyArray<string>> => {
  const { choices = [], completes } = spec
  if (completes === "file" || completes === "directory") return [directives[completes]]
  if (completes === "profile") return candidates((await loadNames()).profiles)
  const words = completes === "field" ? command?.fields ?? [] : choices
  if (completes === "field" || (spec.repeatable && "value" in spec)) {
    // The last item of a list, without the items before it
    const earlier = current.split(",").slice(0, -1)
    const items = completes === "alias" ? [...(await loadNames()).addressBook.addresses.keys()] : words
    const others = items.filter((item) => !earlier.includes(item))
    return [...candidates(others.map((item) => [...earlier, item].join(","))), directives.noSpace]
  }
  return completes === "alias"
    ? [...(await loadNames()).addressBook.addresses].map(([name, address]) => candidate(name, address))
    : candidates(words)
}

const commandCandidates = (
  { commands }: CommandLineDescription,
  path: ReadonlyArray<string>
): ReadonlyArray<string> =>
  nextWords(commands, path).map((word) => {
    const { command } = resolvePath(commands, [...path, word])
    return candidate(word, command?.summary ?? nextWords(commands, [...path, word]).join(", "))
  })

const optionCandidates = (
  options: ReadonlyArray<OptionDescription>,
  used: ArgumentValues,
  current: string
): ReadonlyArray<string> =>
  options.filter(({ name, repeatable }) => repeatable || !used.has(name)).flatMap((option) => [
    candidate(`--${option.name}`, option.description),
    ...(option.value === null && current.startsWith("--no") ? [candidate(`--no-${option.name}`)] : [])
  ])

const candidateLines = async (
  all: CommandLineDescription,
  current: string,
  previous: ReadonlyArray<string>,
  loadNames: LoadNames
): Promise<ReadonlyArray<string>> => {
  const isHelp = previous[0] === "help"
  const words = isHelp ? previous.slice(1) : previous
  const { isTerminated, options: used, positionals, problems } = readWords(everyOption(all), words)
  const { command, path, rest } = resolvePath(all.commands, positionals)
  const options = command === null ? sharedOptions(all) : optionsOf(all, command)
  const last = problems.at(-1)
  if (last?._tag === "MissingValue" && last.next === undefined) {
    const own = options.find(({ name }) => name === last.option.name)
    return valueLines(own ?? last.option, command, current, loadNames)
  }
  const [, name, value] = /^--([^=]+)=(.*)$/s.exec(current) ?? []
  if (!isTerminated && name !== undefined && value !== undefined) {
    const spec = options.find((option) => option.name === name)
    const lines = spec === undefined ? [] : await valueLines(spec, command, value, loadNames)
    return lines.map((line) => line.includes("\t") ? `--${name}=${line}` : line)
  }
  if (!isTerminated && current.startsWith("-")) return optionCandidates(options, used, current)
  if (isHelp) {
    const topics = path.length === 0 ? Object.entries(helpTopics) : []
    const named = topics.map(([topic, title]) => candidate(topic, title))
    return rest.length === 0 ? [...commandCandidates(all, path), ...named] : []
  }
  if (command === null) {
    return rest.length > 0 ? [] : [
      ...commandCandidates(all, path),
      ...(path.length === 0 ? [candidate("help", "Show help for a command or a topic")] : [])
    ]
  }
  const args = command.arguments
  const spec = args[rest.length] ?? args.findLast(({ repeatable }) => repeatable)
  const own = rest.length === 0 ? commandCandidates(all, path) : []
  if (spec?.completes === "command") return commandCandidates(all, rest)
  if (spec?.completes === "setting") {
    const option = everyOption(all).find(({ name }) => name === rest[0])
    return option === undefined
      ? []
      : option.value === null
      ? candidates(["true", "false"])
      : valueLines({ ...option, repeatable: false }, command, current, loadNames)
  }
  return [...own, ...(spec === undefined ? [] : await valueLines(spec, command, current, loadNames))]
}

/** Loaded when a profile or an alias is completed. */
const configuredNames: LoadNames = async () => (await import("../config/Configuration.ts")).loadNames()

/**
 * Completes a command line. The first word is `=` and the current word, so that it is never empty, which PowerShell would
 * drop; the others are the words before it. Returns a line for each candidate: the word, a tab and its description.
 */
export const complete = async (
  all: CommandLineDescription,
  [marked = "=", ...previous]: ReadonlyArray<string>,
  loadNames: LoadNames = configuredNames
): Promise<string> => {
  const current = marked.slice(1)
  const lines = await candidateLines(all, current, previous, loadNames)
  return lines
    .filter((line) => !line.includes("\t") || line.startsWith(current))
    .map((line) => `${line}\n`)
    .join("")
}
