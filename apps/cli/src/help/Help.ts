/** Formats help for all commands, a group or a command, from the same descriptions that the parser uses. */
import {
  type ArgumentDescription,
  argumentLabel,
  type CommandDescription,
  type CommandLineDescription,
  commandUsage,
  type OptionDescription,
  optionGroups,
  optionLabel,
  optionsOf,
  sharedOptions
} from "../args/CommandDescription.ts"
import { commandsUnder, nextWords } from "../args/CommandTree.ts"
import { type StreamInfo, styled } from "../terminal/StreamInfo.ts"

/** Topics of `quarry help <topic>`, and their titles. */
export const helpTopics = {
  "environment": "Environment variables",
  "exit-status": "Exit status of the program",
  "options": "Options that several commands share",
  "examples": "Examples of all commands"
} as const

export type HelpTopic = keyof typeof helpTopics

export const isHelpTopic = (text: string): text is HelpTopic => Object.hasOwn(helpTopics, text)

/** What the program prints without running a command. */
export type Information =
  | { readonly _tag: "Version" }
  /** What the program is and where its help is, for a command line without a command. */
  | { readonly _tag: "Overview" }
  /** Help for a command, or for the commands of a group. The empty path is the group of all commands. */
  | {
    readonly _tag: "Help"
    readonly path: ReadonlyArray<string>
    readonly command: CommandDescription | null
    /** Whether it lists all options. */
    readonly isComplete: boolean
  }
  | { readonly _tag: "Topic"; readonly topic: HelpTopic }

/** Width if stdout is not a terminal, and the largest width: longer lines are hard to read. */
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

export const exampleLines = ({ examples, path }: CommandDescription): ReadonlyArray<string> =>
  examples.map((example) =>
    Object.entries(exampleValues).reduce(
      (text, [name, value]) => text.replaceAll(`{${name}}`, value),
      `quarry ${path.join(" ")} ${example}`.trimEnd()
    )
  )

/** Wraps at spaces. All texts of help have characters of one column. */
const wrap = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > columns) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

const widthOf = ({ columns }: StreamInfo): number => Math.min(columns ?? defaultWidth, defaultWidth)

type HelpRow = readonly [term: string, text: string]

const formatRows = (rows: ReadonlyArray<HelpRow>, stream: StreamInfo): string => {
  const columns = widthOf(stream)
  const termWidth = Math.min(Math.floor(columns * 0.36), Math.max(0, ...rows.map(([term]) => term.length)))
  const available = Math.max(24, columns - termWidth - 4)
  return rows.map(([term, text]) => {
    const [first = "", ...more] = wrap(text, available)
    const indent = " ".repeat(termWidth + 4)
    const head = term.length > termWidth
      ? `  ${term}\n${indent}${first}`
      : `  ${term.padEnd(termWidth)}  ${first}`
    return [head, ...more.map((line) => indent + line)].map((line) => `${line.trimEnd()}\n`).join("")
  }).join("")
}

const section = (title: string, body: string, stream: StreamInfo): string =>
  body === "" ? "" : `\n${styled(stream, "bold", title)}\n${body}`

const title = (text: string, stream: StreamInfo): string => `${wrap(text, widthOf(stream)).join("\n")}\n`

const paragraph = (text: string | undefined, stream: StreamInfo): string =>
  text === undefined ? "" : wrap(text, widthOf(stream) - 2).map((line) => `  ${line}\n`).join("")

const optionRow = (spec: OptionDescription): HelpRow => [
  `${spec.alias === undefined ? "    " : `-${spec.alias}, `}${optionLabel(spec)}`,
  `${spec.description}${spec.repeatable ? " (repeatable or comma-separated)" : ""}`
]

const argumentRow = (spec: ArgumentDescription): HelpRow => [
  argumentLabel(spec),
  `${spec.description}${spec.replacedBy === undefined ? "" : ` (or --${spec.replacedBy})`}`
]

