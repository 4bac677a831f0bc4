/** Help: on everything, on a group of commands, on one command. Made from the same values that read the line. */
import type { ArgumentSpec, CommandSpec, OptionSpec } from "./args/CommandSpec.ts"
import {
  baseUrlOptions,
  completionsOption,
  globalOptions,
  helpOption,
  versionOption
} from "./args/GlobalOptions.ts"
import { padEnd, width } from "./render/Width.ts"
import { type StreamInfo, styled } from "./Terminal.ts"

/** Where the surface has no width of its own. */
const defaultWidth = 100

/** What examples are about: all of it exists in the sandbox, so that every example can be tried there. */
export const exampleValues = {
  wallet: "0xba766b2113a53a5900c11859ceca38ca9918c6b4",
  token: "0xf124a828c0fc24a9f753c3ebb18ef93c74a67993",
  collection: "0x88c1cfd05896cc1885ee3e58243025720a456f8b",
  unindexed: "0x29f01282fb1f46e11e01135f0570b4b39094d555",
  stream: "917803ca-37f1-492a-a927-beb8b2dab5d5",
  transaction: "0x15cc3458255c309c1d49bf3f987d905513b1508d7d213a2b8afad84ceb69d042"
} as const

const expandExample = (example: string): string =>
  Object.entries(exampleValues).reduce((text, [name, value]) => text.replaceAll(`{${name}}`, value), example)

const wrap = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last === undefined || width(last) + 1 + width(word) > columns) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

type HelpRow = readonly [term: string, text: string]

/** Terms on the left, what they mean on the right. */
const formatRows = (rows: ReadonlyArray<HelpRow>, surface: StreamInfo): string => {
  const termWidth = Math.min(30, Math.max(0, ...rows.map(([term]) => width(term))))
  const available = Math.max(24, (surface.columns ?? defaultWidth) - termWidth - 4)
  return rows.map(([term, text]) => {
    const [first = "", ...more] = wrap(text, available)
    const indent = " ".repeat(termWidth + 4)
    const head = width(term) > termWidth
      ? `  ${term}\n${indent}${first}`
      : `  ${padEnd(term, termWidth)}  ${first}`
    return [head, ...more.map((line) => indent + line)].map((line) => `${line.trimEnd()}\n`).join("")
  }).join("")
}

const section = (title: string, body: string, surface: StreamInfo): string =>
  body === "" ? "" : `\n${styled(surface, "bold", title)}\n${body}`

const formatChoices = (choices: ReadonlyArray<string> | undefined): string =>
  choices === undefined || choices.length === 0 ? "" : ` (${choices.join(", ")})`

const optionRow = (spec: OptionSpec): HelpRow => [
  `${spec.alias === undefined ? "    " : `-${spec.alias}, `}--${spec.name}${
    spec.value === null ? "" : ` <${spec.value}>`
  }`,
  `${spec.description}${formatChoices(spec.choices)}${
    spec.repeatable === true ? "; repeatable, or with commas" : ""
  }`
]

const argumentRow = (
  spec: ArgumentSpec
): HelpRow => [`<${spec.name}>`, `${spec.description}${formatChoices(spec.choices)}`]

const usageLine = (command: CommandSpec): string =>
  ["quarry", ...command.path, ...command.arguments.map(({ name }) => `<${name}>`), "[options]"].join(" ")

const commandRow = (command: CommandSpec): HelpRow => [
  [...command.path, ...command.arguments.map(({ name }) => `<${name}>`)].join(" "),
  command.summary
]

/** Options of every command, without the addresses that this one does not ask. */
const globalOptionsFor = (command: CommandSpec): ReadonlyArray<OptionSpec> => {
  const unrelatedUrls = new Set<string>(
    baseUrlOptions.filter((address) => address.api !== command.api).map(({ name }) => name)
  )
  return command.operation === null ? [] : globalOptions.filter(({ name }) => !unrelatedUrls.has(name))
}

export const commandHelp = (command: CommandSpec, surface: StreamInfo): string => {
  const column = surface.columns ?? defaultWidth
  const paragraph = (text: string) => wrap(text, column - 2).map((line) => `  ${line}\n`).join("")
  return [
    `${styled(surface, "bold", `quarry ${command.path.join(" ")}`)}: ${command.summary}\n`,
    section("Usage", `  ${usageLine(command)}\n`, surface),
    section("Arguments", formatRows(command.arguments.map(argumentRow), surface), surface),
    section("Options", formatRows(command.options.map(optionRow), surface), surface),
    section(
      "Options of every command",
      formatRows([...globalOptionsFor(command), helpOption].map(optionRow), surface),
      surface
    ),
    section("Good to know", command.note === undefined ? "" : paragraph(command.note), surface),
    section("Known issue", command.knownIssue === undefined ? "" : paragraph(command.knownIssue), surface),
    section(
      command.operation === null ? "Examples" : "Examples (with --sandbox they work without a key)",
      command.examples.map((example) =>
        `  ${`quarry ${command.path.join(" ")} ${expandExample(example)}`.trimEnd()}\n`
      )
        .join(""),
      surface
    )
  ].join("")
}

export const groupHelp = (commands: ReadonlyArray<CommandSpec>, group: string, surface: StreamInfo): string =>
  [
    `${styled(surface, "bold", `quarry ${group}`)}\n`,
    section(
      "Commands",
      formatRows(commands.filter(({ path: words }) => words[0] === group).map(commandRow), surface),
      surface
    ),
    `\nquarry ${group} <command> --help says more.\n`
  ].join("")

export const mainHelp = (commands: ReadonlyArray<CommandSpec>, surface: StreamInfo): string =>
  [
    `${styled(surface, "bold", "quarry")}: indexed blockchain data at a terminal and in scripts\n`,
    section("Usage", "  quarry <command> [arguments] [options]\n", surface),
    section("Commands", formatRows(commands.map(commandRow), surface), surface),
    section(
      "Options, anywhere on the line",
      formatRows([...globalOptions, completionsOption, helpOption, versionOption].map(optionRow), surface),
      surface
    ),
    section(
      "Environment",
      formatRows([
        ["QUARRY_API_KEY", "the API key; no option takes it"],
        ...baseUrlOptions.map(({ description, variable: setting }): HelpRow => [setting, description]),
        ["QUARRY_RATE_LIMIT", "units per time, as in 25/10s, or none; 100/s where it is not set"],
        ["QUARRY_SANDBOX", "1 asks the sandbox"],
        ["NO_COLOR", "turns colours off"]
      ], surface),
      surface
    ),
    section(
      "Exit codes",
      "  0 done   1 unexpected   2 wrong usage or input   3 not found   4 key or plan   5 rate limit\n" +
        "  6 service failed   7 unreachable or timed out   130 interrupted\n",
      surface
    ),
    section(
      "Examples",
      `  quarry wallet chains ${expandExample("{wallet}")} --sandbox\n  quarry sandbox serve\n`,
      surface
    ),
    "\nquarry <command> --help says more about each.\n"
  ].join("")
