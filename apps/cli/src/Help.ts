/** Formats help for all commands, a group or a command, from the same descriptions that the parser uses. */
import { argumentLabel, commandsUnder, commandUsage } from "./args/CommandPath.ts"
import { type ArgumentSpec, type CommandSpec, optionGroups, type OptionSpec } from "./args/CommandSpec.ts"
import {
  baseUrlOptions,
  connectionOptions,
  helpOption,
  informationOptions,
  outputOption,
  verboseOption
} from "./args/GlobalOptions.ts"
import { padEnd, width } from "./render/Width.ts"
import { type StreamInfo, styled } from "./Terminal.ts"

/** Width if stdout is not a terminal. */
const defaultWidth = 100

/** Values for the examples. All of them exist in the sandbox. */
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

/** Formats two columns: terms and descriptions. */
const formatRows = (rows: ReadonlyArray<HelpRow>, stream: StreamInfo): string => {
  const termWidth = Math.min(30, Math.max(0, ...rows.map(([term]) => width(term))))
  const available = Math.max(24, (stream.columns ?? defaultWidth) - termWidth - 4)
  return rows.map(([term, text]) => {
    const [first = "", ...more] = wrap(text, available)
    const indent = " ".repeat(termWidth + 4)
    const head = width(term) > termWidth
      ? `  ${term}\n${indent}${first}`
      : `  ${padEnd(term, termWidth)}  ${first}`
    return [head, ...more.map((line) => indent + line)].map((line) => `${line.trimEnd()}\n`).join("")
  }).join("")
}

const section = (title: string, body: string, stream: StreamInfo): string =>
  body === "" ? "" : `\n${styled(stream, "bold", title)}\n${body}`

/** Inserts the choices that the description does not name, before a remark such as "(default: eth)". */
const describe = ({ choices = [], description }: ArgumentSpec | OptionSpec): string =>
  choices.every((choice) => description.includes(choice))
    ? description
    : description.replace(/(?: \(.*)?$/, (remark) => `: ${choices.join(", ")}${remark}`)

const optionRow = (spec: OptionSpec): HelpRow => [
  `${spec.alias === undefined ? "    " : `-${spec.alias}, `}--${spec.name}${
    spec.value === null ? "" : ` <${spec.value}>`
  }`,
  `${describe(spec)}${spec.repeatable === true ? " (repeatable or comma-separated)" : ""}`
]

const argumentRow = (spec: ArgumentSpec): HelpRow => [argumentLabel(spec), describe(spec)]

const exitStatus: ReadonlyArray<HelpRow> = [
  ["0", "Success"],
  ["1", "Unexpected error"],
  ["2", "Invalid usage or input"],
  ["3", "Not found"],
  ["4", "Authentication, permission or plan quota"],
  ["5", "Rate limit"],
  ["6", "Upstream error"],
  ["7", "Network error or timeout"],
  ["130", "Interrupted"]
]

const commandRow = (command: CommandSpec): HelpRow => [commandUsage(command), command.summary]

const optionsSection = (title: string, specs: ReadonlyArray<OptionSpec>, stream: StreamInfo): string =>
  section(title, formatRows(specs.map(optionRow), stream), stream)

/** Returns the connection options without the base URLs of other APIs. */
const connectionOptionsFor = ({ api }: CommandSpec): ReadonlyArray<OptionSpec> => {
  if (api === null) return []
  const otherUrls = new Set<string>(
    baseUrlOptions.filter((option) => api !== "any" && option.api !== api).map(({ name }) => name)
  )
  return connectionOptions.filter(({ name }) => !otherUrls.has(name))
}

/** Returns the options of a command and the shared options that concern it. */
const optionsOf = (command: CommandSpec): ReadonlyArray<OptionSpec> => {
  const shared = [
    ...(command.operation === null ? [] : [outputOption]),
    ...connectionOptionsFor(command),
    ...(command.api === null ? [] : [verboseOption]),
    helpOption
  ]
  const own = new Set(command.options.map(({ name }) => name))
  return [...command.options, ...shared.filter(({ name }) => !own.has(name))]
}

const capitalize = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

export const commandHelp = (command: CommandSpec, stream: StreamInfo): string => {
  const column = stream.columns ?? defaultWidth
  const paragraph = (text = "") =>
    text === "" ? "" : wrap(text, column - 2).map((line) => `  ${line}\n`).join("")
  const options = optionsOf(command)
  return [
    `${command.summary}\n`,
    section("Usage", `  quarry ${commandUsage(command)} [options]\n`, stream),
    section("Arguments", formatRows(command.arguments.map(argumentRow), stream), stream),
    ...optionGroups.map((group) =>
      optionsSection(
        `${capitalize(group)} options`,
        options.filter((option) => (option.group ?? "command") === group),
        stream
      )
    ),
    section("Notes", paragraph(command.note), stream),
    section("Known issues", paragraph(command.knownIssue), stream),
    section(
      command.api !== null ? "Examples (add --sandbox to run them without an API key)" : "Examples",
      command.examples.map((example) =>
        `  ${`quarry ${command.path.join(" ")} ${expandExample(example)}`.trimEnd()}\n`
      )
        .join(""),
      stream
    )
  ].join("")
}

export const groupHelp = (
  commands: ReadonlyArray<CommandSpec>,
  path: ReadonlyArray<string>,
  stream: StreamInfo
): string => {
  const group = `quarry ${path.join(" ")}`
  return [
    section("Usage", `  ${group} <command> [arguments] [options]\n`, stream).slice(1),
    section("Commands", formatRows(commandsUnder(commands, path).map(commandRow), stream), stream),
    `\nRun "${group} <command> --help" for details.\n`
  ].join("")
}

export const mainHelp = (commands: ReadonlyArray<CommandSpec>, stream: StreamInfo): string =>
  [
    "Query indexed blockchain data from the terminal and in scripts\n",
    section("Usage", "  quarry <command> [arguments] [options]\n", stream),
    section("Commands", formatRows(commands.map(commandRow), stream), stream),
    optionsSection("Output options", [outputOption], stream),
    optionsSection("Connection options", connectionOptions, stream),
    optionsSection("Global options", [verboseOption, ...informationOptions], stream),
    section(
      "Environment",
      formatRows([
        ["QUARRY_API_KEY", "API key (there is no option for it)"],
        ...baseUrlOptions.map(({ description, variable }): HelpRow => [variable, description]),
        [
          "QUARRY_RATE_LIMIT",
          "Local rate limit in units per time, for example 25/10s, or none (default: 100/s)"
        ],
        ["QUARRY_SANDBOX", "Set to 1 to use the sandbox"],
        ["NO_COLOR", "Disable colors"]
      ], stream),
      stream
    ),
    section(
      "Exit status",
      formatRows(exitStatus, stream),
      stream
    ),
    section(
      "Examples",
      `  quarry wallet chains ${expandExample("{wallet}")} --sandbox\n  quarry sandbox serve\n`,
      stream
    ),
    "\nRun \"quarry <command> --help\" for details.\n"
  ].join("")