export const exitStatus: ReadonlyArray<HelpRow> = [
  ["0", "Success"],
  ["1", "Unexpected error, or the output cannot be written"],
  ["2", "Invalid usage or input"],
  ["3", "Not found"],
  ["4", "Authentication, permission or plan quota"],
  ["5", "Rate limit"],
  ["6", "Upstream error"],
  ["7", "Network error or timeout"],
  ["8", "Some of many inputs failed"],
  ["9", "The last result of --jq is false or null, with --exit-status"],
  ["10", "--jq has no result, with --exit-status"],
  ["129", "Ended by SIGHUP: the terminal was closed"],
  ["130", "Ended by SIGINT: Ctrl-C"],
  ["143", "Ended by SIGTERM"]
]

/** Further environment variables, which are no settings. */
const otherVariables: ReadonlyArray<HelpRow> = [
  ["NO_COLOR", "Disables colors if it is set"],
  ["FORCE_COLOR, CLICOLOR_FORCE", "Enable colors if they are set and not 0"],
  ["CLICOLOR", "Disables colors if it is 0"],
  ["COLUMNS", "Width of the terminal (default: what it reports, or 80)"],
  ["CI", "No progress on stderr if it is set and not 0 or false"],
  ["PAGER", "Program that shows long tables"],
  ["HTTPS_PROXY, HTTP_PROXY", "Proxy for requests"],
  ["NO_PROXY", "Hosts that are reached without the proxy"],
  ["XDG_CONFIG_HOME", "Directory of configuration files (Windows: APPDATA; default: ~/.config)"]
]

export const environmentRows = ({ variables }: CommandLineDescription): ReadonlyArray<HelpRow> => [
  ["QUARRY_API_KEY", "API key (there is no option for it)"],
  ...variables.map(({ description, name }): HelpRow => [name, description]),
  ...otherVariables
]

const commandRow = (command: CommandDescription): HelpRow => [commandUsage(command), command.summary]

/** Returns options by group, without empty groups. */
export const groupedOptions = (
  options: ReadonlyArray<OptionDescription>
): ReadonlyArray<{ readonly title: string; readonly options: ReadonlyArray<OptionDescription> }> =>
  optionGroups.map((group) => ({
    title: `${group.slice(0, 1).toUpperCase()}${group.slice(1)} options`,
    options: options.filter((option) => option.group === group)
  })).filter(({ options }) => options.length > 0)

const optionSection = (
  title: string,
  options: ReadonlyArray<OptionDescription>,
  stream: StreamInfo
): string => section(title, formatRows(options.map(optionRow), stream), stream)

const optionSections = (options: ReadonlyArray<OptionDescription>, stream: StreamInfo): string =>
  groupedOptions(options).map(({ options, title }) => optionSection(title, options, stream)).join("")

/** The options of a command: all of them by group, or its own and those that are used most. */
const commandOptions = (
  all: CommandLineDescription,
  command: CommandDescription,
  isComplete: boolean,
  stream: StreamInfo
): string => {
  const options = optionsOf(all, command)
  if (isComplete || command.operation === null) return optionSections(options, stream)
  const own = options.filter(({ group }) => group === "command")
  const common = options.filter(({ group, isCommon }) => group !== "command" && isCommon)
  const others = options.length - own.length - common.length
  return [
    optionSection("Command options", own, stream),
    optionSection("Common options", common, stream),
    "\n",
    title(`Run "quarry ${command.path.join(" ")} --help all" for ${others} more options.`, stream)
  ].join("")
}

const lines = (texts: ReadonlyArray<string>): string => texts.map((text) => `  ${text}\n`).join("")

const commandHelp = (
  all: CommandLineDescription,
  command: CommandDescription,
  isComplete: boolean,
  stream: StreamInfo
): string =>
  [
    title(command.summary, stream),
    section(
      command.api === null ? "Examples" : "Examples (add --sandbox to run them without an API key)",
      lines(exampleLines(command)),
      stream
    ),
    section("Usage", `  quarry ${commandUsage(command)} [options]\n`, stream),
    section("Arguments", formatRows(command.arguments.map(argumentRow), stream), stream),
    commandOptions(all, command, isComplete, stream),
    section("Notes", paragraph(command.note, stream), stream),
    section("Known issues", paragraph(command.knownIssue, stream), stream)
  ].join("")

