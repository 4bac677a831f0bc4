/** Help for all commands, a group or a command, from the same descriptions that the parser uses. */
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

type Row = readonly [term: string, text: string]

/** A part of help: terms and what they mean, lines that stay as they are, and a paragraph. Left out if it has none. */
export interface Section {
  readonly title: string | null
  readonly rows?: ReadonlyArray<Row>
  readonly lines?: ReadonlyArray<string>
  readonly text?: string | undefined
}

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

export const exitStatus: ReadonlyArray<Row> = [
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
const otherVariables: ReadonlyArray<Row> = [
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

export const environmentRows = ({ variables }: CommandLineDescription): ReadonlyArray<Row> => [
  ["QUARRY_API_KEY", "API key (there is no option for it)"],
  ...variables.map(({ description, name }): Row => [name, description]),
  ...otherVariables
]

const commandRow = (command: CommandDescription): Row => [commandUsage(command), command.summary]

const argumentRow = (spec: ArgumentDescription): Row => [
  argumentLabel(spec),
  `${spec.description}${spec.replacedBy === undefined ? "" : ` (or --${spec.replacedBy})`}`
]

const optionRow = (spec: OptionDescription): Row => [
  `${spec.alias === undefined ? "    " : `-${spec.alias}, `}${optionLabel(spec)}`,
  // A value in `name=value` may contain commas
  `${spec.description}${
    spec.repeatable ? ` (repeatable${spec.value === "name=value" ? "" : " or comma-separated"})` : ""
  }`
]

/** Returns a section for each group of options. */
export const optionSections = (options: ReadonlyArray<OptionDescription>): ReadonlyArray<Section> =>
  optionGroups.map((group) => ({
    title: `${group.slice(0, 1).toUpperCase()}${group.slice(1)} options`,
    rows: options.filter((option) => option.group === group).map(optionRow)
  }))

/** Returns the options of a command: all of them by group, or its own and those that are used most. */
const commandOptions = (
  all: CommandLineDescription,
  command: CommandDescription,
  isComplete: boolean
): ReadonlyArray<Section> => {
  const options = optionsOf(all, command)
  if (isComplete || command.operation === null) return optionSections(options)
  const own = options.filter(({ group }) => group === "command")
  const common = options.filter(({ group, isCommon }) => group !== "command" && isCommon)
  const others = options.length - own.length - common.length
  return [
    { title: "Command options", rows: own.map(optionRow) },
    { title: "Common options", rows: common.map(optionRow) },
    { title: null, text: `Run "quarry ${command.path.join(" ")} --help all" for ${others} more options.` }
  ]
}

/** Returns the help of a command after its summary. */
export const commandSections = (
  all: CommandLineDescription,
  command: CommandDescription,
  isComplete: boolean
): ReadonlyArray<Section> => [
  {
    title: command.api === null ? "Examples" : "Examples (add --sandbox to run them without an API key)",
    lines: exampleLines(command)
  },
  { title: "Usage", lines: [`quarry ${commandUsage(command)} [options]`] },
  { title: "Arguments", rows: command.arguments.map(argumentRow) },
  ...commandOptions(all, command, isComplete),
  { title: "Notes", text: command.note },
  { title: "Known issues", text: command.knownIssue }
]

const groupSections = (
  { commands }: CommandLineDescription,
  path: ReadonlyArray<string>
): ReadonlyArray<Section> => {
  const group = `quarry ${path.join(" ")}`
  const members = commandsUnder(commands, path)
  return [
    { title: "Examples", lines: members.flatMap((command) => exampleLines(command).slice(0, 1)) },
    { title: "Usage", lines: [`${group} <command> [arguments] [options]`] },
    { title: "Commands", rows: members.map(commandRow) },
    { title: null, text: `Run "${group} <command> --help" for details.` }
  ]
}

const introduction: ReadonlyArray<Section> = [
  { title: null, text: "Query indexed blockchain data from the terminal and in scripts" },
  {
    title: "Examples",
    lines: [
      `quarry token price ${exampleValues.token} --sandbox`,
      `quarry token owners ${exampleValues.token} --sandbox`,
      `quarry wallet transfers ${exampleValues.wallet} --sandbox`
    ]
  }
]

/** What a command line without a command prints: short enough for any terminal. */
const overviewSections = ({ commands }: CommandLineDescription): ReadonlyArray<Section> => {
  const others = commands.filter(({ path }) => path.length === 1).flatMap(({ path }) => path)
  const groups = nextWords(commands, []).filter((word) => !others.includes(word))
  const membersOf = (group: string) =>
    commandsUnder(commands, [group]).map(({ path }) => path.slice(1).join(" ")).join(", ")
  return [
    ...introduction,
    { title: "Commands", rows: groups.map((group) => [group, membersOf(group)]), text: others.join(", ") },
    {
      title: null,
      text: "Run \"quarry --help\" for all commands, \"quarry <command> --help\" for one.\n" +
        "--sandbox uses synthetic data. \"quarry auth login\" stores an API key."
    }
  ]
}

const mainSections = (all: CommandLineDescription): ReadonlyArray<Section> => [
  ...introduction,
  { title: "Usage", lines: ["quarry <command> [arguments] [options]"] },
  { title: "Commands", rows: all.commands.map(commandRow) },
  ...optionSections(
    [...all.globalOptions, ...all.informationOptions].filter(({ group }) => group === "global")
  ),
  {
    title: "Help topics",
    rows: Object.entries(helpTopics).map(([topic, title]) => [`quarry help ${topic}`, title])
  },
  { title: null, text: "Run \"quarry <command> --help\" for the options of a command." }
]

const topicSections = (all: CommandLineDescription, topic: HelpTopic): ReadonlyArray<Section> => {
  const title = helpTopics[topic]
  switch (topic) {
    case "environment":
      return [{ title, rows: environmentRows(all) }]
    case "exit-status":
      return [{ title, rows: exitStatus }]
    case "options":
      return optionSections(sharedOptions(all))
    case "examples":
      return [{ title, lines: all.commands.flatMap(exampleLines) }]
  }
}

/** Width if stdout is not a terminal, and the largest width: longer lines are hard to read. */
const defaultWidth = 100

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

/** Formats terms with their texts in a second column. */
const rowLines = (rows: ReadonlyArray<Row>, columns: number): ReadonlyArray<string> => {
  const termWidth = Math.min(Math.floor(columns * 0.36), Math.max(0, ...rows.map(([term]) => term.length)))
  const indent = " ".repeat(termWidth + 2)
  return rows.flatMap(([term, text]) => {
    const [first = "", ...more] = wrap(text, Math.max(24, columns - termWidth - 4))
    return [
      ...term.length > termWidth ? [term, indent + first] : [`${term.padEnd(termWidth)}  ${first}`],
      ...more.map((line) => indent + line)
    ]
  })
}

const formatSections = (sections: ReadonlyArray<Section>, stream: StreamInfo): string => {
  const columns = Math.min(stream.columns ?? defaultWidth, defaultWidth)
  return sections.flatMap(({ lines = [], rows = [], text = "", title }) => {
    const indent = title === null ? "" : "  "
    const paragraphs = text === "" ? [] : text.split("\n")
    const body = [
      ...rowLines(rows, columns),
      ...lines,
      ...paragraphs.flatMap((paragraph) => wrap(paragraph, columns - indent.length))
    ].map((line) => `${indent}${line}`.trimEnd())
    if (body.length === 0) return []
    return [[...title === null ? [] : [styled(stream, "bold", title)], ...body, ""].join("\n")]
  }).join("\n")
}

const sectionsOf = (
  all: CommandLineDescription,
  information: Exclude<Information, { readonly _tag: "Version" }>
): ReadonlyArray<Section> => {
  switch (information._tag) {
    case "Overview":
      return overviewSections(all)
    case "Topic":
      return topicSections(all, information.topic)
    case "Help": {
      const { command, isComplete, path } = information
      return command !== null
        ? [{ title: null, text: command.summary }, ...commandSections(all, command, isComplete)]
        : path.length > 0
        ? groupSections(all, path)
        : mainSections(all)
    }
  }
}

export const formatInformation = (
  all: CommandLineDescription,
  information: Information,
  stream: StreamInfo,
  version: string
): string =>
  information._tag === "Version"
    // The first line is the version alone, for scripts
    ? `${version}\nnode ${process.versions.node} ${process.platform} ${process.arch}\n`
    : formatSections(sectionsOf(all, information), stream)