const groupHelp = (
  { commands }: CommandLineDescription,
  path: ReadonlyArray<string>,
  stream: StreamInfo
): string => {
  const group = `quarry ${path.join(" ")}`
  const members = commandsUnder(commands, path)
  return [
    section("Examples", lines(members.flatMap((command) => exampleLines(command).slice(0, 1))), stream),
    section("Usage", `  ${group} <command> [arguments] [options]\n`, stream),
    section("Commands", formatRows(members.map(commandRow), stream), stream),
    `\nRun "${group} <command> --help" for details.\n`
  ].join("").trimStart()
}

const introduction = (stream: StreamInfo): string =>
  [
    title("Query indexed blockchain data from the terminal and in scripts", stream),
    section(
      "Examples",
      lines([
        `quarry token price ${exampleValues.token} --sandbox`,
        `quarry token owners ${exampleValues.token} --sandbox`,
        `quarry wallet transfers ${exampleValues.wallet} --sandbox`
      ]),
      stream
    )
  ].join("")

/** Formats what a command line without a command prints: short enough for any terminal. */
export const formatOverview = ({ commands }: CommandLineDescription, stream: StreamInfo): string => {
  const groups = nextWords(commands, []).filter((word) =>
    commands.every(({ path }) => path.join(" ") !== word)
  )
  const others = commands.filter(({ path }) => path.length === 1).map(({ path }) => path.join(" "))
  return [
    introduction(stream),
    section(
      "Commands",
      formatRows(
        groups.map((group) => [
          group,
          commandsUnder(commands, [group]).map(({ path }) => path.slice(1).join(" ")).join(", ")
        ]),
        stream
      ) + paragraph(others.join(", "), stream),
      stream
    ),
    "\n",
    title("Run \"quarry --help\" for all commands, \"quarry <command> --help\" for one.", stream),
    title("--sandbox uses synthetic data. \"quarry auth login\" stores an API key.", stream)
  ].join("")
}

const mainHelp = (all: CommandLineDescription, stream: StreamInfo): string =>
  [
    introduction(stream),
    section("Usage", "  quarry <command> [arguments] [options]\n", stream),
    section("Commands", formatRows(all.commands.map(commandRow), stream), stream),
    optionSections(
      [...all.globalOptions, ...all.informationOptions].filter(({ group }) => group === "global"),
      stream
    ),
    section(
      "Help topics",
      formatRows(
        Object.entries(helpTopics).map(([topic, title]) => [`quarry help ${topic}`, title]),
        stream
      ),
      stream
    ),
    "\nRun \"quarry <command> --help\" for the options of a command.\n"
  ].join("")

/** Formats help for a command, for a group of commands, or for all commands if the path is empty. */
export const formatHelp = (
  all: CommandLineDescription,
  path: ReadonlyArray<string>,
  command: CommandDescription | null,
  stream: StreamInfo,
  isComplete = false
): string =>
  command !== null
    ? commandHelp(all, command, isComplete, stream)
    : path.length > 0
    ? groupHelp(all, path, stream)
    : mainHelp(all, stream)

export const formatTopic = (all: CommandLineDescription, topic: HelpTopic, stream: StreamInfo): string => {
  const heading = styled(stream, "bold", helpTopics[topic])
  switch (topic) {
    case "environment":
      return `${heading}\n${formatRows(environmentRows(all), stream)}`
    case "exit-status":
      return `${heading}\n${formatRows(exitStatus, stream)}`
    case "options":
      return optionSections(sharedOptions(all), stream).slice(1)
    case "examples":
      return `${heading}\n${lines(all.commands.flatMap(exampleLines))}`
  }
}

export const formatInformation = (
  all: CommandLineDescription,
  information: Information,
  stream: StreamInfo,
  version: string
): string => {
  switch (information._tag) {
    case "Version":
      // The first line is the version alone, for scripts
      return `${version}\nnode ${process.versions.node} ${process.platform} ${process.arch}\n`
    case "Overview":
      return formatOverview(all, stream)
    case "Help":
      return formatHelp(all, information.path, information.command, stream, information.isComplete)
    case "Topic":
      return formatTopic(all, information.topic, stream)
  }
}
